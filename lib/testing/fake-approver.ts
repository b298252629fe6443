import { tellOnce } from '../approval/question.ts'
import type { ApprovalAnswer, ApprovalDecision, ApprovalQuestion, Approver } from '../types.ts'

/** What a fake approver answers with; params stand for those a person edited. */
export type FakeAnswer =
  | ApprovalDecision
  | 'timeout'
  | 'cancelled'
  | { readonly resolution: 'allow-once' | 'allow-always'; readonly params: Record<string, unknown> }

/** An approver without people. */
export interface FakeApprover extends Approver {
  /** Every question put so far, in order. */
  readonly questions: readonly ApprovalQuestion[]
}

/**
 * An approver for tests: gives the same answer to every question, or what a function makes of it, and remembers the
 * questions. The ids it gives are `fake-1`, `fake-2` ... It calls `onResolution` as a real one does, and lets throws
 * and rejections of the function through.
 *
 * @example
 * const approver = fakeApprover(({ ctx }) => (ctx.toolName === 'deploy' ? 'deny' : 'allow-once'))
 * const app = new Toolware({ approvals: approver })
 */
export function fakeApprover(
  answer: FakeAnswer | ((question: ApprovalQuestion) => FakeAnswer | PromiseLike<FakeAnswer>),
): FakeApprover {
  const questions: ApprovalQuestion[] = []
  return {
    questions,
    async decide(question, signal) {
      questions.push(question)
      const approvalId = `fake-${questions.length}`
      const given = signal.aborted
        ? 'cancelled'
        : typeof answer === 'function'
          ? await answer(question)
          : answer
      const made: ApprovalAnswer =
        typeof given === 'string' ? { resolution: given, approvalId } : { ...given, approvalId }
      if (made.resolution !== 'pending') tellOnce(question)(made.resolution)
      return made
    },
  }
}
