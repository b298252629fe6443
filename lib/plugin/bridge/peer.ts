import { Slot, type Waiting } from '../../deadline.ts'
import type { Counters } from './counters.ts'
import { LineReader } from './framing.ts'
import type { Outbox, Queued } from './outbox.ts'
import { type Answer, type Dialect, notificationLine, readLine, requestLine } from './protocol.ts'

/** What a {@link Peer} needs from its surroundings. */
export interface PeerOptions {
  readonly dialect: Dialect
  readonly outbox: Outbox
  readonly counters: Counters
  readonly maxLineBytes: number
  readonly clock: () => number
  /** The other side says much more than it was asked for. */
  onFlood(): void
  onNotification(method: string, params: unknown): void
  onNoise(line: string): void
}

/** A request under way. Waits in a wheel while somebody has patience with it. */
export class Pending implements Waiting {
  readonly id: number
  readonly answer: Promise<Answer>
  readonly slot: Slot = new Slot()
  /** The answer once there is one, for those who cannot wait for a promise. */
  settled: Answer | undefined
  /** How many `progress` notifications it got. */
  progress = 0
  /** Called when its time in the wheel is over. */
  onExpire: (() => void) | undefined
  /** Called once, when it is settled. */
  onSettled: (() => void) | undefined
  #resolve: (answer: Answer) => void = () => {}

  constructor(id: number) {
    this.id = id
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  expire(): void {
    this.onExpire?.()
  }

  /** The first answer counts. */
  settle(answer: Answer): void {
    if (this.settled !== undefined) return
    this.settled = answer
    this.slot.wheel?.remove(this)
    this.#resolve(answer)
    this.onSettled?.()
  }
}

// Answers that nobody waits for, of peers that answer everything: this many are remembered.
const MAX_IGNORED = 1024
// Reading costs the host time: unasked lines may take this many characters within a second.
const MAX_UNASKED = 2 * 1024 * 1024

/**
 * One side of the conversation: gives out ids, matches answers to them, and drops what matches nothing.
 * The first answer to an id counts; later ones, and those to requests given up, are counted as late.
 */
export class Peer {
  readonly #options: PeerOptions
  readonly #reader: LineReader
  readonly #pending = new Map<number, { pending: Pending; queued: Queued }>()
  readonly #ignored = new Set<number>()
  #lastId = 0
  #heard = 0
  #second = 0
  #unasked = 0

  constructor(options: PeerOptions) {
    this.#options = options
    this.#reader = new LineReader(options.maxLineBytes, (line) => this.#receive(line))
  }

  get pendingCount(): number {
    return this.#pending.size
  }

  /**
   * Moves on whenever bytes came that were no message. Two equal readings and no {@link halfLine} mean
   * that the other side has kept silent in between.
   */
  get heard(): number {
    return this.#heard
  }

  /** Whether a line has begun and not ended. */
  get halfLine(): boolean {
    return this.#reader.heldBytes > 0
  }

  request(method: string, params: object): Pending {
    this.#lastId += 1
    const pending = new Pending(this.#lastId)
    const { dialect, outbox } = this.#options
    const queued = outbox.request(requestLine(dialect, pending.id, method, params))
    if (queued === undefined) {
      pending.settle({ kind: 'gone', problem: 'does not read its input' })
    } else this.#pending.set(pending.id, { pending, queued })
    return pending
  }

  /** Settles a request without its answer, which is late from now on. */
  giveUp(pending: Pending, answer: Answer): void {
    const entry = this.#pending.get(pending.id)
    if (entry) entry.queued.cancelled = true
    this.#pending.delete(pending.id)
    pending.settle(answer)
  }

  /** Resolves when all that is under way now is settled. */
  async idle(): Promise<void> {
    await Promise.all([...this.#pending.values()].map(({ pending }) => pending.answer))
  }

  /** Sends a message that nobody waits for. */
  notify(method: string, params: object): void {
    const { dialect, outbox } = this.#options
    if (dialect === 'toolware') {
      outbox.notify(notificationLine(method, params))
      return
    }
    // These peers know requests only, and answer them.
    this.#lastId += 1
    if (this.#ignored.size >= MAX_IGNORED) this.#ignored.clear()
    this.#ignored.add(this.#lastId)
    outbox.notify(requestLine(dialect, this.#lastId, method, params))
  }

  /** Takes bytes from the other side; false when a line was too long, after which it cannot be followed. */
  push(chunk: Buffer): boolean {
    this.#options.counters.bytesIn += chunk.length
    return this.#reader.push(chunk)
  }

  /** Settles all that waits. */
  fail(answer: Answer): void {
    for (const { pending } of [...this.#pending.values()]) this.giveUp(pending, answer)
  }

  #receive(line: string): void {
    const { dialect, counters } = this.#options
    const message = readLine(dialect, line)
    if (message.kind !== 'answer' || !this.#pending.has(message.id)) this.#weigh(line)
    switch (message.kind) {
      case 'answer':
        this.#settle(message.id, message.answer)
        break
      case 'notification':
        if (message.method === 'progress') this.#progress(message.params)
        else this.#options.onNotification(message.method, message.params)
        break
      case 'request':
        this.#refuse(message.id, message.method)
        break
      case 'stray':
        this.#stray(message.problem)
        break
      case 'noise':
        this.#heard += 1
        counters.noise += 1
        this.#options.onNoise(line)
        break
    }
  }

  #weigh(line: string): void {
    const second = Math.floor(this.#options.clock() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#unasked = 0
    }
    this.#unasked += line.length
    if (this.#unasked > MAX_UNASKED) this.#options.onFlood()
  }

  #settle(id: number, answer: Answer): void {
    const entry = this.#pending.get(id)
    if (entry) {
      this.#pending.delete(id)
      entry.pending.settle(answer)
    } else if (id > this.#lastId) this.#stray(`answered a request ${id} that was never sent`)
    else if (!this.#ignored.delete(id)) this.#options.counters.late += 1
  }

  /** An answer that cannot be to anything we asked: whose it is cannot be known, so it is everybody's. */
  #stray(problem: string): void {
    this.#heard += 1
    this.fail({ kind: 'bad', problem })
  }

  #progress(params: unknown): void {
    const id =
      typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined
    const entry = this.#pending.get(Number(id))
    if (entry) entry.pending.progress += 1
  }

  #refuse(id: unknown, method: string): void {
    if (this.#options.dialect !== 'toolware') return
    const text = typeof id === 'string' || typeof id === 'number' ? id : null
    const message = `the host has no method ${method.slice(0, 80)}`
    const error = { code: -32601, message }
    this.#options.outbox.notify(JSON.stringify({ jsonrpc: '2.0', id: text, error }))
  }
}
