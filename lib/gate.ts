import { approve } from './approve.ts'
import type { Run } from './context.ts'
import { TIMED_OUT, withTimeout } from './deadline.ts'
import { ToolwareError } from './errors.ts'
import { thaw } from './params.ts'
import { type Judging, NO_REWRITE, type Rare } from './rare.ts'
import { recheck, stale } from './recheck.ts'
import { isThenable } from './settled.ts'
import { abandon, type Entry, hookFault } from './steps.ts'
import type { Params, Tool } from './types.ts'
import { View } from './view.ts'
import { orAbort } from './wait.ts'
import { handlerLate } from './walk.ts'

/**
 * The innermost ring: signal, re-check, approval, signal again (and the policies again, if a person was
 * waited for), then the tool, at most once. Params cannot change after that.
 *
 * @returns The tool's own promise while `run.running`; else a promise that never rejects and settles once the
 * call is; undefined when the call was settled at once.
 */
export function openGate(run: Run): PromiseLike<unknown> | undefined {
  if (run.outcome !== undefined || run.ran) return undefined
  run.gated = true
  const isPlain =
    run.plan.resolvers.length === 0 && (run.rareIfAny === undefined || !needsCare(run.rareIfAny))
  return isPlain ? startTool(run) : passGate(run).catch((error: unknown) => closeGate(run, error))
}

/** Something was changed, asked or answered on the way in, or nothing is to be executed. */
function needsCare({ rewrittenAt, asks, response, held, judging }: Rare): boolean {
  return rewrittenAt !== NO_REWRITE || (asks ?? response ?? held ?? judging) !== undefined
}

/** What looked at the call threw, such as a store of approvals: the tool does not run. */
function closeGate(run: Run, error: unknown): void {
  run.report('toolware', 'gate', error)
  run.block(hookFault(run, 'HOOK_FAILED', 'toolware', error))
}

/** The gate's longer way, when something has to be looked at once more. */
async function passGate(run: Run): Promise<void> {
  const { rare } = run
  if (rare.rewrittenAt !== NO_REWRITE) await recheck(run, stale(run))
  if (run.outcome === undefined && run.plan.resolvers.length > 0) await resolveEnv(run)
  if (run.outcome === undefined && rare.judging !== undefined) return endJudging(run, rare.judging)
  if (run.outcome === undefined && (rare.asks !== undefined || rare.held !== undefined)) {
    await approve(run)
  }
  if (run.outcome !== undefined) return
  if (rare.response !== undefined) {
    rare.answered = true
    run.complete(rare.response.value)
    return
  }
  const pending = startTool(run)
  if (pending === undefined) return
  try {
    const value = await pending
    if (run.running) run.complete(value)
  } catch (error) {
    if (run.running) run.toolFailed(error)
  }
}

/** Nothing more is done for `explain` and `check`; the call counts as not run, or keeps what it reserved. */
function endJudging(run: Run, judging: Judging): void {
  judging.passed = true
  if (judging.keep) run.suspend('')
  else run.block({ code: 'ABORTED', by: 'toolware', reason: 'Judged only; nothing was executed.' })
}

async function resolveEnv(run: Run): Promise<void> {
  const env: Record<string, string> = Object.create(null)
  for (const entry of run.plan.resolvers) {
    try {
      const work = entry.resolveExecEnv?.call(entry.hook, run.view)
      const limit = entry.timeoutMs ?? run.settings.beforeTimeoutMs
      const given = isThenable(work) ? await withTimeout(orAbort(run, work), limit) : work
      if (run.outcome !== undefined) return
      if (given === TIMED_OUT) return envIsLate(run, entry, limit)
      for (const [name, value] of Object.entries(given ?? {})) env[name] = value
    } catch (error) {
      run.report(entry.name, 'resolveExecEnv', error)
      return run.block(hookFault(run, 'HOOK_FAILED', entry.name, error))
    }
  }
  run.rare.execEnv = Object.freeze(env)
}

/** Without the environment it was to have, the tool does not run. */
function envIsLate(run: Run, { name }: Entry, limit: number): void {
  const late = handlerLate(name, 'resolveExecEnv', limit)
  run.renewView(late)
  run.report(name, 'resolveExecEnv', late)
  run.block(hookFault(run, 'HOOK_TIMEOUT', name, late))
}

/** The tool of a call that nobody else sees: what it throws, and what it answers, is the caller's as it is. */
export function startUnseen(run: Run): unknown {
  const params = run.settings.intake === undefined ? run.params : thaw(run.params)
  return (run.tool as Tool<Params>)(params, run.view)
}

/** Starts the tool. Answers its promise, or undefined when it was over at once. */
function startTool(run: Run): PromiseLike<unknown> | undefined {
  const { settings } = run
  const view = run.view.touched ? new View(run) : run.view
  // The tool gets params of its own; the host has vouched for its own object under `intake: 'trusted'`.
  const params = settings.intake === undefined ? run.params : thaw(run.params)
  run.started = true
  run.running = true
  let pending: PromiseLike<unknown>
  try {
    const value = (run.tool as Tool<Params>)(params, view)
    if (!isThenable(value)) {
      // Aborted by the tool itself, or done.
      if (run.outcome === undefined) run.complete(value)
      return undefined
    }
    pending = value
  } catch (error) {
    run.toolFailed(error)
    return undefined
  }
  if (run.outcome !== undefined) {
    abandon(pending)
    return undefined
  }
  const bounded = settings.toolTimeoutMs > 0 ? limited(run, view, pending) : pending
  return run.facts.signal === undefined ? bounded : orAbort(run, bounded)
}

async function limited(run: Run, view: View, value: PromiseLike<unknown>): Promise<unknown> {
  const { toolTimeoutMs } = run.settings
  const result = await withTimeout(value, toolTimeoutMs)
  if (result !== TIMED_OUT) return result
  const reason = `the tool did not settle within ${toolTimeoutMs} ms`
  const error = new ToolwareError('TOOL_TIMEOUT', reason)
  view.void(error)
  if (run.running) run.toolFailed(error, { code: 'TOOL_TIMEOUT', by: 'tool', reason, error })
  return undefined
}
