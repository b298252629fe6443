import { asText } from '../outcome.ts'
import type { HookContext, MaybePromise, Opinion, Outcome, ToolHook } from '../types.ts'
import { deny } from '../verdict.ts'
import { addKnown } from './event.ts'
import { reportFault } from './fault.ts'
import { callHandler, type OwnSignal, ownSignal, type Settled } from './handler.ts'
import { foldToolName } from './matcher.ts'
import { type Handler, matches, type Registrations } from './registry.ts'
import type { ToolAfterContext, ToolBeforeContext } from './types.ts'

type PhaseHandler = Handler<'tool:before'> | Handler<'tool:after'> | Handler<'tool:*'>

const MARGIN_MS = 1000

/**
 * OpenClaw.NET's events of one in-process plugin as the hook `plugin:<id>`, the twin of a bridged plugin's.
 *
 * `tool:before` is a check: it may deny and not change, and it is asked again about changed params.
 *
 * @returns undefined when the plugin registered for none of these events.
 */
export function phaseHook(pluginId: string, plugin: Registrations): ToolHook | undefined {
  const sorted = plugin.handlers
    .filter((handler): handler is PhaseHandler => handler.event.startsWith('tool:'))
    .sort((a, b) => b.priority - a.priority)
  const before = sorted.filter(({ event }) => event !== 'tool:after')
  const after = sorted.filter(({ event }) => event !== 'tool:before')
  if (sorted.length === 0) return undefined
  const budget = before.reduce((sum, { timeoutMs }) => sum + timeoutMs, MARGIN_MS)
  const phases = {
    check: (ctx: HookContext) => runBefore(before, 0, ctx),
    after: (ctx: HookContext, outcome: Outcome) => runAfter(after, ctx, outcome),
  }
  const options = { name: `plugin:${pluginId}`, timeoutMs: budget, detached: true }
  if (after.length === 0) return { ...options, check: phases.check }
  if (before.length === 0) return { ...options, after: phases.after }
  return { ...options, ...phases }
}

function runBefore(
  handlers: readonly PhaseHandler[],
  start: number,
  ctx: HookContext,
): MaybePromise<Opinion> {
  const folded = foldToolName(ctx.toolName)
  for (let index = start; index < handlers.length; index++) {
    const handler = handlers[index]
    if (handler === undefined || !matches(handler, folded)) continue
    if (ctx.recheck && handler.once) continue
    const settled = callBefore(handler, ctx)
    if (settled instanceof Promise) {
      return settled.then(
        (value) => opinion(handler, value, ctx) ?? runBefore(handlers, index + 1, ctx),
      )
    }
    const denied = opinion(handler, settled as Settled<unknown>, ctx)
    if (denied) return denied
  }
  return null
}

function callBefore(handler: PhaseHandler, ctx: HookContext): MaybePromise<Settled<unknown>> {
  const callSignal = (): AbortSignal => ctx.signal
  const own = ownSignal(callSignal)
  const { timeoutMs } = handler
  const run = handler.run as (ctx: ToolBeforeContext) => unknown
  return callHandler<unknown>(() => run(new BeforeContext(ctx, own)), {
    timeoutMs,
    callSignal,
    own,
  })
}

function facts({ sessionId, channelId, senderId, correlationId, toolCallId }: HookContext) {
  return { sessionId, channelId, senderId, correlationId, toolCallId }
}

/**
 * What a handler gets. An accessor whose functions all instances share: in an object literal it would cost a hidden
 * class. The signal is no fact, so it is not among the keys.
 */
class BeforeContext implements ToolBeforeContext {
  static readonly #text: PropertyDescriptor & ThisType<BeforeContext> = {
    enumerable: true,
    get() {
      return this.#ctx.argumentsJson
    },
  }

  readonly phase = 'before'
  readonly toolName: string
  declare readonly arguments: string
  readonly #ctx: HookContext
  readonly #own: OwnSignal

  constructor(ctx: HookContext, own: OwnSignal) {
    this.#ctx = ctx
    this.#own = own
    this.toolName = ctx.toolName
    Object.defineProperty(this, 'arguments', BeforeContext.#text)
    addKnown(this, facts(ctx))
  }

  get signal(): AbortSignal {
    return this.#own.signal
  }
}

function opinion(handler: PhaseHandler, settled: Settled<unknown>, ctx: HookContext) {
  const { pluginId, event, failOpen } = handler
  if (!settled.ok) {
    const { cause, error } = settled
    if (cause === 'aborted') return deny('the call was aborted', { code: 'ABORTED' })
    const open = failOpen.includes(cause)
    const effect = open ? 'the call goes on without it, as failOpen says' : 'the call is blocked'
    reportFault(ctx.log, { pluginId, what: event, cause, error, effect })
    const code = cause === 'timeout' ? 'HOOK_TIMEOUT' : 'HOOK_FAILED'
    return open ? undefined : deny(`${event} handler failed`, { code })
  }
  const answer = settled.value
  if (answer === true || answer === undefined || answer === null) return undefined
  if (answer === false) return deny()
  if (typeof answer === 'object' && 'allow' in answer && typeof answer.allow === 'boolean') {
    // Whoever sends new arguments along would believe that they count.
    const isPlain = Object.keys(answer).every((key) => key === 'allow' || key === 'reason')
    if (answer.allow && isPlain) return undefined
    if (!answer.allow) {
      return deny(
        'reason' in answer && typeof answer.reason === 'string' ? answer.reason : undefined,
      )
    }
  }
  ctx.log.warn(
    { pluginId },
    `${event} of plugin ${pluginId} answered neither a boolean nor { allow, reason }; the call is blocked`,
  )
  return deny(`${event} handler gave no valid answer`, { code: 'HOOK_BAD_ANSWER' })
}

async function runAfter(
  handlers: readonly PhaseHandler[],
  ctx: HookContext,
  outcome: Outcome,
): Promise<void> {
  const folded = foldToolName(ctx.toolName)
  const interested = handlers.filter((handler) => matches(handler, folded))
  if (interested.length === 0) return
  // As it is now: while one handler takes its time, the caller may change what the tool gave.
  const result = outcome.status === 'completed' ? asText(outcome.result) : outcome.text
  for (const handler of interested) {
    const { pluginId, event, timeoutMs } = handler
    const run = handler.run as (ctx: ToolAfterContext) => unknown
    const context: ToolAfterContext = {
      phase: 'after',
      toolName: ctx.toolName,
      arguments: ctx.argumentsJson,
      ...addKnown({}, facts(ctx)),
      result,
      durationMs: outcome.durationMs,
      failed: outcome.failed,
    }
    const settled = await callHandler(() => run(context), { timeoutMs, own: ownSignal() })
    if (settled.ok || settled.cause === 'aborted') continue
    const { cause, error } = settled
    const effect = 'the call is not affected'
    reportFault(ctx.log, { pluginId, what: event, cause, error, effect })
  }
}
