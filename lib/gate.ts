import { CallView, type Judging, NO_REWRITE, type Run } from './context.ts'
import { TIMED_OUT, withTimeout } from './deadline.ts'
import { isToolwareError, ToolwareError } from './errors.ts'
import type { Fault } from './outcome.ts'
import { sameParams, thaw } from './params.ts'
import { advance, type Entry, hookFault, isThenable, type Step, stepsOf } from './steps.ts'
import type { ApprovalAnswer, ApprovalQuestion, Params, Tool } from './types.ts'
import { Walk } from './walk.ts'

/**
 * The innermost ring: signal, re-check, approval, signal again (and the policies again, if a person was
 * waited for), then the tool, at most once. Params cannot change after that.
 *
 * @returns The tool's own promise while `run.running`; else a promise that never rejects and settles once the
 * call is; undefined when the call was settled at once.
 */
export function openGate(run: Run): PromiseLike<unknown> | undefined {
  if (run.outcome !== undefined || run.started || run.answered) return undefined
  run.gated = true
  const rare = run.rareIfAny
  const plain =
    run.rewrittenAt === NO_REWRITE &&
    run.asks === undefined &&
    run.plan.resolvers.length === 0 &&
    (rare === undefined || !(rare.response || rare.held || rare.judging))
  return plain ? startTool(run) : passGate(run)
}

