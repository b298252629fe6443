import { faultText } from '../fault-text.ts'
import type { Answer, AskVerdict, DenyVerdict, HookContext, MaybePromise } from '../types.ts'
import { ask, deny, rewrite, tellResolution } from '../verdict.ts'
import { askRequest, readDecision } from './decision.ts'
import { beforeEvent, toolContext } from './event.ts'
import { reportFault } from './fault.ts'
import { callHandler, ownSignal, type Settled } from './handler.ts'
import { foldToolName } from './matcher.ts'
import { type Handler, matches } from './registry.ts'

const FAILED = 'Tool call blocked because before_tool_call hook failed'

type BeforeHandler = Handler<'before_tool_call'>

/** Where the ring stands while its handlers run, one after another. */
interface Progress {
  readonly ctx: HookContext
  readonly folded: string
  /** What was returned so far, key by key; a snapshot that nobody else holds. */
  params: Record<string, unknown> | undefined
  asked: AskVerdict | undefined
}

/**
 * P1: runs the `before_tool_call` handlers of all plugins, in the given order, as the `before` of one hook.
 *
 * Every handler sees the params as they entered the ring. Stays synchronous until a handler does not.
 */
export function runBeforeRing(
  handlers: readonly BeforeHandler[],
  ctx: HookContext,
): MaybePromise<Answer> {
  const progress: Progress = {
    ctx,
    folded: foldToolName(ctx.toolName),
    params: undefined,
    asked: undefined,
  }
  return runFrom(handlers, 0, progress)
}

function runFrom(
  handlers: readonly BeforeHandler[],
  start: number,
  progress: Progress,
): MaybePromise<Answer> {
  for (let index = start; index < handlers.length; index++) {
    const handler = handlers[index]
    if (handler === undefined || !matches(handler, progress.folded)) continue
    const settled = call(handler, progress.ctx)
    if (settled instanceof Promise) {
      return settled.then((value) => {
        const denied = take(handler, value, progress)
        return denied ? ended(denied, progress) : runFrom(handlers, index + 1, progress)
      })
    }
    const denied = take(handler, settled as Settled<unknown>, progress)
    if (denied) return ended(denied, progress)
  }
  const { ctx, params, asked } = progress
  return params ? rewrite({ ...ctx.params, ...params }, asked) : asked
}

/** A question that was raised in the ring before is over: nobody will be asked. */
function ended(denied: DenyVerdict, { ctx, asked }: Progress): DenyVerdict {
  if (asked && !ctx.judging) {
    tellResolution(asked.request, 'cancelled', (error) =>
      ctx.log.error({ hook: asked.request.asker, err: error }, 'onResolution failed'),
    )
  }
  return denied
}

function call(handler: BeforeHandler, ctx: HookContext): MaybePromise<Settled<unknown>> {
  const callSignal = (): AbortSignal => ctx.signal
  const own = ownSignal(callSignal)
  const event = beforeEvent(ctx)
  const { timeoutMs } = handler
  return callHandler<unknown>(() => handler.run(event, toolContext(ctx, own)), {
    timeoutMs,
    callSignal,
    own,
  })
}

/** Takes an answer in; returns the deny that ends the ring, if there is one. */
function take(
  handler: BeforeHandler,
  settled: Settled<unknown>,
  progress: Progress,
): DenyVerdict | undefined {
  const { pluginId } = handler
  if (!settled.ok) {
    // The call was given up: the pipeline has settled it, and this answer reaches nobody.
    if (settled.cause === 'aborted') return deny('the call was aborted', { code: 'ABORTED' })
    return failure(handler, settled.cause, settled.error, progress.ctx)
  }
  const decision = readDecision(settled.value)
  switch (decision.kind) {
    case 'none':
      return undefined
    case 'block':
      return deny(decision.reason ?? 'Tool call blocked by plugin hook', {
        ...by(pluginId),
        notice: decision.notice,
      })
    case 'bad':
      return badAnswer(pluginId, decision.problem, progress.ctx)
    case 'act':
      // The first question freezes what was chosen so far: later handlers may block, not change.
      if (progress.asked) return undefined
      try {
        if (decision.params) {
          progress.params = { ...progress.params, ...structuredClone(decision.params) }
        }
        if (decision.approval)
          progress.asked = ask(askRequest(`plugin:${pluginId}`, decision.approval))
        return undefined
      } catch (error) {
        return badAnswer(
          pluginId,
          `gave an answer that cannot be used: ${faultText(error)}`,
          progress.ctx,
        )
      }
  }
}

const by = (pluginId: string) => ({ rule: `plugin:${pluginId}`, details: { pluginId } })

function badAnswer(pluginId: string, problem: string, ctx: HookContext): DenyVerdict {
  ctx.log.warn(
    { pluginId },
    `before_tool_call of plugin ${pluginId} ${problem}; the call is blocked`,
  )
  return deny(FAILED, { code: 'HOOK_BAD_ANSWER', ...by(pluginId) })
}

function failure(
  { pluginId, failOpen }: BeforeHandler,
  cause: 'error' | 'timeout',
  error: unknown,
  ctx: HookContext,
): DenyVerdict | undefined {
  const open = failOpen.includes(cause)
  const effect = open ? 'the call goes on without it, as failOpen says' : 'the call is blocked'
  reportFault(ctx.log, { pluginId, what: 'before_tool_call', cause, error, effect })
  const code = cause === 'timeout' ? 'HOOK_TIMEOUT' : 'HOOK_FAILED'
  return open ? undefined : deny(FAILED, { code, ...by(pluginId) })
}
