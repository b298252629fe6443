import { TIMED_OUT, withTimeout } from './deadline.ts'
import { messageOf } from './outcome.ts'
import type { Logger } from './types.ts'

/** How long {@link Detached.drain} waits for the work that is left. */
const DRAIN_TIMEOUT_MS = 30_000

/** Work that nobody awaits before the pipeline closes. */
export class Detached {
  readonly #work = new Set<PromiseLike<unknown>>()

  /** Takes work that never rejects. */
  add(work: PromiseLike<unknown>): void {
    this.#work.add(work)
    void work.then(() => this.#work.delete(work))
  }

  /** Waits until all of it is done, or for 30 s in vain: then the log says so. */
  async drain(log: Logger): Promise<void> {
    while (this.#work.size > 0) {
      const drained = await withTimeout(Promise.all(this.#work), DRAIN_TIMEOUT_MS)
      if (drained !== TIMED_OUT) continue
      const fields = { left: this.#work.size }
      return log.error(fields, `close() left detached work behind after ${DRAIN_TIMEOUT_MS} ms`)
    }
  }
}

/** Closes what can be closed. A fault is logged, so that the parts after it are closed too. */
export async function closePart(part: unknown, log: Logger): Promise<void> {
  const close = (part as { close?: unknown } | undefined)?.close
  if (typeof close !== 'function') return
  try {
    await close.call(part)
  } catch (error) {
    log.error({ err: messageOf(error) }, `close() of ${nameOf(part)} failed`)
  }
}

/** What texts call a part of a pipeline. */
export function nameOf(part: unknown): string {
  return (part as { name?: string } | undefined)?.name || 'an unnamed part'
}
