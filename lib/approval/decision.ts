import { canonicalJson } from '../canonical.ts'
import type { ApprovalDecision, NewParams, Params } from '../types.ts'
import { type Binding, bind, digestOf, sameDigest } from './digest.ts'
import type { Change } from './ledger.ts'
import { DECISIONS } from './question.ts'
import { type ApprovalRecord, isClaimable } from './record.ts'
import { badAnswer, notClaimable, quote, tooLate } from './refusals.ts'

/** Who decides, and with what. */
export interface ResolveOptions {
  /** Who decided, as the host has verified it; kept with the approval and with grants. */
  readonly by?: string | undefined
  /** Other params for the call; policies judge them again. Only where the prompt says `editable`. */
  readonly params?: Readonly<NewParams> | undefined
  /** Why; the model reads it when the decision is `deny`. */
  readonly reason?: string | undefined
}

/** What an answer did. */
export interface Resolved {
  readonly record: ApprovalRecord
  /** True when the same decision was made before: nothing changed. */
  readonly repeated: boolean
}

/** What a person answered, checked for form. */
export interface Decision {
  readonly chosen: ApprovalDecision
  readonly params: Params | undefined
  readonly by: string | undefined
  readonly reason: string | undefined
}

/** @throws {ToolwareError} `BAD_ARGUMENTS` for a word that is no decision. */
export function parseDecision(id: string, decision: string): ApprovalDecision {
  const chosen = DECISIONS.find((known) => known === decision)
  if (chosen !== undefined) return chosen
  throw badAnswer(id, `${quote(decision)} is no decision; use one of ${DECISIONS.join(', ')}`)
}

/** What a decision makes of a record: a change, undefined for a repeat, or a refusal that is thrown. */
export function applyDecision(
  record: ApprovalRecord,
  decision: Decision,
  now: number,
): Change | undefined {
  const { chosen, params, by, reason } = decision
  if (isRepeat(record, chosen, params)) return undefined
  if (record.status !== 'pending') throw tooLate(record)
  if (record.expiresAt <= now) return expire(now)
  const { decisions, editable } = record.prompt
  if (!decisions.includes(chosen)) {
    const offered = decisions.join(', ')
    throw badAnswer(
      record.id,
      `${chosen} is not offered for this approval; use one of ${offered}`,
      {
        allowedDecisions: decisions,
      },
    )
  }
  if (params !== undefined && (!editable || chosen === 'deny')) {
    const why = editable ? 'a deny takes no params' : 'the params of this call cannot be edited'
    throw badAnswer(record.id, `${why}; answer without params`)
  }
  return {
    status: chosen,
    resolvedAt: now,
    resolvedBy: by,
    reason,
    ...(params !== undefined && !sameData(params, record.params) && edit(record, params)),
  }
}

/** What taking the allow of a deferred call makes of its record, or the refusal that is thrown. */
export function applyClaim(record: ApprovalRecord, useWithinMs: number, now: number): Change {
  if (record.status === 'pending' && record.expiresAt <= now) return expire(now)
  if (!isClaimable(record)) throw notClaimable(record)
  return now - (record.resolvedAt ?? now) > useWithinMs ? { lapsedAt: now } : { usedAt: now }
}

/** What time or a withdrawal makes of a record: an allow that nobody took lapses, other settled ones stay. */
export function applyWithdrawal(
  record: ApprovalRecord,
  status: 'timeout' | 'cancelled',
  reason: string | undefined,
  now: number,
): Change | undefined {
  if (isClaimable(record)) return { lapsedAt: now }
  if (record.status !== 'pending') return undefined
  return { status, resolvedAt: now, resolvedBy: 'system', reason }
}

/** What `allow-always` for this record covers: the binding with the params that were approved. */
export function bindingOf(record: ApprovalRecord): Binding {
  const { call, execEnv, params, base, policyVersion } = record
  return bind({ ...call, execEnv }, params, base, policyVersion)
}

function expire(now: number): Change {
  return { status: 'timeout', resolvedAt: now, resolvedBy: 'system' }
}

/** Whether what was put to the person is what is true on disk now: a link may have been turned meanwhile. */
export function stillHolds(record: ApprovalRecord): boolean {
  return sameDigest(digestOf(bindingOf(record)), record.digest)
}

function edit(record: ApprovalRecord, params: Params): Change {
  // With the digest of the params before, the call is blocked when it goes on.
  if (!stillHolds(record)) return { params, edited: true }
  return { params, edited: true, digest: digestOf(bindingOf({ ...record, params })) }
}

function isRepeat(
  record: ApprovalRecord,
  chosen: ApprovalDecision,
  params: Params | undefined,
): boolean {
  return record.status === chosen && (params === undefined || sameData(params, record.params))
}

function sameData(a: Params, b: Params): boolean {
  return canonicalJson(a) === canonicalJson(b)
}
