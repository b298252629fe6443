import type { ApprovalDecision, ApprovalResolution, Params, Severity, ToolCall } from '../types.ts'
import type { ShownParams } from './prompt.ts'

/** How the call waits: `hold` keeps it waiting, `defer` answers `pending` and keeps it for `app.resume`. */
export type ApprovalMode = 'hold' | 'defer'

/** What a person is shown. Every text in it is safe to print and bounded. */
export interface ApprovalPrompt {
  readonly title: string
  readonly description: string | undefined
  readonly severity: Severity
  readonly askers: ReadonlyArray<{
    readonly name: string
    readonly title: string
    readonly description: string | undefined
  }>
  readonly toolName: string
  /** What the tool would get. */
  readonly params: ShownParams
  /** What the model had asked for, when hooks changed it since. */
  readonly originalParams: ShownParams | undefined
  readonly execEnv: ShownParams | undefined
  readonly workingDirectory: string
  /** What the person may answer. */
  readonly decisions: readonly ApprovalDecision[]
  /** Whether the answer may carry other params. */
  readonly editable: boolean
  /** What `allow-always` would be remembered under, one text an asker; nothing when it is not offered. */
  readonly remembered: readonly string[]
}

/** Who asked, and the scope it wants `allow-always` remembered under. */
export interface RecordedAsker {
  readonly name: string
  readonly scope: string | undefined
}

/** One question and what became of it: JSON-safe, immutable, and all a store has to keep. */
export interface ApprovalRecord {
  readonly id: string
  /** Counts up by one with every change; a store saves a record only over the version before it. */
  readonly version: number
  readonly mode: ApprovalMode
  /** `pending` until somebody or something settles it, once. */
  readonly status: 'pending' | ApprovalResolution
  readonly prompt: ApprovalPrompt
  readonly askers: readonly RecordedAsker[]
  /** The call's own id. */
  readonly callId: string
  /** The call as it arrived, without its signal. */
  readonly call: ToolCall
  /** The final params, or those the person put in their place. */
  readonly params: Params
  readonly edited: boolean
  readonly execEnv: Readonly<Record<string, string>> | undefined
  /** Where the call works when its params name no directory, as given, links not resolved. */
  readonly base: string
  readonly policyVersion: string | undefined
  readonly digest: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** When the question is withdrawn if nobody has answered. */
  readonly expiresAt: number
  readonly resolvedAt?: number | undefined
  /** Who decided, as the host named them; `system` for timeouts and withdrawals. */
  readonly resolvedBy?: string | undefined
  readonly reason?: string | undefined
  /** When the allowed call took it. An approval is used once. */
  readonly usedAt?: number | undefined
  /** When the allow of a deferred call was given up, because nobody used it in time. */
  readonly lapsedAt?: number | undefined
}

/** A remembered `allow-always`. */
export interface Grant {
  readonly id: string
  /** Digest of what it covers. */
  readonly key: string
  readonly asker: string
  readonly agentId: string | undefined
  readonly toolName: string
  /** What it covers, in words. */
  readonly covers: string
  /** The approval it comes from, and who gave it. */
  readonly approvalId: string
  readonly grantedBy: string | undefined
  readonly createdAt: number
  readonly expiresAt: number
}

/** True for a record that lets its call through. */
export function isAllowed(record: ApprovalRecord): boolean {
  return record.status === 'allow-once' || record.status === 'allow-always'
}

/** True for a deferred call that may still be claimed. */
export function isClaimable(record: ApprovalRecord): boolean {
  const { mode, usedAt, lapsedAt } = record
  return mode === 'defer' && isAllowed(record) && usedAt === undefined && lapsedAt === undefined
}

/** True for a deferred call that will never run. */
export function isRefused({ mode, status, lapsedAt }: ApprovalRecord): boolean {
  if (mode !== 'defer') return false
  return lapsedAt !== undefined || ['deny', 'timeout', 'cancelled'].includes(status)
}
