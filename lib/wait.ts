import type { Run } from './context.ts'
import { whenSettled } from './settled.ts'
import type { Waiter } from './signal.ts'
import { abandon } from './steps.ts'

/** Waits, but not longer than the caller does. */
export function orAbort(run: Run, work: unknown): Promise<unknown> {
  if (run.facts.signal === undefined) return Promise.resolve(work)
  if (run.aborted !== undefined) {
    abandon(Promise.resolve(work))
    return Promise.resolve(undefined)
  }
  return new Promise((resolve, reject) => {
    const waiter: Waiter = { abort: () => resolve(undefined), outerWaiter: undefined }
    run.wait(waiter)
    void whenSettled(
      work,
      (value) => {
        run.unwait(waiter)
        resolve(value)
      },
      (error: unknown) => {
        run.unwait(waiter)
        reject(error as Error)
      },
    )
  })
}
