import type { Writable } from 'node:stream'
import type { Counters } from './counters.ts'

/** Bounds of an {@link Outbox}. */
export interface OutboxLimits {
  /** Notifications that may wait; the oldest is dropped for a new one. */
  readonly maxNotifications: number
  /** Bytes (UTF-16 units) that may wait, for requests and for notifications each. One line always may. */
  readonly maxBytes: number
}

/** A request that waits to be written; `cancelled` ones are left out. */
export interface Queued {
  readonly line: string
  cancelled: boolean
}

// One write carries at most about this much, so that back-pressure is noticed early.
const BATCH_UNITS = 256 * 1024

/**
 * Writes lines to a child's stdin, together where they come together, and never more than the pipe takes.
 * A child that does not read costs a bounded queue: requests are refused, the oldest notifications dropped.
 */
export class Outbox {
  readonly #stream: Writable
  readonly #limits: OutboxLimits
  readonly #counters: Counters
  #requests: Queued[] = []
  #requestUnits = 0
  #notifications: string[] = []
  #notificationUnits = 0
  #scheduled = false
  #blocked = false
  #ended = false

  constructor(stream: Writable, limits: OutboxLimits, counters: Counters) {
    this.#stream = stream
    this.#limits = limits
    this.#counters = counters
    // Errors arrive here late, long after write() returned. The child's exit tells the rest.
    stream.on('error', () => this.#stop())
    stream.on('close', () => this.#stop())
    stream.on('drain', () => {
      this.#blocked = false
      this.#flush()
    })
  }

  /** Queues a request; undefined when the child has stopped reading and too much waits already. */
  request(line: string): Queued | undefined {
    if (this.#ended) return undefined
    if (this.#requestUnits + line.length > this.#limits.maxBytes) this.#sweep()
    if (this.#requests.length > 0 && this.#requestUnits + line.length > this.#limits.maxBytes) {
      return undefined
    }
    const queued = { line, cancelled: false }
    this.#requests.push(queued)
    this.#requestUnits += line.length
    this.#schedule()
    return queued
  }

  /** Queues a notification, in place of older ones when there are too many. */
  notify(line: string): void {
    if (this.#ended) {
      this.#counters.dropped += 1
      return
    }
    this.#notifications.push(line)
    this.#notificationUnits += line.length
    const { maxNotifications, maxBytes } = this.#limits
    while (
      this.#notifications.length > maxNotifications ||
      (this.#notifications.length > 1 && this.#notificationUnits > maxBytes)
    ) {
      this.#notificationUnits -= this.#notifications.shift()?.length ?? 0
      this.#counters.dropped += 1
    }
    this.#schedule()
  }

  /** Writes what fits and ends the stream. */
  end(): void {
    if (this.#ended) return
    if (!this.#blocked) this.#flush()
    this.#stop()
    this.#stream.end()
  }

  #schedule(): void {
    if (this.#scheduled || this.#blocked) return
    this.#scheduled = true
    // After the microtasks at hand, so that calls which run in parallel share a write.
    process.nextTick(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    while (!this.#blocked && !this.#ended) {
      const batch = this.#nextBatch()
      if (batch === '') return
      this.#counters.bytesOut += batch.length
      this.#blocked = !this.#stream.write(batch, 'utf8')
    }
  }

  #nextBatch(): string {
    let batch = ''
    let taken = 0
    for (const { line, cancelled } of this.#requests) {
      if (batch.length > BATCH_UNITS) break
      taken += 1
      this.#requestUnits -= line.length
      if (!cancelled) batch += `${line}\n`
    }
    this.#requests.splice(0, taken)
    taken = 0
    for (const line of this.#notifications) {
      if (batch.length > BATCH_UNITS) break
      taken += 1
      this.#notificationUnits -= line.length
      batch += `${line}\n`
    }
    this.#notifications.splice(0, taken)
    return batch
  }

  /** Leaves out what nobody waits for any more. */
  #sweep(): void {
    this.#requests = this.#requests.filter(({ cancelled }) => !cancelled)
    this.#requestUnits = this.#requests.reduce((units, { line }) => units + line.length, 0)
  }

  #stop(): void {
    this.#ended = true
    this.#counters.dropped += this.#notifications.length
    this.#requests = []
    this.#notifications = []
    this.#requestUnits = 0
    this.#notificationUnits = 0
  }
}
