import { ToolDeniedError, ToolwareError } from './errors.ts'
import { isToolFault } from './outcome.ts'
import type { Outcome } from './types.ts'

/**
 * The result of a completed call; for wrapped tools and streams, whose callers expect exceptions.
 *
 * @throws The tool's own error by identity, `ToolDeniedError` when blocked or pending, the signal's reason when
 * aborted, `ToolwareError` for other failures.
 */
export function resultOf<R>(outcome: Outcome<R>): R {
  switch (outcome.status) {
    case 'completed':
      return outcome.result
    case 'aborted':
      throw outcome.error
    case 'pending': {
      const { approvalId, text } = outcome
      throw new ToolDeniedError('DENIED', text, { by: 'toolware', reason: text, approvalId })
    }
    case 'blocked': {
      // `by`, `reason`, `notice` and the rest have the same names there.
      throw new ToolDeniedError(outcome.code, outcome.text, outcome)
    }
    default:
      if (isToolFault(outcome) && outcome.code !== 'TOOL_TIMEOUT') throw outcome.error
      throw new ToolwareError(outcome.code, outcome.text, {
        cause: outcome.error,
        details: { ...outcome.details, by: outcome.by, executed: outcome.executed },
      })
  }
}
