import type { ApprovalResolution } from '../types.ts'
import type { ApprovalRecord } from './record.ts'

/** Timers as the queue uses them. `setTimeout` and `clearTimeout` of this process, unless given. */
export interface Timers {
  readonly setTimeout: (run: () => void, ms: number) => unknown
  readonly clearTimeout: (timer: unknown) => void
}

/** Looked up when used, so that fake timers installed later count. */
export const processTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

interface Wait {
  readonly stop: () => void
  readonly settle: (record: ApprovalRecord) => void
  readonly fail: (error: unknown) => void
}

/** How a wait ends when nobody decides. */
export type GiveUp = (
  id: string,
  resolution: Extract<ApprovalResolution, 'timeout' | 'cancelled'>,
) => void

/** The questions this process waits on: one timer each, and one abort listener while the call itself waits. */
export class Waits {
  readonly #waits = new Map<string, Wait>()
  readonly #timers: Timers
  readonly #giveUp: GiveUp

  constructor(timers: Timers, giveUp: GiveUp) {
    this.#timers = timers
    this.#giveUp = giveUp
  }

  /** Resolves with the settled record; `start` is to be called once the store has the question. */
  open(id: string): {
    readonly settled: Promise<ApprovalRecord>
    readonly start: (ms: number, signal?: AbortSignal) => void
  } {
    let timer: unknown
    let unlisten: (() => void) | undefined
    let open = true
    const stop = (): void => {
      open = false
      this.#waits.delete(id)
      if (timer !== undefined) this.#timers.clearTimeout(timer)
      unlisten?.()
    }
    const settled = new Promise<ApprovalRecord>((resolve, reject) => {
      this.#waits.set(id, {
        stop,
        settle: (record) => {
          stop()
          resolve(record)
        },
        fail: (error) => {
          stop()
          reject(error)
        },
      })
    })
    settled.catch(() => undefined) // a wait may fail before anybody looks at it
    const start = (ms: number, signal?: AbortSignal): void => {
      if (!open) return
      timer = this.#timers.setTimeout(() => this.#giveUp(id, 'timeout'), ms)
      if (signal === undefined) {
        if (timer instanceof Object && 'unref' in timer) (timer as NodeJS.Timeout).unref()
        return
      }
      const onAbort = (): void => this.#giveUp(id, 'cancelled')
      if (signal.aborted) {
        onAbort()
        return
      }
      signal.addEventListener('abort', onAbort, { once: true })
      unlisten = () => signal.removeEventListener('abort', onAbort)
    }
    return { settled, start }
  }

  settle(record: ApprovalRecord): void {
    this.#waits.get(record.id)?.settle(record)
  }

  fail(id: string, error: unknown): void {
    this.#waits.get(id)?.fail(error)
  }

  /** Forgets a wait without an answer. */
  drop(id: string): void {
    this.#waits.get(id)?.stop()
  }

  get ids(): readonly string[] {
    return [...this.#waits.keys()]
  }
}
