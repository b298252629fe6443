import { saidBy } from '../outcome.ts'
import type { HookContext, MaybePromise, Outcome } from '../types.ts'
import { addKnown, copyOfParams, toolContext } from './event.ts'
import { reportFault } from './fault.ts'
import { callHandler, ownSignal, type Settled } from './handler.ts'
import { foldToolName } from './matcher.ts'
import { type Handler, matches } from './registry.ts'
import type { AfterToolCallEvent } from './types.ts'

/**
 * P3: starts the `after_tool_call` handlers together, each with its own copy of what became of the call.
 * Nothing they do, return or throw reaches the call.
 */
export function runAfterRing(
  handlers: ReadonlyArray<Handler<'after_tool_call'>>,
  ctx: HookContext,
  outcome: Outcome,
): MaybePromise<unknown> {
  const folded = foldToolName(ctx.toolName)
  const interested = handlers.filter((handler) => matches(handler, folded))
  if (interested.length === 0) return undefined
  const snapshot = snapshotOf(outcome)
  return Promise.all(
    interested.map(async (handler) => {
      const settled = await observe(handler, ctx, outcome, snapshot)
      if (settled.ok || settled.cause === 'aborted') return
      const { pluginId } = handler
      const { cause, error } = settled
      const effect = 'the call is not affected'
      reportFault(ctx.log, { pluginId, what: 'after_tool_call', cause, error, effect })
    }),
  )
}

function observe(
  handler: Handler<'after_tool_call'>,
  ctx: HookContext,
  outcome: Outcome,
  snapshot: () => unknown,
): MaybePromise<Settled<unknown>> {
  // An observer outlives its call, so only its own time ends it.
  const own = ownSignal()
  const event = new AfterEvent(ctx, outcome, snapshot)
  const { timeoutMs } = handler
  return callHandler(() => handler.run(event, toolContext(ctx, own)), { timeoutMs, own })
}

/** What became of the call, for one handler: `params` and `result` are copied when it first looks at them. */
class AfterEvent implements AfterToolCallEvent {
  static readonly #copy: PropertyDescriptor & ThisType<AfterEvent> = {
    enumerable: true,
    get() {
      this.#params ??= copyOfParams(this.#ctx)
      return this.#params
    },
    set(value: Record<string, unknown>) {
      this.#params = value
    },
  }
  static readonly #result: PropertyDescriptor & ThisType<AfterEvent> = {
    enumerable: true,
    get() {
      this.#copied ??= { value: structuredClone(this.#snapshot()) }
      return this.#copied.value
    },
    set(value: unknown) {
      this.#copied = { value }
    },
  }

  readonly toolName: string
  declare params: Record<string, unknown>
  declare result?: unknown
  readonly #ctx: HookContext
  readonly #snapshot: () => unknown
  #params: Record<string, unknown> | undefined
  #copied: { readonly value: unknown } | undefined

  constructor(ctx: HookContext, outcome: Outcome, snapshot: () => unknown) {
    const { runId, toolCallId } = ctx
    const { durationMs } = outcome
    this.#ctx = ctx
    this.#snapshot = snapshot
    this.toolName = ctx.toolName
    Object.defineProperty(this, 'params', AfterEvent.#copy)
    if (outcome.status === 'completed' && outcome.result !== undefined) {
      Object.defineProperty(this, 'result', AfterEvent.#result)
    }
    addKnown(this, { runId, toolCallId, error: errorOf(outcome), durationMs })
  }
}

/** The result as it was when the call ended, since the caller may change it from now on. */
function snapshotOf(outcome: Outcome): () => unknown {
  if (outcome.status !== 'completed') return () => undefined
  const { result } = outcome
  if (typeof result !== 'object' || result === null) {
    return () => (typeof result === 'function' ? undefined : result)
  }
  const copy = plainCopy(result)
  return () => copy
}

/** What can be copied of a result; an observer gets no live object of the tool. */
function plainCopy(result: object): unknown {
  try {
    return structuredClone(result)
  } catch {
    try {
      return JSON.parse(JSON.stringify(result)) as unknown
    } catch {
      return undefined
    }
  }
}

function errorOf(outcome: Outcome): string | undefined {
  if (outcome.status !== 'failed' && outcome.status !== 'aborted') return undefined
  const { error } = outcome
  return error === undefined ? (outcome.reason ?? outcome.code) : saidBy(error)
}
