import { type ApprovalRecord, isRefused } from './record.ts'
import { quote } from './refusals.ts'

/**
 * What a queue tells of: a question was put; a question was settled, by a person, by time or by withdrawal; a deferred
 * call will never run.
 */
export type ApprovalEvent = 'pending' | 'resolved' | 'refused'

/** Hears of a question. */
export type ApprovalListener = (record: ApprovalRecord) => void

/** How many questions are remembered as told. */
const MAX_SEEN = 10_000

/**
 * Tells listeners of every question once when it is put and once when it is settled, however often and in whatever
 * order its versions are observed.
 */
export class Announcer {
  readonly #listeners: Record<ApprovalEvent, Set<ApprovalListener>> = {
    pending: new Set(),
    resolved: new Set(),
    refused: new Set(),
  }
  readonly #seen = new Map<string, number>()
  readonly #report: (error: unknown, event: ApprovalEvent) => void

  /** `report` hears of listeners that throw; they harm nobody else. */
  constructor(report: (error: unknown, event: ApprovalEvent) => void) {
    this.#report = report
  }

  on(event: ApprovalEvent, listener: ApprovalListener): () => void {
    if (!Object.hasOwn(this.#listeners, event)) {
      throw new TypeError(
        `there is no event ${quote(event)}; use "pending", "resolved" or "refused"`,
      )
    }
    const own: ApprovalListener = (record) => listener(record)
    this.#listeners[event].add(own)
    return () => {
      this.#listeners[event].delete(own)
    }
  }

  observe(record: ApprovalRecord): void {
    const { id, version } = record
    const before = this.#seen.get(id)
    if (before !== undefined && before >= version) return
    this.#seen.set(id, version)
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MAX_SEEN) break
      this.#seen.delete(oldest)
    }
    const { status, usedAt, lapsedAt } = record
    if (status === 'pending') this.#tell('pending', record)
    else if (before === 0 || (usedAt ?? lapsedAt) === undefined) this.#tell('resolved', record)
    if (isRefused(record)) this.#tell('refused', record)
  }

  /** Forgets every listener. */
  clear(): void {
    this.#seen.clear()
    for (const listeners of Object.values(this.#listeners)) listeners.clear()
  }

  #tell(event: ApprovalEvent, record: ApprovalRecord): void {
    for (const listener of [...this.#listeners[event]]) {
      try {
        listener(record)
      } catch (error) {
        this.#report(error, event)
      }
    }
  }
}
