import type { NewParams } from './call.ts'
import type { ErrorCode } from './code.ts'

/** Details of a deny. */
export interface DenyOptions {
  /** Stable code; `DENIED` unless given. */
  readonly code?: ErrorCode | undefined
  /** The rule that spoke, such as `forbiddenPathGlobs: **\/.env`. */
  readonly rule?: string | undefined
  /** A separate text for the person. */
  readonly notice?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** JSON-safe facts for machines, such as the argument and the value in short form. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Made by `deny(...)`. */
export interface DenyVerdict extends DenyOptions {
  readonly kind: 'deny'
  readonly reason: string | undefined
}

/** What a person can decide. */
export type ApprovalDecision = 'allow-once' | 'allow-always' | 'deny'
/** How a question ended: decided, out of time, or withdrawn. */
export type ApprovalResolution = ApprovalDecision | 'timeout' | 'cancelled'
/** How much is at stake. */
export type Severity = 'info' | 'warning' | 'critical'

/** A question to a person, asked once, at the gate, about the final params. */
export interface AskRequest {
  /** At most 80 characters; longer ones lose their middle. */
  readonly title: string
  /** At most 512 characters; longer ones lose their middle. */
  readonly description?: string | undefined
  /** Default `warning`. */
  readonly severity?: Severity | undefined
  /** How long to wait for a decision. Default 120 000, at most 600 000. */
  readonly timeoutMs?: number | undefined
  /** `deny` is always possible, named or not. */
  readonly allowedDecisions?: readonly ApprovalDecision[] | undefined
  /** What `allow-always` is remembered under, instead of tool and params; always within this asker and agent. */
  readonly scope?: string | undefined
  /** Lets the person change the params; policies judge them again. */
  readonly editable?: boolean | undefined
  /** Stands as the asker in place of the hook's name, where one hook asks for several: `plugin:<id>`. */
  readonly asker?: string | undefined
  /** Called once with what came of it. Not awaited; what it throws is reported. */
  readonly onResolution?: ((resolution: ApprovalResolution) => unknown) | undefined
}

/** Made by `ask(...)`. */
export interface AskVerdict {
  readonly kind: 'ask'
  readonly request: AskRequest
}

/** Made by `rewrite(...)`, with an ask about the new params if wanted. */
export interface RewriteVerdict {
  readonly kind: 'rewrite'
  readonly params: NewParams
  readonly ask: AskVerdict | undefined
}

/** What `deny`, `ask` and `rewrite` make. */
export type Verdict = DenyVerdict | AskVerdict | RewriteVerdict

/** What `check` may answer: `false` and `deny()` deny; `true` and `null` are no opinion. */
export type Opinion = boolean | null | DenyVerdict | AskVerdict

/** What `before` may answer: an opinion, a rewrite, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a `before` that only observes returns nothing
export type Answer = Opinion | RewriteVerdict | undefined | void
