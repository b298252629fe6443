import type { CallContext, Requester } from '../types.ts'
import type { OwnSignal } from './handler.ts'
import type { BeforeToolCallEvent, PluginToolContext } from './types.ts'

/** `T` without undefined: a key that is there has a value. */
type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Drops the keys without a value: a handler must not take `undefined` for a fact. */
export function known<T extends object>(facts: T): Known<T> {
  const kept = { ...facts }
  for (const key in kept) if (kept[key] === undefined) delete kept[key]
  return kept
}

/**
 * The event of one handler. `params` is copied when the handler first looks at it, and is its own from then on.
 *
 * @param copyParams Makes a mutable copy; what it throws reaches the handler's caller.
 */
export function beforeEvent(
  ctx: CallContext,
  copyParams: () => Record<string, unknown>,
): BeforeToolCallEvent {
  let own: Record<string, unknown> | undefined
  return {
    toolName: ctx.toolName,
    get params() {
      own ??= copyParams()
      return own
    },
    set params(value) {
      own = value
    },
    ...known({
      toolKind: ctx.toolKind,
      toolInputKind: ctx.toolInputKind,
      derivedPaths: ctx.derivedPaths && Object.freeze([...ctx.derivedPaths]),
      runId: ctx.runId,
      toolCallId: ctx.toolCallId,
    }),
  }
}

function copyRequester(requester: Requester): Requester {
  const roleIds = requester.roleIds && Object.freeze([...requester.roleIds])
  return Object.freeze(known({ ...requester, roleIds }))
}

/** The context of one handler: only what is known, and an abort signal of its own. */
export function toolContext(ctx: CallContext, own: OwnSignal): PluginToolContext {
  return {
    toolName: ctx.toolName,
    ...known({
      agentId: ctx.agentId,
      sessionKey: ctx.sessionKey,
      sessionId: ctx.sessionId,
      channelId: ctx.channelId,
      messageProvider: ctx.messageProvider,
      runId: ctx.runId,
      toolCallId: ctx.toolCallId,
      toolKind: ctx.toolKind,
      toolInputKind: ctx.toolInputKind,
      trace: frozenCopy(ctx.trace),
      requester: ctx.requester && copyRequester(ctx.requester),
    }),
    get abortSignal() {
      return own.signal
    },
    getSessionExtension: () => undefined,
  }
}

function frozenCopy(trace: unknown): unknown {
  if (typeof trace !== 'object' || trace === null) return trace
  return Object.freeze(Array.isArray(trace) ? [...trace] : { ...trace })
}
