import { TIMED_OUT, type Timers, withTimeout } from '../deadline.ts'
import type { ApprovalRecord } from './record.ts'

/** Hears how a wait ends when nobody decides. */
export type GiveUp = (id: string, resolution: 'timeout' | 'cancelled') => void

/** A question this process waits on. `settled` is undefined when the wait was dropped. */
export interface Wait {
  readonly settled: Promise<ApprovalRecord | undefined>
  /** Starts the clock, and listens for the abort of `signal`. Called once, when the store has the question. */
  readonly start: (ms: number, signal?: AbortSignal) => void
}

interface Entry {
  readonly settle: (record: ApprovalRecord | undefined) => void
  readonly fail: (error: unknown) => void
}

/** The questions this process waits on: one timer each, and one abort listener while the call itself waits. */
export class Waits {
  readonly #entries = new Map<string, Entry>()
  readonly #timers: Timers | undefined
  readonly #giveUp: GiveUp

  constructor(timers: Timers | undefined, giveUp: GiveUp) {
    this.#timers = timers
    this.#giveUp = giveUp
  }

  open(id: string): Wait {
    let unlisten: (() => void) | undefined
    const close = (): boolean => {
      unlisten?.()
      return this.#entries.delete(id)
    }
    const settled = new Promise<ApprovalRecord | undefined>((resolve, reject) => {
      this.#entries.set(id, {
        settle: (record) => close() && resolve(record),
        fail: (error) => close() && reject(error),
      })
    })
    settled.catch(() => undefined) // a wait may fail before anybody looks at it
    const start = (ms: number, signal?: AbortSignal): void => {
      if (!this.#entries.has(id)) return
      this.#limit(id, settled, ms, signal !== undefined)
      if (signal === undefined) return
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
    this.#entries.get(record.id)?.settle(record)
  }

  fail(id: string, error: unknown): void {
    this.#entries.get(id)?.fail(error)
  }

  /** Stops waiting without an answer. */
  drop(id: string): void {
    this.#entries.get(id)?.settle(undefined)
  }

  get ids(): readonly string[] {
    return [...this.#entries.keys()]
  }

  /** Only a call that waits keeps the process alive. */
  #limit(id: string, settled: Wait['settled'], ms: number, keepAlive: boolean): void {
    const timers = this.#timers ?? (keepAlive ? undefined : idleTimers)
    withTimeout(settled, ms, timers).then(
      (value) => {
        if (value === TIMED_OUT) this.#giveUp(id, 'timeout')
      },
      () => undefined, // whoever waits for `settled` hears of it
    )
  }
}

const idleTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
}