/** The gate's longer way, when something has to be looked at once more. */
async function passGate(run: Run): Promise<void> {
  const { rare } = run
  if (run.rewrittenAt !== NO_REWRITE) await recheck(run, stale(run))
  if (run.outcome === undefined && run.plan.resolvers.length > 0) await resolveEnv(run)
  if (run.outcome === undefined && rare.judging !== undefined) return endJudging(run, rare.judging)
  if (run.outcome === undefined && (run.asks !== undefined || rare.held !== undefined)) {
    await approve(run)
  }
  if (run.outcome !== undefined) return
  if (rare.response !== undefined) {
    run.answered = true
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

// The policies again -----------------------------------------------------------------------------

/** The hooks whose `check` answered before the params changed. */
function stale(run: Run): readonly Entry[] {
  const entries = run.plan.entries.filter((entry) => entry.position <= run.rewrittenAt)
  return [...entries, ...(run.rare.inner ?? [])]
}

async function recheck(run: Run, entries: readonly Entry[]): Promise<void> {
  const steps = stepsOf(entries, 'check')
  run.rechecking = true
  const s = advance(run, steps, 0)
  if (run.outcome === undefined && s < steps.length) {
    await new Promise<void>((resolve) => void new Recheck(run, entries, steps, resolve).in(s))
  }
  run.rechecking = false
}

class Recheck extends Walk {
  readonly #resolve: () => void

  constructor(run: Run, entries: readonly Entry[], steps: readonly Step[], resolve: () => void) {
    super(run, entries, steps)
    this.#resolve = resolve
  }

  protected passed(): void {
    this.end()
    this.#resolve()
  }

  protected stopped(): void {
    this.passed()
  }

  protected left(): void {}
}

// Environment ------------------------------------------------------------------------------------

async function resolveEnv(run: Run): Promise<void> {
  const env: Record<string, string> = Object.create(null)
  for (const entry of run.plan.resolvers) {
    try {
      const work = entry.resolveExecEnv?.call(entry.hook, run.view)
      const given = isThenable(work) ? await orAbort(run, work) : work
      if (run.outcome !== undefined) return
      for (const [name, value] of Object.entries(given ?? {})) env[name] = value
    } catch (error) {
      run.report(entry.name, 'resolveExecEnv', error)
      return run.block(hookFault(run, 'HOOK_FAILED', entry.name, error))
    }
  }
  run.rare.execEnv = Object.freeze(env)
}

// Approval ---------------------------------------------------------------------------------------

/** Asks once, about the final params; or uses the answer that was given while the call was suspended. */
async function approve(run: Run): Promise<void> {
  const { approver } = run.settings
  const { held } = run.rare
  const question: ApprovalQuestion = {
    ctx: run.view,
    originalParams: run.original,
    askers: run.asks ?? [],
    policyVersion: run.settings.policyVersion,
  }
  if (held !== undefined) {
    if (held.edited) {
      run.replaceParams(thaw(held.approvedParams), NO_REWRITE)
      await recheck(run, everyone(run))
      if (run.outcome !== undefined) return
    }
    const now = { ctx: run.view, policyVersion: run.settings.policyVersion }
    if (!sameParams(run.params, held.approvedParams) || held.matches?.(now) === false) {
      const reason =
        'This is not what a person approved: params, place or policies have changed. Ask again.'
      run.block({ code: 'PARAMS_CHANGED_AFTER_APPROVAL', by: 'toolware', reason })
    }
    return
  }
  const by = question.askers[0]?.name ?? 'toolware'
  if (approver === undefined) {
    const reason = 'A person has to approve this call, and there is nobody who could be asked.'
    return run.block({ code: 'APPROVAL_UNAVAILABLE', by, reason })
  }
  let answer: ApprovalAnswer
  const began = run.settings.timing === 'hooks' ? performance.now() : 0
  let waited = false
  try {
    const work = approver.decide(question, run.view.signal)
    waited = isThenable(work)
    answer = (await orAbort(run, work)) as ApprovalAnswer
  } catch (error) {
    run.report(by, 'approval', error)
    return run.block(approvalFault(by, error))
  } finally {
    if (run.settings.timing === 'hooks') run.rare.waitMs += performance.now() - began
  }
  if (run.outcome !== undefined) return
  if (answer.resolution === 'pending') return run.suspend(answer.approvalId)
  if (!isAllowed(answer)) return run.block(refusal(answer, by))
  if (answer.params !== undefined) {
    const problem = run.replaceParams(answer.params, NO_REWRITE)
    if (problem !== undefined) {
      return run.block({
        code: 'BAD_ARGUMENTS',
        by: 'toolware',
        reason: `edited params: ${problem}`,
      })
    }
  }
  // While a person thought, links, clocks and limits may have changed.
  if (waited || answer.params !== undefined) await recheck(run, everyone(run))
}

function everyone(run: Run): readonly Entry[] {
  return [...run.plan.entries, ...(run.rare.inner ?? [])]
}

function approvalFault(by: string, error: unknown): Fault {
  if (isToolwareError(error)) return { code: error.code, by, reason: error.message, error }
  const reason = 'The question could not be put to a person. Try again later.'
  return { code: 'APPROVAL_UNAVAILABLE', by, reason, error }
}

type Allowed = Extract<ApprovalAnswer, { resolution: 'allow-once' | 'allow-always' }>
type Refused = Exclude<ApprovalAnswer, Allowed | { resolution: 'pending' }>

function isAllowed(answer: Allowed | Refused): answer is Allowed {
  return answer.resolution === 'allow-once' || answer.resolution === 'allow-always'
}

/** Whatever is no allow refuses, also an answer that no approver should give. */
function refusal({ resolution, reason, approvalId }: Refused, by: string): Fault {
  switch (resolution) {
    case 'deny':
      return {
        code: 'APPROVAL_DENIED',
        by,
        reason: reason ?? 'A person denied this call.',
        approvalId,
      }
    case 'timeout':
      return {
        code: 'APPROVAL_TIMEOUT',
        by,
        reason:
          reason ?? 'Nobody decided about this call in time. Ask again when somebody is there.',
        approvalId,
      }
    default:
      return {
        code: 'APPROVAL_CANCELLED',
        by,
        reason: reason ?? 'The question was withdrawn.',
        approvalId,
      }
  }
}

// The tool ---------------------------------------------------------------------------------------

/** Starts the tool. Answers its promise, or undefined when it was over at once. */
function startTool(run: Run): PromiseLike<unknown> | undefined {
  const { settings } = run
  const view = new CallView(run)
  // The tool gets params of its own; the host has vouched for its own object under `intake: 'trusted'`.
  const params = settings.intake === undefined ? run.params : thaw(run.params)
  run.started = true
  run.running = true
  let value: unknown
  try {
    value = (run.tool as Tool<Params>)(params, view)
  } catch (error) {
    run.toolFailed(error)
    return undefined
  }
  if (run.outcome !== undefined) {
    // Aborted by the tool itself.
    run.running = false
    if (isThenable(value)) quiet(value)
    return undefined
  }
  if (!isThenable(value)) {
    run.complete(value)
    return undefined
  }
  const bounded = settings.toolTimeoutMs > 0 ? limited(run, view, value) : value
  return run.facts.signal === undefined ? bounded : orAbort(run, bounded)
}

async function limited(run: Run, view: CallView, value: PromiseLike<unknown>): Promise<unknown> {
  const { toolTimeoutMs } = run.settings
  const result = await withTimeout(value, toolTimeoutMs)
  if (result !== TIMED_OUT) return result
  const reason = `the tool did not settle within ${toolTimeoutMs} ms`
  const error = new ToolwareError('TOOL_TIMEOUT', reason)
  view.void(error)
  if (run.running) run.toolFailed(error, { code: 'TOOL_TIMEOUT', by: 'tool', reason, error })
  return undefined
}

/** Waits, but not longer than the caller does. */
function orAbort(run: Run, work: unknown): Promise<unknown> {
  if (run.facts.signal === undefined) return Promise.resolve(work)
  return new Promise((resolve, reject) => {
    const waiter = { abort: (): void => resolve(undefined) }
    run.wait(waiter)
    Promise.resolve(work).then(
      (value) => {
        run.unwait(waiter)
        resolve(value)
      },
      (error: unknown) => {
        run.unwait(waiter)
        reject(error as Error)
      },
    )
  })
}

function quiet(work: PromiseLike<unknown>): void {
  Promise.resolve(work).catch(() => undefined)
}
