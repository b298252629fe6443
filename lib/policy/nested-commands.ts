import { commandNames } from './argument-names.ts'
import type { Params } from './exec-arguments.ts'

/** An object within the arguments that holds a command, and where it stands. */
export interface CommandHolder {
  readonly at: string
  readonly params: Params
  /** The names of its commands. */
  readonly names: readonly string[]
}

/** More are not looked for: so many are refused. */
export const MAX_HOLDERS = 8

/** True for what may be a command: a text, a list, or an object that cannot be judged. */
export function mayBeCommand(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

/**
 * Objects below the top of an undeclared tool's arguments that hold a command, the first {@link MAX_HOLDERS} and one.
 * What they hold is not searched again. Iterative: a host that vouches for its arguments may nest them deeply.
 */
export function commandHolders(params: Params): readonly CommandHolder[] {
  const found: CommandHolder[] = []
  const todo: Place[] = [{ value: params, key: '', above: undefined }]
  for (let next = todo.pop(); next && found.length <= MAX_HOLDERS; next = todo.pop()) {
    const { value } = next
    const isList = Array.isArray(value)
    const names = isList || !next.above ? [] : namesIn(value as Params)
    if (names.length > 0) {
      found.push({ at: spell(next), params: value as Params, names })
      continue
    }
    for (const key of isList ? value.keys() : Object.keys(value)) {
      const item: unknown = (value as Readonly<Record<string | number, unknown>>)[key]
      if (typeof item === 'object' && item !== null) todo.push({ value: item, key, above: next })
    }
  }
  return found
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

function namesIn(params: Params): readonly string[] {
  return commandNames(params, false).filter((name) => mayBeCommand(params[name]))
}
