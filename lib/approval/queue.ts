import { randomUUID } from 'node:crypto'
import { canonicalCopy } from '../canonical.ts'
import { TIMED_OUT, withTimeout } from '../deadline.ts'
import { ToolwareError } from '../errors.ts'
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalResolution,
  Approver,
  HeldCall,
} from '../types.ts'
import type { ApprovalEvent, ApprovalListener } from './announcer.ts'
import {
  applyClaim,
  applyDecision,
  bindingOf,
  parseDecision,
  type Resolved,
  type ResolveOptions,
  stillHolds,
} from './decision.ts'
import { Desk } from './desk.ts'
import { GrantBook, type Grants } from './grants.ts'
import { reach } from './ledger.ts'
import { makeRecord, recordedAsker } from './make-record.ts'
import { memoryStore } from './memory-store.ts'
import {
  type ApprovalQueueOptions,
  type ApprovalSettings,
  checkOptions,
  type QueueTimes,
} from './options.ts'
import { tellOnce } from './question.ts'
import type { ApprovalRecord } from './record.ts'
import { notClaimable, tooLate } from './refusals.ts'
import type { ApprovalStore } from './store.ts'
import { Terms } from './terms.ts'

const PRUNE_EVERY_MS = 60_000

/**
 * Puts questions to people and keeps what they decide. Give it to `new Toolware({ approvals: queue })`; whatever
 * people look at calls `list()` and `resolve()`. It does not check who may decide: its caller does.
 *
 * @example
 * const queue = new ApprovalQueue()
 * queue.on('pending', ({ id, prompt }) => notify(`${prompt.title}: /approve ${id} allow-once`))
 * const app = new Toolware({ approvals: queue })
 */
export class ApprovalQueue implements Approver {
  /** The remembered `allow-always` decisions. */
  readonly grants: Grants
  /** How it asks, so that whoever it is given to can compare. */
  readonly settings: ApprovalSettings
  readonly #options: ApprovalQueueOptions
  readonly #times: QueueTimes
  readonly #store: ApprovalStore
  readonly #now: () => number
  readonly #terms: Terms
  readonly #desk: Desk
  readonly #book: GrantBook
  #prunedAt = 0
  #closed = false

  /** @throws {ToolwareError} `CONFIG` for an option that makes no sense. */
  constructor(options: ApprovalQueueOptions = {}) {
    this.#times = checkOptions(options)
    this.#options = options
    this.#terms = new Terms(options)
    this.#now = options.clock ?? Date.now
    this.#store = options.store ?? memoryStore()
    const { mode = 'hold' } = options
    const { timeoutMs } = this.#times
    this.settings = Object.freeze({ mode, timeoutMs, durable: this.#store.durable })
    const { timers, log } = options
    this.#desk = new Desk({
      store: this.#store,
      now: this.#now,
      useWithinMs: this.#times.useWithinMs,
      timers,
      log,
    })
    this.#book = new GrantBook(this.#store, this.#now, this.#times.grantTtlMs)
    this.grants = this.#book
  }

