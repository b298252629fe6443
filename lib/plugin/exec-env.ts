import { filterExecEnv } from '../policy/env.ts'
import type { CallContext } from '../types.ts'
import { addKnown, toolContext } from './event.ts'
import { reportFault } from './fault.ts'
import { callHandler, ownSignal } from './handler.ts'
import type { Handler } from './registry.ts'

/**
 * P4: asks the `resolve_exec_env` handlers, one after another, merges what they give (later keys win) and filters it.
 * A failing handler is left out with a warning.
 *
 * @returns undefined when nothing is left.
 */
export async function resolveExecEnv(
  handlers: ReadonlyArray<Handler<'resolve_exec_env'>>,
  ctx: CallContext,
): Promise<Readonly<Record<string, string>> | undefined> {
  // No prototype, so that no key can reach one.
  const merged: Record<string, unknown> = Object.create(null)
  for (const handler of handlers) Object.assign(merged, await ask(handler, ctx))
  if (Object.keys(merged).length === 0) return undefined
  const { env, dropped } = filterExecEnv(merged, { source: 'plugin' })
  if (dropped.length > 0) {
    ctx.log.warn(
      { dropped },
      `resolve_exec_env: left out ${dropped.map(({ name, reason }) => `${name} (${reason})`).join(', ')}`,
    )
  }
  return Object.keys(env).length > 0 ? env : undefined
}

async function ask(
  handler: Handler<'resolve_exec_env'>,
  ctx: CallContext,
): Promise<Record<string, unknown> | undefined> {
  const { pluginId, timeoutMs } = handler
  const callSignal = (): AbortSignal => ctx.signal
  const own = ownSignal(callSignal)
  const { sessionKey, execHost: host } = ctx
  const event = addKnown({ toolName: 'exec' as const }, { sessionKey, host })
  const settled = await callHandler<unknown>(() => handler.run(event, toolContext(ctx, own)), {
    timeoutMs,
    callSignal,
    own,
  })
  const fail = (error: unknown, cause: 'error' | 'timeout' = 'error'): undefined => {
    const effect = 'its variables are left out'
    reportFault(ctx.log, { pluginId, what: 'resolve_exec_env', cause, error, effect })
  }
  if (!settled.ok) {
    return settled.cause === 'aborted' ? undefined : fail(settled.error, settled.cause)
  }
  const env = settled.value
  if (env === undefined || env === null) return undefined
  try {
    // A map has no properties, so its variables would be lost in silence.
    if (typeof env !== 'object' || Symbol.iterator in env) {
      throw new TypeError('answered with something that is no object of texts')
    }
    return { ...env }
  } catch (error) {
    return fail(error)
  }
}
