import type { ApprovalQueueOptions } from '../../lib/approval/options.ts'
import { ApprovalQueue } from '../../lib/approval/queue.ts'
import type { ApprovalAnswer, ApprovalQuestion } from '../../lib/types.ts'
import { makeQuestion, type QuestionOptions } from './question.ts'
import { type ManualTime, manualTime, settle } from './timers.ts'

/** A queue whose time stands still, with ids `p1`, `p2` ... */
export function makeQueue(options: ApprovalQueueOptions = {}): {
  readonly queue: ApprovalQueue
  readonly time: ManualTime
} {
  const time = manualTime()
  let count = 0
  const queue = new ApprovalQueue({
    clock: time.now,
    timers: time,
    newId: () => `p${++count}`,
    workingDirectory: '/',
    ...options,
  })
  return { queue, time }
}

/** Puts a question and goes on until the queue waits or has answered. */
export async function put(
  queue: ApprovalQueue,
  options: QuestionOptions | ApprovalQuestion = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly answer: Promise<ApprovalAnswer>; readonly question: ApprovalQuestion }> {
  const question = 'ctx' in options ? options : makeQuestion(options)
  const answer = queue.decide(question, signal)
  answer.catch(() => undefined)
  await settle()
  return { answer, question }
}
