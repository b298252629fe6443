import type { Logger } from '../types.ts'
import { Announcer } from './announcer.ts'
import { applyWithdrawal } from './decision.ts'
import { Ledger } from './ledger.ts'
import type { ApprovalRecord } from './record.ts'
import type { ApprovalStore } from './store.ts'
import { processTimers, type Timers, Waits } from './waits.ts'

/** What a desk stands on. */
export interface DeskOptions {
  readonly store: ApprovalStore
  readonly now: () => number
  readonly timers?: Timers | undefined
  readonly log?: Logger | undefined
}

/**
 * The questions of this process: put into the store, announced, waited for, withdrawn when time runs out or the caller
 * gives up. A change reaches its one waiter by id, whoever made it.
 */
export class Desk {
  readonly announcer: Announcer
  readonly ledger: Ledger
  readonly #now: () => number
  readonly #log: Logger | undefined
  readonly #waits: Waits
  readonly #unwatch: () => void

  constructor({ store, now, timers = processTimers, log }: DeskOptions) {
    this.#now = now
    this.#log = log
    this.announcer = new Announcer((err, event) =>
      log?.error({ err, event }, 'a listener of approvals threw'),
    )
    this.ledger = new Ledger(store, (record) => this.#observe(record))
    this.#waits = new Waits(timers, (id, resolution) => {
      this.withdraw(id, resolution).catch((error: unknown) => this.#waits.fail(id, error))
    })
    this.#unwatch = store.watch((id) => this.#refresh(id))
  }

  /**
   * Puts a question; resolves once the store has it. `settled` then holds the record as it was settled. With a signal
   * the caller waits, and its abort withdraws the question; without one the timer does not keep the process alive.
   */
  async put(
    record: ApprovalRecord,
    signal?: AbortSignal,
  ): Promise<{ readonly settled: Promise<ApprovalRecord> }> {
    const { settled, start } = this.#waits.open(record.id)
    try {
      await this.ledger.add(record)
    } catch (error) {
      this.#waits.drop(record.id)
      throw error
    }
    start(record.expiresAt - record.createdAt, signal)
    return { settled }
  }

  /** Settles a question without a person; a settled one stays as it is. */
  async withdraw(
    id: string,
    status: 'timeout' | 'cancelled',
    reason?: string,
  ): Promise<ApprovalRecord> {
    return await this.ledger.change(id, (current) =>
      applyWithdrawal(current, status, reason, this.#now()),
    )
  }

  /** Withdraws what is waited for, or with `keep` only stops waiting; then no timer and no listener is left. */
  async close(keep: boolean): Promise<void> {
    for (const id of this.#waits.ids) {
      if (keep) this.#waits.drop(id)
      else {
        await this.withdraw(id, 'cancelled', 'the queue of approvals was closed').catch(
          (error: unknown) => this.#waits.fail(id, error),
        )
      }
    }
    this.#unwatch()
    this.announcer.clear()
  }

  #observe(record: ApprovalRecord): void {
    this.announcer.observe(record)
    if (record.status !== 'pending') this.#waits.settle(record)
  }

  /** Reads what another process may have changed. A failed read harms nothing: the wait still ends by its timer. */
  #refresh(id: string): void {
    this.ledger.find(id).then(
      (record) => this.#observe(record),
      (err: unknown) => this.#log?.warn({ err, approvalId: id }, 'an approval could not be read'),
    )
  }
}
