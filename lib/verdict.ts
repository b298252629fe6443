import { ToolwareError } from './errors.ts'
import { messageOf } from './outcome.ts'
import type {
  ApprovalResolution,
  AskRequest,
  AskVerdict,
  DenyOptions,
  DenyVerdict,
  NewParams,
  RewriteVerdict,
  Verdict,
} from './types.ts'

const brand = Symbol.for('toolware.verdict')

function verdict<V extends Verdict>(fields: V): V {
  return Object.freeze(Object.defineProperty(fields, brand, { value: true }))
}

/**
 * Denies the call. Nothing lifts a deny.
 *
 * @param reason Tells the model, on the second line of its text, what to do instead.
 * @example app.use({ name: 'no-deploys', check: ({ toolName }) => toolName !== 'deploy' || deny('only people deploy; ask one') })
 */
export function deny(reason?: string, options: DenyOptions = {}): DenyVerdict {
  // Whatever plain JavaScript gives as a reason: the deny stands.
  const said: unknown = reason ?? undefined
  const text = said === undefined || typeof said === 'string' ? said : messageOf(said)
  return verdict({ ...options, kind: 'deny', reason: text })
}

/**
 * Asks a person before the tool runs: once, at the gate, about the final params. Without an approver the
 * call is blocked with `APPROVAL_UNAVAILABLE`.
 *
 * @throws {ToolwareError} `CONFIG` when there is no title: a person cannot judge an empty question.
 */
export function ask(request: AskRequest): AskVerdict {
  if (typeof request?.title !== 'string' || request.title.trim() === '') {
    throw new ToolwareError(
      'CONFIG',
      'ask: title must be a text that tells the person what is asked',
    )
  }
  return verdict({ kind: 'ask', request: Object.freeze({ ...request }) })
}

/** Replaces the params for everything further in and for the tool; with `ask`, a person decides about the new ones. */
export function rewrite(params: NewParams, asked?: AskVerdict): RewriteVerdict {
  return verdict({ kind: 'rewrite', params, ask: asked })
}

/** True for what `deny`, `ask` and `rewrite` made, also in another copy of this package. */
export function isVerdict(value: unknown): value is Verdict {
  return typeof value === 'object' && value !== null && brand in value
}

const FIXES: unique symbol = Symbol.for('toolware.fixesParams') as never

/**
 * An ask after which nobody may change the params without asking again: such a change blocks with `reason`.
 * For approvals that a host has promised for exactly these params.
 */
export function askFixing(request: AskRequest, reason: string): AskVerdict {
  return ask({ ...request, [FIXES]: reason } as AskRequest)
}

/** The reason given to {@link askFixing}, if that made the request. */
export function fixesParams(request: AskRequest): string | undefined {
  return (request as { readonly [FIXES]?: string })[FIXES]
}

/** Calls an asker's `onResolution`, not awaited; what it throws or rejects with goes to `report`. */
export function tellResolution(
  request: AskRequest,
  resolution: ApprovalResolution,
  report: (error: unknown) => void,
): void {
  try {
    const work = request.onResolution?.(resolution)
    void Promise.resolve(work).catch(report)
  } catch (error) {
    report(error)
  }
}
