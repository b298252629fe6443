import type { Run } from './context.ts'
import type { Deadlines, Wheel } from './deadline.ts'
import type { IntakeLimits } from './params.ts'
import type { Entry } from './steps.ts'
import type { Approver, CallContext, Logger, Outcome } from './types.ts'

/** The options of a pipeline, resolved once. */
export interface Settings {
  /** The host's, for hooks. */
  readonly log: Logger
  /** The same, for the pipeline's own lines: it never throws. */
  readonly ownLog: Logger
  readonly deadlines: Deadlines
  readonly beforeTimeoutMs: number
  /** The wheel of that duration; undefined without a deadline. */
  readonly beforeWheel: Wheel | undefined
  readonly afterTimeoutMs: number
  readonly afterWheel: Wheel | undefined
  readonly toolTimeoutMs: number
  /** Undefined under `intake: 'trusted'`: then nothing is copied. */
  readonly intake: IntakeLimits | undefined
  /** Durations are measured. */
  readonly readsClock: boolean
  /** The parts that hooks and waiting have of them, too. */
  readonly timesHooks: boolean
  readonly clock: () => number
  readonly exposeErrors: boolean
  readonly policyVersion: string | undefined
  readonly approver: Approver | undefined
  /** Ids of calls whose question is with the approver, or that wait for `resume`. */
  readonly suspended: Set<string>
  /** Tells listeners and the log of a fault that harms nothing. */
  report(fault: Report): void
  /** Takes work that nobody awaits; `close()` drains it. */
  detach(work: PromiseLike<unknown>): void
  /** Called once per call, with its outcome. */
  settled(run: Run, outcome: Outcome): void
}

/** A fault inside the pipeline that did not, or no longer could, change the call. */
export interface Report {
  readonly hook: string
  readonly phase: string
  readonly error: unknown
  readonly ctx: CallContext
}

/** The hooks of a plan, as the gate needs them. */
export interface PlanHooks {
  /** Nothing stands around the tool. */
  readonly isEmpty: boolean
  readonly entries: readonly Entry[]
  /** Those that contribute environment variables. */
  readonly resolvers: readonly Entry[]
}

/** A middleware function that stands around whatever ends next. */
export interface Enclosing {
  /** The part inside it is about to reject. */
  hush(): void
  /** It runs a part by hand, as `adapt` and `compose` allow. */
  hold(part: PromiseLike<unknown>): void
  /**
   * What it gave such a part as `next` has settled, and the call has not. Blocks it, or answers what runs and has
   * to be waited for.
   */
  notTheRest(): PromiseLike<unknown> | undefined
}
