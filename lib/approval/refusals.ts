import { ToolwareError } from '../errors.ts'
import type { ErrorCode } from '../types.ts'
import { safeText } from './prompt.ts'
import { type ApprovalRecord, isAllowed } from './record.ts'

/** Why an answer or a claim comes to nothing. Every case has its own code, so that a stale click can say what it met. */
export function notFound(id: string, durable: boolean): ToolwareError {
  const kept = durable ? '' : ' or asked before this process started (approvals are kept in memory)'
  return refuse(
    'APPROVAL_NOT_FOUND',
    id,
    `there is no approval ${quote(id)}; it may be mistyped, long settled${kept}. Nothing was run; the call has to be made again`,
  )
}

/** Why a person's answer to a settled question does not count. */
export function tooLate(record: ApprovalRecord): ToolwareError {
  const { id, status, resolvedBy } = record
  const by = resolvedBy === undefined ? '' : ` by ${safeText(resolvedBy, 80).text}`
  switch (status) {
    case 'timeout':
      return refuse(
        'APPROVAL_EXPIRED',
        id,
        `approval ${id} ran out before an answer came; the call was blocked`,
      )
    case 'cancelled':
      return refuse('APPROVAL_CANCELLED', id, `approval ${id} was withdrawn; the call did not run`)
    default:
      return refuse(
        'APPROVAL_RESOLVED',
        id,
        `approval ${id} was answered${by} before, with ${status}`,
      )
  }
}

/** Why a call cannot be claimed for `app.resume`. */
export function notClaimable(record: ApprovalRecord): ToolwareError {
  const { id, mode, status, usedAt } = record
  if (mode === 'hold' && (status === 'pending' || isAllowed(record))) {
    return refuse(
      'APPROVAL_RESOLVED',
      id,
      `approval ${id} belongs to the call that waits for it; do not resume it`,
    )
  }
  if (usedAt !== undefined) {
    return refuse(
      'APPROVAL_RESOLVED',
      id,
      `approval ${id} was used before; an approval counts once`,
    )
  }
  switch (status) {
    case 'pending':
      return refuse(
        'APPROVAL_UNAVAILABLE',
        id,
        `approval ${id} is not decided yet; resume the call once it is`,
      )
    case 'deny':
      return refuse('APPROVAL_DENIED', id, record.reason ?? 'a person said no')
    case 'timeout':
      return refuse('APPROVAL_TIMEOUT', id, 'nobody decided in time')
    case 'cancelled':
      return refuse('APPROVAL_CANCELLED', id, record.reason ?? 'the question was withdrawn')
    default:
      return refuse(
        'APPROVAL_EXPIRED',
        id,
        `approval ${id} was given too long ago; the call has to be made again`,
      )
  }
}

export function badAnswer(id: string, problem: string, details: object = {}): ToolwareError {
  return new ToolwareError('BAD_ARGUMENTS', problem, { details: { approvalId: id, ...details } })
}

export function quote(value: unknown): string {
  if (typeof value === 'string') return `"${safeText(value, 80).text}"`
  if (value === undefined || value === null) return String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function refuse(code: ErrorCode, id: string, message: string): ToolwareError {
  // The id may come from a request that has none.
  return new ToolwareError(code, message, { details: { approvalId: safeText(`${id}`, 80).text } })
}
