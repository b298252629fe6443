import type { ErrorCode } from './code.ts'

interface OutcomeBase {
  /** Whether the tool was started. */
  readonly executed: boolean
  /** What the model should read. */
  readonly text: string
  /** A separate text for the person, where there is one. */
  readonly notice?: string | undefined
  /** From arrival to now, in milliseconds; 0 with `timing: false`. */
  readonly durationMs: number
  /** Time spent inside hooks; with `timing: 'hooks'` only. */
  readonly hookMs?: number | undefined
  /** Time spent waiting for people, where one was asked; not with `timing: false`. */
  readonly waitMs?: number | undefined
}

/** The tool ran, or was answered for (`executed: false`). */
export interface CompletedOutcome<R = unknown> extends OutcomeBase {
  readonly status: 'completed'
  readonly failed: false
  readonly result: R
  /** The middleware that answered for a failed tool, and the tool's own error. */
  readonly recovered?: string | undefined
  readonly toolError?: unknown
}

interface Unsuccessful extends OutcomeBase {
  readonly failed: true
  /** Why, for programs: one heading each in `docs/errors.md`. */
  readonly code: ErrorCode
  /** The hook's name, `middleware#i`, `tool` or `toolware`. */
  readonly by: string
  /** The rule that spoke, such as `workspaceOnly`. */
  readonly rule?: string | undefined
  /** Why, for the model. */
  readonly reason?: string | undefined
  /** When the same call can pass, from now. */
  readonly retryAfterMs?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** The tool threw or timed out, or something after it withheld its result. */
export interface FailedOutcome extends Unsuccessful {
  readonly status: 'failed'
  readonly error: unknown
}

/** The tool was not started, because someone or something said no. */
export interface BlockedOutcome extends Unsuccessful {
  readonly status: 'blocked'
  readonly approvalId?: string | undefined
}

/** The caller gave the call up. `executed` says whether the tool had started. */
export interface AbortedOutcome extends Unsuccessful {
  readonly status: 'aborted'
  readonly error: unknown
}

/** A person has to decide first; `app.resume(approvalId, tool)` carries on. */
export interface PendingOutcome extends OutcomeBase {
  readonly status: 'pending'
  readonly failed: false
  readonly approvalId: string
}

/** What became of a call; `status` tells the cases apart. */
export type Outcome<R = unknown> =
  | CompletedOutcome<R>
  | FailedOutcome
  | BlockedOutcome
  | AbortedOutcome
  | PendingOutcome
