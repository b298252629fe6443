import type { Run } from './context.ts'
import { isToolwareError, ToolwareError } from './errors.ts'
import type { Fault } from './outcome.ts'
import { sameParams, thaw } from './params.ts'
import { type Asked, NO_REWRITE, sameAsker } from './rare.ts'
import { everyone, recheck } from './recheck.ts'
import { isThenable } from './settled.ts'
import type { ApprovalAnswer, HeldCall } from './types.ts'
import { orAbort } from './wait.ts'

/** Puts the question to a person, or uses the answer that was given while the call was suspended. */
export async function approve(run: Run): Promise<void> {
  const { held } = run.rare
  if (held !== undefined) return useAnswer(run, held)
  const covered: Asked[] = []
  // Once, unless somebody who had not asked does so when the policies look again: then about that, too.
  while (run.outcome === undefined) {
    const askers = (run.asks ?? []).filter(
      (asked) => !covered.some((other) => sameAsker(asked, other)),
    )
    if (askers.length === 0) return
    covered.push(...askers)
    await askPerson(run, askers)
  }
}

async function askPerson(run: Run, askers: readonly Asked[]): Promise<void> {
  const { approver, policyVersion, suspended, readsClock } = run.settings
  const by = askers[0]?.name ?? 'toolware'
  if (approver === undefined) {
    const reason = 'A person has to approve this call, and there is nobody who could be asked.'
    return run.block({ code: 'APPROVAL_UNAVAILABLE', by, reason })
  }
  const began = readsClock ? performance.now() : 0
  const question = { ctx: run.view, originalParams: run.original, askers, policyVersion }
  let waited = false
  let answer: ApprovalAnswer | undefined
  // Before it is known that the call is suspended, it may be refused already.
  suspended.add(run.id)
  try {
    const work = approver.decide(question, run.view.signal)
    run.rare.put = true
    waited = isThenable(work)
    answer = (await orAbort(run, work)) as ApprovalAnswer | undefined
    if (run.outcome !== undefined) return
    if (typeof answer !== 'object' || answer === null) {
      throw new ToolwareError(
        'APPROVAL_UNAVAILABLE',
        'The approver gave no answer. Try again later.',
      )
    }
  } catch (error) {
    run.rare.put = false
    run.report(by, 'approval', error)
    return run.block(approvalFault(by, error))
  } finally {
    if (answer?.resolution !== 'pending') suspended.delete(run.id)
    if (readsClock) run.rare.waitMs += performance.now() - began
  }
  if (answer.resolution === 'pending') return run.suspend(answer.approvalId)
  if (!isAllowed(answer)) {
    const { resolution, reason, approvalId } = answer
    return run.block(refusal(resolution, by, reason, approvalId))
  }
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

/** Lets exactly what was approved pass: the same params, asked for by nobody else, under the same circumstances. */
async function useAnswer(run: Run, held: HeldCall): Promise<void> {
  run.rare.put = true
  if (held.edited) {
    run.replaceParams(thaw(held.approvedParams), NO_REWRITE)
    await recheck(run, everyone(run))
    if (run.outcome !== undefined) return
  }
  const now = { ctx: run.view, policyVersion: run.settings.policyVersion }
  const asksAnew = newAsker(run.asks ?? [], held.askers)
  if (
    asksAnew !== undefined ||
    !sameParams(run.params, held.approvedParams) ||
    held.matches?.(now) === false
  ) {
    const what =
      asksAnew === undefined
        ? 'params, place or policies have changed'
        : `${asksAnew.name} asks as well now`
    const reason = `This is not what a person approved: ${what}. Make the call again.`
    run.block({ code: 'PARAMS_CHANGED_AFTER_APPROVAL', by: 'toolware', reason })
  }
}

/**
 * Who asks now and had not asked the person. All that is known of those who had are their names, which need not be
 * unique: of two who share one, a name that was kept once stands for one.
 */
function newAsker(asks: readonly Asked[], names: readonly string[]): Asked | undefined {
  const left = [...names]
  return asks.find((asked, index) => {
    if (asks.findIndex((other) => sameAsker(other, asked)) < index) return false
    const at = left.indexOf(asked.name)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
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
export function refusal(
  resolution: string,
  by = 'toolware',
  reason?: string,
  approvalId?: string,
): Fault {
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
