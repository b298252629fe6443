import { TIMED_OUT, withTimeout } from './deadline.ts'
import { messageOf } from './outcome.ts'
import type { Logger } from './types.ts'

/** How long {@link Detached.drain} waits for the work that is left, and {@link closePart} for a part. */
const CLOSE_TIMEOUT_MS = 30_000

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
      const drained = await withTimeout(Promise.all(this.#work), CLOSE_TIMEOUT_MS)
      if (drained !== TIMED_OUT) continue
      const fields = { left: this.#work.size }
      return log.error(fields, `close() left detached work behind after ${CLOSE_TIMEOUT_MS} ms`)
    }
  }
}

/**
 * Closes what can be closed. A fault is logged, so that the parts after it are closed too; so is a part that has not
 * closed after 30 s, such as a hook that waits for the pipeline to close, which waits for the hook.
 */
export async function closePart(
  part: unknown,
  log: Logger,
  name: string = nameOf(part),
): Promise<void> {
  const close = (part as { close?: unknown } | undefined)?.close
  if (typeof close !== 'function') return
  try {
    const closed = await withTimeout(Promise.resolve(close.call(part)), CLOSE_TIMEOUT_MS)
    if (closed !== TIMED_OUT) return
    log.error(
      {},
      `close() of ${name} has not ended after ${CLOSE_TIMEOUT_MS} ms and is left behind`,
    )
  } catch (error) {
    log.error({ err: messageOf(error) }, `close() of ${name} failed`)
  }
}

/** What texts call a part of a pipeline. */
export function nameOf(part: unknown): string {
  return (part as { name?: string } | undefined)?.name || 'an unnamed part'
}
