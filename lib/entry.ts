import { distance } from './closest.ts'
import { quoted } from './errors.ts'
import { asText } from './outcome.ts'
import { isThenable } from './settled.ts'
import type { Entry } from './steps.ts'
import type { AnyHook, FailureCause, HookContext, Outcome, PlainHook, ToolHook } from './types.ts'

const PHASES = ['check', 'before', 'after', 'skipped'] as const
const PLAIN_PHASES = ['beforeExecute', 'afterExecute'] as const
const CAUSES: readonly FailureCause[] = ['error', 'timeout']

/** Hooks that run inside a middleware function have no place of their own in the plan. */
export const NO_POSITION: number = Number.POSITIVE_INFINITY

/**
 * Reads a hook once and checks its shape.
 *
 * @throws {TypeError} When it has no name or no phase, mixes both shapes, or has a function whose key is within
 * two letters of a phase (`befor`): such a hook would silently guard nothing.
 */
export function entryOf(hook: AnyHook, position: number): Entry {
  const where = describeHook(hook)
  const members = hook as unknown as Record<string, unknown>
  for (const phase of [...PHASES, ...PLAIN_PHASES]) {
    const value = members[phase]
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`${where}: ${phase} must be a function, not ${quoted(value)}`)
    }
  }
  refuseMisspelt(hook, where)
  const plain = PLAIN_PHASES.filter((phase) => members[phase] !== undefined)
  const rich = PHASES.filter((phase) => members[phase] !== undefined)
  if (plain.length > 0 && rich.length > 0) {
    throw new TypeError(`${where} mixes ${plain.join(', ')} with ${rich.join(', ')}: use one shape`)
  }
  if (plain.length === 0 && rich.length === 0) {
    throw new TypeError(
      `${where} has no phase: give it one of ${[...PHASES, ...PLAIN_PHASES].join(', ')}`,
    )
  }
  return {
    hook,
    name: hook.name,
    failOpen: readFailOpen(hook.failOpen, where),
    timeoutMs: readTimeout(hook.timeoutMs, where),
    detached: hook.detached === true,
    position,
    resolveExecEnv: (hook as ToolHook).resolveExecEnv,
    ...(plain.length > 0 ? plainHandlers(hook as PlainHook) : richHandlers(hook as ToolHook)),
  }
}

type Handlers = Pick<Entry, 'check' | 'before' | 'after' | 'skipped'>

function richHandlers({ check, before, after, skipped }: ToolHook): Handlers {
  return { check, before, after, skipped }
}

/** The shape of OpenClaw.NET's hooks has no pure `check`: its whole handler is called again on changed params. */
function plainHandlers({ beforeExecute, afterExecute, once }: PlainHook): Handlers {
  const judge =
    beforeExecute &&
    function (this: unknown, ctx: HookContext): unknown {
      return beforeExecute.call(this, ctx.toolName, ctx.argumentsJson, ctx.signal)
    }
  const after =
    afterExecute &&
    function (this: unknown, ctx: HookContext, outcome: Outcome): unknown {
      const result = asText(outcome.status === 'completed' ? outcome.result : undefined)
      const { durationMs, failed } = outcome
      return afterExecute.call(
        this,
        ctx.toolName,
        ctx.argumentsJson,
        result,
        durationMs,
        failed,
        ctx.signal,
      )
    }
  return {
    check: once ? undefined : judge,
    before: once ? judge : undefined,
    after,
    skipped: undefined,
  }
}

function describeHook(hook: unknown): string {
  if (typeof hook !== 'object' || hook === null) {
    throw new TypeError(`a hook must be an object with a name and a phase, not ${quoted(hook)}`)
  }
  if (isThenable(hook)) throw new TypeError('a hook is needed, not a promise of one: await it')
  if (Array.isArray(hook)) throw new TypeError('one hook at a time, not a list of them')
  const { name } = hook as { name?: unknown }
  if (typeof name !== 'string' || name.trim() === '') {
    throw new TypeError(
      `a hook needs a name, a text that denials and logs can show; got ${quoted(name)}`,
    )
  }
  return `hook ${JSON.stringify(name)}`
}

function refuseMisspelt(hook: object, where: string): void {
  const known: readonly string[] = [...PHASES, ...PLAIN_PHASES]
  for (const key of ownKeys(hook)) {
    if (known.includes(key) || typeof (hook as Record<string, unknown>)[key] !== 'function')
      continue
    const meant = known.find((phase) => distance(key.toLowerCase(), phase.toLowerCase()) <= 2)
    if (meant !== undefined) {
      throw new TypeError(`${where}: ${key} is no phase; did you mean ${meant}?`)
    }
  }
}

/** Keys of the object and of its classes, `Object.prototype` left out. */
function ownKeys(hook: object): Set<string> {
  const keys = new Set<string>()
  for (
    let o: object | null = hook;
    o !== null && o !== Object.prototype;
    o = Object.getPrototypeOf(o)
  ) {
    for (const key of Object.getOwnPropertyNames(o)) {
      if (!Object.getOwnPropertyDescriptor(o, key)?.get) keys.add(key)
    }
  }
  return keys
}

function readFailOpen(value: unknown, where: string): readonly FailureCause[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((cause) => CAUSES.includes(cause))) return [...value]
  throw new TypeError(
    `${where}: failOpen must be a list of 'error' and 'timeout', not ${quoted(value)}`,
  )
}

function readTimeout(value: unknown, where: string): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= 0) return value
  throw new TypeError(
    `${where}: timeoutMs must be milliseconds, or 0 for no deadline; got ${quoted(value)}`,
  )
}
