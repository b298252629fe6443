import type { Timers } from '../deadline.ts'
import { ToolwareError } from '../errors.ts'
import type { Logger } from '../types.ts'
import { Announcer } from './announcer.ts'
import { applyWithdrawal } from './decision.ts'
import { Ledger } from './ledger.ts'
import { type ApprovalRecord, isClaimable } from './record.ts'
import type { ApprovalStore } from './store.ts'
import { type GiveUp, type Wait, Waits } from './waits.ts'

const CLOSED = 'the queue of approvals was closed'

/** What a desk stands on. */
export interface DeskOptions {
  readonly store: ApprovalStore
  readonly now: () => number
  /** How long an allow waits to be claimed. */
  readonly useWithinMs: number
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
  readonly #options: DeskOptions
  /** Questions, until they are settled. */
  readonly #waits: Waits
  /** Deferred calls that were allowed, until they are claimed. */
  readonly #claims: Waits
  readonly #unwatch: () => void
  #closed = false

  constructor(options: DeskOptions) {
    const { store, timers, log } = options
    this.#options = options
    this.announcer = new Announcer((err, event) =>
      log?.error({ err, event }, 'a listener of approvals threw'),
    )
    this.ledger = new Ledger(store, (record) => this.#changed(record))
    const giveUp: GiveUp = (id, resolution) => {
      this.withdraw(id, resolution).catch((error: unknown) => {
        this.#waits.fail(id, error)
        this.#claims.fail(id, error)
      })
    }
    this.#waits = new Waits(timers, giveUp)
    this.#claims = new Waits(timers, giveUp)
    this.#unwatch = store.watch((id) => this.#refresh(id))
  }

  /**
   * Puts a question; resolves once the store has it. `settled` then resolves with the record as it was settled, or with
   * undefined when the desk closed and the store keeps the question. With a signal the caller waits, and its abort
   * withdraws the question; without one the timer does not keep the process alive.
   */
  async put(record: ApprovalRecord, signal?: AbortSignal): Promise<Pick<Wait, 'settled'>> {
    const { settled, start } = this.#waits.open(record.id)
    try {
      await this.ledger.add(record)
    } catch (error) {
      this.#waits.drop(record.id)
      throw error
    }
    if (this.#closed) await this.withdraw(record.id, 'cancelled', CLOSED)
    start(record.expiresAt - record.createdAt, signal)
    return { settled }
  }

  /** Settles a question without a person. An allow that nobody has claimed lapses; other settled ones stay. */
  async withdraw(
    id: string,
    status: 'timeout' | 'cancelled',
    reason?: string,
  ): Promise<ApprovalRecord> {
    const record = await this.ledger.change(id, (current) =>
      applyWithdrawal(current, status, reason, this.#options.now()),
    )
    // Another process may have settled it, and the news of it been lost.
    this.#observe(record)
    return record
  }

  /** Withdraws what is waited for, or with `keep` only stops waiting; then no timer and no listener is left. */
  async close(keep: boolean): Promise<void> {
    this.#closed = !keep
    const closed = new ToolwareError('APPROVAL_UNAVAILABLE', CLOSED)
    for (const waits of [this.#waits, this.#claims]) {
      for (const id of waits.ids) {
        if (keep) waits.drop(id)
        else await this.withdraw(id, 'cancelled', CLOSED).catch(() => waits.fail(id, closed))
      }
    }
    this.#unwatch()
    this.announcer.clear()
  }

  /** A change of ours. */
  #changed(record: ApprovalRecord): void {
    this.#observe(record)
    if (isClaimable(record)) this.#claims.open(record.id).start(this.#options.useWithinMs)
  }

  #observe(record: ApprovalRecord): void {
    this.announcer.observe(record)
    if (record.status === 'pending') return
    this.#waits.settle(record)
    if (!isClaimable(record)) this.#claims.settle(record)
  }

  /** Reads what another process may have changed. A failed read harms nothing: the wait still ends by its timer. */
  #refresh(id: string): void {
    this.ledger.find(id).then(
      (record) => this.#observe(record),
      (err: unknown) =>
        this.#options.log?.warn({ err, approvalId: id }, 'an approval could not be read'),
    )
  }
}