  /**
   * Puts the question of one call, or finds it answered by grants. With `hold` it settles when somebody decides, time
   * runs out or `signal` fires; with `defer` it answers `pending`.
   *
   * @throws {ToolwareError} `APPROVAL_UNAVAILABLE` when nobody can be asked, `PARAMS_CHANGED_AFTER_APPROVAL` when what
   *   was approved is no longer what would run, `STATE_UNAVAILABLE` when the store fails. Each blocks the call, and
   *   the pipeline tells the askers.
   */
  async decide(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> {
    const tell = tellOnce(question)
    const answer = await this.#ask(question, signal, tell)
    if (answer.resolution !== 'pending') tell(answer.resolution)
    return answer
  }

  /** Pending approvals, oldest first; with `status`, those of it; with `all`, every one still kept. */
  async list(
    filter: { readonly status?: ApprovalRecord['status'] | 'all' | undefined } = {},
  ): Promise<readonly ApprovalRecord[]> {
    const { status = 'pending' } = filter
    const records = await this.#desk.ledger.list(status === 'all' ? undefined : status)
    return status === 'pending' ? records.filter((r) => r.expiresAt > this.#now()) : records
  }

  /** One approval; undefined when there is none of this id. */
  async get(id: string): Promise<ApprovalRecord | undefined> {
    return await reach(() => this.#store.get(id))
  }

  /**
   * Answers a question. The first decision counts; the same one again changes nothing and is fine.
   *
   * @throws {ToolwareError} `APPROVAL_NOT_FOUND`; `APPROVAL_RESOLVED` after another decision; `APPROVAL_EXPIRED` after
   *   time ran out; `APPROVAL_CANCELLED` after a withdrawal; `BAD_ARGUMENTS` for a decision that is none or is not
   *   offered, and for params that cannot be taken. None of them changes or runs anything.
   */
  async resolve(id: string, decision: string, options: ResolveOptions = {}): Promise<Resolved> {
    const { by, reason, params } = options
    const answer = {
      chosen: parseDecision(id, decision),
      params: params === undefined ? undefined : canonicalCopy(params),
      by,
      reason,
    }
    let repeated = false
    const record = await this.#desk.ledger.change(id, (current) => {
      const change = applyDecision(current, answer, this.#now())
      repeated = change === undefined
      return change
    })
    if (record.status === 'timeout') throw tooLate(record)
    if (record.status === 'allow-always' && !repeated) await this.#remember(record)
    return { record, repeated }
  }

  /** Withdraws a question; its call is blocked. A settled one stays as it is. */
  async cancel(id: string, reason?: string): Promise<ApprovalRecord> {
    return await this.#desk.withdraw(id, 'cancelled', reason)
  }

  /**
   * Takes an allowed call that was deferred out of the queue, once.
   *
   * @throws {ToolwareError} `APPROVAL_NOT_FOUND`, `APPROVAL_UNAVAILABLE` (not decided yet), `APPROVAL_DENIED`,
   *   `APPROVAL_TIMEOUT`, `APPROVAL_CANCELLED`, `APPROVAL_RESOLVED` (used before), `APPROVAL_EXPIRED` (allowed too long ago).
   */
  async claim(id: string): Promise<HeldCall> {
    const record = await this.#desk.ledger.change(id, (current) =>
      applyClaim(current, this.#times.useWithinMs, this.#now()),
    )
    if (record.usedAt === undefined) throw notClaimable(record)
    return this.#terms.held(record)
  }

  /**
   * Calls `listener` with every deferred call that will never run, once: denied, run out, withdrawn, or allowed and not
   * claimed in time; also when another process on the same store settled it.
   *
   * @returns A function that stops it.
   */
  onRefused(listener: (held: HeldCall, resolution: ApprovalResolution) => void): () => void {
    return this.on('refused', (record) => {
      const { status } = record
      const refused = status === 'deny' || status === 'cancelled' ? status : 'timeout'
      listener(this.#terms.held(record), refused)
    })
  }

  /**
   * Calls `listener` with every question put or settled, here or by another process on the same store, or with every
   * deferred call that will never run. What it throws goes to `log`.
   *
   * @returns A function that stops it.
   */
  on(event: ApprovalEvent, listener: ApprovalListener): () => void {
    return this.#desk.announcer.on(event, listener)
  }

  /**
   * Withdraws what this process waits on, deferred calls only when the store forgets them anyway, and stops all timers
   * and listeners. Idempotent; later questions are refused.
   */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#desk.close(this.#options.mode === 'defer' && this.#store.durable)
    if (this.#options.store === undefined) await this.#store.close?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #ask(
    question: ApprovalQuestion,
    signal: AbortSignal,
    tell: (resolution: ApprovalResolution) => void,
  ): Promise<ApprovalAnswer> {
    if (this.#closed) throw unavailable('the queue of approvals is closed')
    const { mode = 'hold', newId = randomUUID } = this.#options
    const id = newId()
    if (signal.aborted) return { resolution: 'cancelled', approvalId: id }

    const { ctx, policyVersion } = question
    const binding = this.#terms.bind(ctx, ctx.params, policyVersion)
    const keys = this.#terms.keys(question.askers.map(recordedAsker), ctx.agentId, binding)
    const base = this.#terms.base(ctx)
    const filing = { id, mode, now: this.#now(), limits: this.#times, base }
    const record = makeRecord(question, binding, this.#times.grantTtlMs === 0 ? [] : keys, filing)
    if (record.prompt.decisions.includes('allow-always')) {
      const grant = await reach(() => this.#book.covering(keys))
      if (grant) return { resolution: 'allow-always', approvalId: grant.approvalId }
    }
    await this.#assertReachable(record)
    await this.#prune()
    if (this.#closed) throw unavailable('the queue of approvals is closed')

    if (mode === 'hold') {
      const { settled } = await this.#desk.put(record, signal)
      return await this.#take((await settled) ?? record, question)
    }
    const { settled } = await this.#desk.put(record)
    settled.then(
      (done) => done && done.status !== 'pending' && tell(done.status),
      () => tell('cancelled'),
    )
    if (signal.aborted) {
      // Nobody knows the id yet, so nobody could resume it.
      await this.cancel(id)
      return { resolution: 'cancelled', approvalId: id }
    }
    return { resolution: 'pending', approvalId: id }
  }

  /** Whoever says whether anybody is there has as long for it as a person would have had. */
  async #assertReachable({ prompt, createdAt, expiresAt }: ApprovalRecord): Promise<void> {
    const { reachable, timers } = this.#options
    if (reachable === undefined) return
    const said = Promise.resolve(reachable(prompt))
    const answer = await withTimeout(said, expiresAt - createdAt, timers)
    if (answer === TIMED_OUT) throw unavailable('reachable() did not say in time who can be asked')
    if (!answer) throw unavailable('nobody can be asked now')
  }

  /** Turns a settled record into the answer for the call that waited; an allow is used up by it. */
  async #take(record: ApprovalRecord, question: ApprovalQuestion): Promise<ApprovalAnswer> {
    const { id, status, reason, params, edited } = record
    if (status === 'pending') throw notClaimable(record)
    if (status !== 'allow-once' && status !== 'allow-always') {
      return { resolution: status, approvalId: id, reason }
    }
    const { ctx, policyVersion } = question
    if (!this.#terms.holds(record, ctx, edited ? params : ctx.params, policyVersion)) {
      throw new ToolwareError(
        'PARAMS_CHANGED_AFTER_APPROVAL',
        `what approval ${id} was given for has changed since; ask again`,
        { details: { approvalId: id } },
      )
    }
    await this.#desk.ledger.change(id, (current) => {
      if (current.usedAt !== undefined) throw notClaimable(current)
      return { usedAt: this.#now() }
    })
    return { resolution: status, approvalId: id, ...(edited && { params: { ...params } }) }
  }

  async #remember(record: ApprovalRecord): Promise<void> {
    // Its call is blocked. A grant would cover what nobody was shown.
    if (!stillHolds(record)) return
    const keys = this.#terms.keys(record.askers, record.call.agentId, bindingOf(record))
    await reach(
      () => this.#book.remember(record, keys),
      `approval ${record.id} counts for its call, but could not be remembered`,
    )
  }

  async #prune(): Promise<void> {
    const now = this.#now()
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return
    this.#prunedAt = now
    await reach(() => this.#store.prune(now - this.#times.keepMs))
    await reach(() => this.#book.forgetExpired())
  }
}

function unavailable(message: string): ToolwareError {
  return new ToolwareError('APPROVAL_UNAVAILABLE', message)
}
