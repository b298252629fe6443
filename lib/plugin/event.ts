import type { CallContext, Requester } from '../types.ts'
import type { OwnSignal } from './handler.ts'
import type { BeforeToolCallEvent, PluginToolContext } from './types.ts'

/** `T` without undefined: a key that is there has a value. */
type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Adds the facts that have a value: a handler must not take `undefined` for a fact. */
export function addKnown<T extends object, F extends object>(target: T, facts: F): T & Known<F> {
  for (const key in facts) {
    if (facts[key] !== undefined) (target as Record<string, unknown>)[key] = facts[key]
  }
  return target as T & Known<F>
}

/**
 * The event of one handler. `params` is copied when the handler first looks at it, and is its own from then on.
 * Own accessors whose functions all instances share: in an object literal each would cost a hidden class.
 */
class BeforeEvent {
  static readonly #params: PropertyDescriptor & ThisType<BeforeEvent> = {
    enumerable: true,
    configurable: true,
    get() {
      this.#own ??= copyOfParams(this.#ctx)
      return this.#own
    },
    set(value: Record<string, unknown>) {
      this.#own = value
    },
  }

  readonly toolName: string
  declare params: Record<string, unknown>
  readonly #ctx: CallContext
  #own: Record<string, unknown> | undefined

  constructor(ctx: CallContext) {
    this.#ctx = ctx
    this.toolName = ctx.toolName
    Object.defineProperty(this, 'params', BeforeEvent.#params)
  }
}

/** The call as one handler sees it. What copying the params throws reaches the handler. */
export function beforeEvent(ctx: CallContext): BeforeToolCallEvent {
  const { toolKind, toolInputKind, derivedPaths, runId, toolCallId } = ctx
  return addKnown(new BeforeEvent(ctx), {
    toolKind,
    toolInputKind,
    derivedPaths: derivedPaths && frozen(derivedPaths),
    runId,
    toolCallId,
  })
}

/** A mutable copy of the params, for one handler. */
export const copyOfParams = ({ params }: CallContext): Record<string, unknown> =>
  structuredClone(params) as Record<string, unknown>

const noExtension = (): undefined => undefined

class ToolContextBase {
  static readonly #signal: PropertyDescriptor & ThisType<ToolContextBase> = {
    enumerable: true,
    get() {
      return this.#own.signal
    },
  }

  readonly toolName: string
  declare readonly abortSignal: AbortSignal
  readonly getSessionExtension = noExtension
  readonly #own: OwnSignal

  constructor(ctx: CallContext, own: OwnSignal) {
    this.#own = own
    this.toolName = ctx.toolName
    Object.defineProperty(this, 'abortSignal', ToolContextBase.#signal)
  }
}

/** The context of one handler: only what is known, and an abort signal of its own. */
export function toolContext(ctx: CallContext, own: OwnSignal): PluginToolContext {
  const { agentId, sessionKey, sessionId, channelId, messageProvider, runId, toolCallId } = ctx
  const { toolKind, toolInputKind, trace, requester } = ctx
  return addKnown(new ToolContextBase(ctx, own), {
    agentId,
    sessionKey,
    sessionId,
    channelId,
    messageProvider,
    runId,
    toolCallId,
    toolKind,
    toolInputKind,
    trace: frozen(trace),
    requester: requester && frozenRequester(requester),
  })
}

/** The same for as long as it is frozen, else a frozen copy: handlers of several plugins share it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  return Object.freeze((Array.isArray(value) ? [...value] : { ...value }) as T)
}

function frozenRequester(requester: Requester): Requester {
  if (Object.isFrozen(requester)) return requester
  const { roleIds, ...rest } = requester
  return Object.freeze(addKnown({}, { ...rest, roleIds: roleIds && frozen(roleIds) }))
}
