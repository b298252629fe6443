import type { MaybePromise, NewParams, Params, ToolCall } from './call.ts'
import type { HookContext } from './context.ts'
import type { ApprovalResolution, AskRequest } from './verdict.ts'

/** What an approver is asked: the final params, and everybody who asked for it. */
export interface ApprovalQuestion {
  readonly ctx: HookContext
  /** Params as they were when the call arrived, for `app.resume`. */
  readonly originalParams: Params
  /** Who asked, in order, with what each asked. At least one. */
  readonly askers: ReadonlyArray<{ readonly name: string; readonly request: AskRequest }>
  /** The pipeline's `policyVersion`; an approval does not outlive it. */
  readonly policyVersion?: string | undefined
}

/** What an approver answers. Only an allow lets the call through. */
export type ApprovalAnswer =
  | {
      readonly resolution: 'allow-once' | 'allow-always'
      readonly approvalId: string
      /** Set when the person changed the params: they are judged again and then used. */
      readonly params?: NewParams | undefined
    }
  | {
      readonly resolution: 'deny' | 'timeout' | 'cancelled'
      readonly approvalId: string
      readonly reason?: string | undefined
    }
  | { readonly resolution: 'pending'; readonly approvalId: string }

/** A call kept for `app.resume`. */
export interface HeldCall {
  /** The call's own id, so that reservations are not taken twice. */
  readonly id: string
  readonly call: ToolCall
  readonly approvedParams: Params
  /** The names of those who had asked: nobody else may ask now. */
  readonly askers: readonly string[]
  /** The person changed the params: they are judged by `check` only. */
  readonly edited: boolean
  /** Whether what would run now is what was approved: tool, params, session, directory, environment, policies. */
  readonly matches?:
    | ((now: { readonly ctx: HookContext; readonly policyVersion?: string | undefined }) => boolean)
    | undefined
}

/** Whoever can put a question to a person. `ApprovalQueue` is one. */
export interface Approver {
  /** Tells the askers (`onResolution`) what it answers, or later what came of `pending`. When it rejects, the pipeline does. */
  decide(question: ApprovalQuestion, signal: AbortSignal): MaybePromise<ApprovalAnswer>
  /** Takes a decided call out of the store, once. Rejects with an `APPROVAL_*` code otherwise. */
  claim?(approvalId: string): MaybePromise<HeldCall>
  /** Tells of suspended calls that will never run: denied, expired or withdrawn. */
  onRefused?(listener: (held: HeldCall, resolution: ApprovalResolution) => void): unknown
  close?(): MaybePromise<void>
}
