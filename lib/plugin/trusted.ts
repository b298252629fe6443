import { faultText } from '../fault-text.ts'
import type {
  Answer,
  DenyOptions,
  DenyVerdict,
  HookContext,
  MaybePromise,
  ToolHook,
} from '../types.ts'
import { askFixing, deny, rewrite } from '../verdict.ts'
import { askRequest, readDecision } from './decision.ts'
import { beforeEvent, toolContext } from './event.ts'
import { reportFault } from './fault.ts'
import { callHandler, ownSignal, type Settled } from './handler.ts'
import { foldToolName } from './matcher.ts'
import { matches, type Policy } from './registry.ts'

const CHANGED = 'Tool call parameters changed after trusted approval'

/**
 * P2: one trusted policy as a hook of its own, so that its `params` replace, chain to later policies, and every
 * policy has its own line in `explain`.
 */
export function trustedHook(registered: Policy): ToolHook {
  const { pluginId, policy, timeoutMs } = registered
  const before = (ctx: HookContext): MaybePromise<Answer> => {
    if (!matches(registered, foldToolName(ctx.toolName))) return undefined
    const callSignal = (): AbortSignal => ctx.signal
    const own = ownSignal(callSignal)
    const event = beforeEvent(ctx)
    const settled = callHandler<unknown>(() => policy.evaluate(event, toolContext(ctx, own)), {
      timeoutMs,
      callSignal,
      own,
    })
    if (settled instanceof Promise) return settled.then((value) => verdict(registered, value, ctx))
    return verdict(registered, settled as Settled<unknown>, ctx)
  }
  // The pipeline's own deadline is the second line: this hook always answers before it.
  return { name: `policy:${pluginId}/${policy.id}`, timeoutMs: timeoutMs + 1000, before }
}

function verdict(registered: Policy, settled: Settled<unknown>, ctx: HookContext): Answer {
  const { pluginId, policy } = registered
  if (!settled.ok) {
    if (settled.cause === 'aborted') return deny('the call was aborted', { code: 'ABORTED' })
    const { cause, error } = settled
    reportFault(ctx.log, {
      pluginId,
      what: `trusted policy ${policy.id}`,
      cause,
      error,
      effect: 'the call is blocked',
    })
    const code = cause === 'timeout' ? 'HOOK_TIMEOUT' : 'HOOK_FAILED'
    return blocked(registered, `blocked by ${policy.id}: policy evaluation failed`, { code })
  }
  const decision = readDecision(settled.value)
  switch (decision.kind) {
    case 'none':
      return undefined
    case 'block':
      return blocked(registered, decision.reason ?? `blocked by ${policy.id}`, {
        notice: decision.notice,
      })
    case 'bad':
      return unreadable(registered, decision.problem, ctx)
    case 'act':
      try {
        const { params, approval } = decision
        // The hook's own name says which policy of which plugin asks.
        const asked = approval && askFixing(askRequest(undefined, approval), CHANGED)
        return params ? rewrite(params, asked) : asked
      } catch (error) {
        return unreadable(
          registered,
          `gave an answer that cannot be used: ${faultText(error)}`,
          ctx,
        )
      }
  }
}

function blocked(
  { pluginId, policy }: Policy,
  reason: string,
  options: Pick<DenyOptions, 'code' | 'notice'>,
): DenyVerdict {
  const rule = `plugin:${pluginId}/${policy.id}`
  return deny(reason, { ...options, rule, details: { pluginId, policyId: policy.id } })
}

function unreadable(registered: Policy, problem: string, ctx: HookContext): DenyVerdict {
  const { pluginId, policy } = registered
  ctx.log.warn(
    { pluginId, policyId: policy.id },
    `trusted policy ${policy.id} of plugin ${pluginId} ${problem}; the call is blocked`,
  )
  const reason = `blocked by ${policy.id}: policy decision is unreadable`
  return blocked(registered, reason, { code: 'HOOK_BAD_ANSWER' })
}
