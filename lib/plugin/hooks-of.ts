import { accessOf, type Catalogue } from '../policy/catalogue.ts'
import type { AnyHook, HookContext, Outcome, ToolHook } from '../types.ts'
import { runAfterRing } from './after-ring.ts'
import { runBeforeRing } from './before-ring.ts'
import { resolveExecEnv } from './exec-env.ts'
import type { Instance } from './instance.ts'
import { phaseHook } from './phase-hook.ts'
import { handlersOf } from './registry.ts'
import { trustedHook } from './trusted.ts'

// The pipeline's own deadline is the second line: the ring always answers before it.
const MARGIN_MS = 1000

/**
 * The hooks of all plugins, in load order within each group: trusted policies, `plugin:<id>`, those of `registerHook`,
 * and one ring for `before_tool_call`, `after_tool_call` and `resolve_exec_env`.
 */
export function hooksOf(instances: readonly Instance[], tools: Catalogue): AnyHook[] {
  const registrations = instances.map((instance) => instance.registrations)
  const perPlugin = instances.flatMap(({ id, bridged, registrations: own }) => {
    const hook = bridged?.hook ?? phaseHook(id, own)
    return hook === undefined ? [] : [hook]
  })
  const ring = ringOf(instances, tools)
  return [
    ...registrations.flatMap(({ policies }) => policies).map(trustedHook),
    ...perPlugin,
    ...registrations.flatMap(({ hooks }) => hooks),
    ...(ring === undefined ? [] : [ring]),
  ]
}

function ringOf(instances: readonly Instance[], tools: Catalogue): ToolHook | undefined {
  const registrations = instances.map((instance) => instance.registrations)
  const before = handlersOf(registrations, 'before_tool_call')
  const after = handlersOf(registrations, 'after_tool_call')
  const env = handlersOf(registrations, 'resolve_exec_env')
  if (before.length + after.length + env.length === 0) return undefined
  return {
    name: 'before_tool_call',
    timeoutMs: Math.max(timeOf(before), timeOf(env)) + MARGIN_MS,
    detached: true,
    before: (ctx: HookContext) => runBeforeRing(before, ctx),
    ...(after.length > 0 && {
      after: (ctx: HookContext, outcome: Outcome) => runAfterRing(after, ctx, outcome),
    }),
    ...(env.length > 0 && {
      resolveExecEnv: (ctx: HookContext) =>
        accessOf(tools.find(ctx.toolName), ctx.params) === 'exec'
          ? resolveExecEnv(env, ctx)
          : undefined,
    }),
  }
}

/** What handlers that run one after another may take in all. */
function timeOf(handlers: ReadonlyArray<{ readonly timeoutMs: number }>): number {
  return handlers.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0)
}
