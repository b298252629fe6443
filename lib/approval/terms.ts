import type { HeldCall, HookContext, Params } from '../types.ts'
import { type Binding, bind, digestOf, sameDigest } from './digest.ts'
import { type GrantKey, type GrantScope, grantKeys } from './grants.ts'
import type { ApprovalRecord, RecordedAsker } from './record.ts'

/** What the operator chose about binding and remembering. */
export interface TermsOptions {
  readonly workingDirectory?: string | ((ctx: HookContext) => string) | undefined
  readonly policyVersion?: string | undefined
  readonly grantScope?: GrantScope | undefined
}

/** What an approval binds to, and what `allow-always` is remembered under, as the operator wants it. */
export class Terms {
  readonly #options: TermsOptions

  constructor(options: TermsOptions) {
    this.#options = options
  }

  /** Where a call works when its params name no directory. */
  base(ctx: HookContext): string {
    const { workingDirectory } = this.#options
    if (typeof workingDirectory === 'function') return workingDirectory(ctx)
    return workingDirectory ?? process.cwd()
  }

  /** The pipeline's version wins over the queue's. */
  policyVersion(given: string | undefined): string | undefined {
    return given ?? this.#options.policyVersion
  }

  bind(ctx: HookContext, params: Params, policyVersion: string | undefined): Binding {
    return bind(ctx, params, this.base(ctx), this.policyVersion(policyVersion))
  }

  /** Whether a call that would run now is the one this record was decided for. */
  holds(
    record: ApprovalRecord,
    ctx: HookContext,
    params: Params,
    policyVersion: string | undefined,
  ): boolean {
    return sameDigest(digestOf(this.bind(ctx, params, policyVersion)), record.digest)
  }

  /** The call of a record, for `app.resume`. */
  held(record: ApprovalRecord): HeldCall {
    const { callId, call, params, edited } = record
    return {
      id: callId,
      call,
      approvedParams: params,
      askers: record.askers.map(({ name }) => name),
      edited,
      matches: ({ ctx, policyVersion }) => this.holds(record, ctx, ctx.params, policyVersion),
    }
  }

  keys(
    askers: readonly RecordedAsker[],
    agentId: string | undefined,
    binding: Binding,
  ): ReadonlyArray<GrantKey | undefined> {
    return grantKeys(askers, agentId, binding, this.#options.grantScope ?? 'params')
  }
}
