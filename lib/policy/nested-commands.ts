import { commandName } from './argument-names.ts'
import type { Params } from './exec-arguments.ts'

/** An object within the arguments that holds a command, and where it stands. */
export interface CommandHolder {
  readonly at: string
  readonly params: Params
  /** The names of its commands. */
  readonly names: readonly string[]
}

/** What is found of commands deep in arguments. */
export interface CommandHolders {
  readonly found: readonly CommandHolder[]
  /** What there is more of than is looked for; such a call is refused. */
  readonly tooMany: string | undefined
  readonly areSome: boolean
}

export const NO_HOLDERS: CommandHolders = { found: [], tooMany: undefined, areSome: false }

const MAX_HOLDERS = 8
const MAX_OBJECTS = 10_000
const MAX_NAMES = 10_000

/** True for what may be a command: a text, a list, or an object that cannot be judged. */
export function mayBeCommand(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

/**
 * Objects below the top of an undeclared tool's arguments that hold a command. What they hold is not searched again.
 * Iterative: a host that vouches for its arguments may nest them deeply.
 */
export function commandHolders(params: Params): CommandHolders {
  // Most calls are flat.
  if (!holdsObject(params)) return NO_HOLDERS
  const found: CommandHolder[] = []
  const isName = commandName(false)
  const todo: Place[] = [{ value: params, key: '', above: undefined }]
  let objects = 0
  let names = 0
  const end = (tooMany?: string): CommandHolders => ({
    found,
    tooMany,
    areSome: found.length > 0 || tooMany !== undefined,
  })
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { value } = next
    const isList = Array.isArray(value)
    const keys = isList ? [] : Object.keys(value)
    names += keys.length
    if (names > MAX_NAMES) return end(`${MAX_NAMES} names of arguments`)
    const held = next.above
      ? keys.filter((key) => isName(key) && mayBeCommand((value as Params)[key]))
      : []
    if (held.length > 0) {
      found.push({ at: spell(next), params: value as Params, names: held })
      if (found.length > MAX_HOLDERS) return end(`${MAX_HOLDERS} commands`)
      continue
    }
    for (const key of isList ? value.keys() : keys) {
      const item: unknown = (value as Readonly<Record<string | number, unknown>>)[key]
      if (typeof item !== 'object' || item === null) continue
      if (++objects > MAX_OBJECTS) return end(`${MAX_OBJECTS} objects and lists`)
      todo.push({ value: item, key, above: next })
    }
  }
  return end()
}

function holdsObject(params: Params): boolean {
  for (const key in params) {
    const value = params[key]
    if (typeof value === 'object' && value !== null) return true
  }
  return false
}

interface Place {
  readonly value: object
  readonly key: string | number
  readonly above: Place | undefined
}

function spell(place: Place): string {
  let text = ''
  for (let at = place; at.above; at = at.above) {
    text = (typeof at.key === 'number' ? `[${at.key}]` : `.${at.key}`) + text
  }
  return text.slice(1)
}
