import { AsyncResource } from 'node:async_hooks'
import pTimeout from 'p-timeout'

/** What waits in a {@link Wheel}: at most one deadline at a time. */
export interface Waiting {
  /** Called once, when the deadline has passed. */
  expire(): void
  /** The wheel's own bookkeeping. */
  readonly slot: Slot
}

/** A place in a wheel's queue. */
export class Slot {
  wheel: Wheel | undefined
  /** Something is waited for. */
  isArmed = false
  /** The tick at which the deadline passes. */
  due = 0
  /** The tick at which the wheel looks at it. */
  look = 0
  before: Waiting | undefined
  behind: Waiting | undefined
}

const PARTS = 16
const MAX_TICK_MS = 50

/**
 * Deadlines of one duration. Arming one is two assignments: the queue is in order of arming, an interval looks
 * at its head, and what was armed again meanwhile moves to the tail. Never early; late by at most a sixteenth,
 * or 50 ms. The interval keeps the process alive while something waits and stops at the tick after.
 */
export class Wheel {
  readonly #tickMs: number
  readonly #span: number
  #now = 0
  #head: Waiting | undefined
  #tail: Waiting | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #nowhere: AsyncResource
  readonly #onTick = (): void => this.#tick()

  /** @param nowhere The async context of the timer. Default: where the wheel is made. */
  constructor(durationMs: number, nowhere: AsyncResource = newNowhere()) {
    this.#nowhere = nowhere
    this.#tickMs = Math.max(1, Math.min(MAX_TICK_MS, Math.floor(durationMs / PARTS)))
    // One tick more, since the current one has begun already.
    this.#span = Math.ceil(durationMs / this.#tickMs) + 1
  }

  /** Starts a deadline; `spent` ticks of it are used up already. */
  arm(waiting: Waiting, spent: number = 0): void {
    const { slot } = waiting
    const due = this.#now + this.#span - spent
    if (slot.wheel !== this) {
      slot.wheel?.remove(waiting)
      this.#insert(waiting, due)
    }
    slot.isArmed = true
    slot.due = due
  }

  /** Ends the deadline and tells how many ticks it had been running. The place in the queue stays, for the next one. */
  disarm(waiting: Waiting): number {
    const { slot } = waiting
    slot.isArmed = false
    return this.#now + this.#span - slot.due
  }

  /** Takes it out for good. */
  remove(waiting: Waiting): void {
    const { slot } = waiting
    if (slot.wheel !== this) return
    if (slot.before === undefined) this.#head = slot.behind
    else slot.before.slot.behind = slot.behind
    if (slot.behind === undefined) this.#tail = slot.before
    else slot.behind.slot.before = slot.before
    slot.wheel = slot.before = slot.behind = undefined
    slot.isArmed = false
  }

  /** In order of `look`. That is the tail, but for a deadline that is partly used up. */
  #insert(waiting: Waiting, look: number): void {
    const { slot } = waiting
    slot.wheel = this
    slot.look = look
    let before = this.#tail
    while (before !== undefined && before.slot.look > look) before = before.slot.before
    slot.before = before
    slot.behind = before === undefined ? this.#head : before.slot.behind
    if (slot.behind === undefined) this.#tail = waiting
    else slot.behind.slot.before = waiting
    if (before === undefined) this.#head = waiting
    else before.slot.behind = waiting
    // Not in the async context of the call that happens to be the first to wait: the timer serves all.
    this.#timer ??= this.#nowhere.runInAsyncScope(
      setInterval,
      undefined,
      this.#onTick,
      this.#tickMs,
    )
  }

  #tick(): void {
    this.#now++
    while (this.#head !== undefined && this.#head.slot.look <= this.#now) {
      const waiting = this.#head
      const { isArmed, due } = waiting.slot
      this.remove(waiting)
      if (!isArmed) continue
      if (due <= this.#now) waiting.expire()
      else {
        this.#insert(waiting, due)
        waiting.slot.isArmed = true
      }
    }
    if (this.#head === undefined) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}

function newNowhere(): AsyncResource {
  return new AsyncResource('ToolwareDeadlines', { requireManualDestroy: true })
}

/** The wheels of a pipeline, one per duration in use. */
export class Deadlines {
  readonly #wheels = new Map<number, Wheel>()
  readonly #nowhere = newNowhere()

  /** The wheel for a duration in milliseconds; undefined when there is no deadline (0 or Infinity). */
  of(durationMs: number): Wheel | undefined {
    if (durationMs <= 0 || durationMs === Number.POSITIVE_INFINITY) return undefined
    let wheel = this.#wheels.get(durationMs)
    if (wheel === undefined) {
      wheel = new Wheel(durationMs, this.#nowhere)
      this.#wheels.set(durationMs, wheel)
    }
    return wheel
  }
}

/** Timers that stand in for those of this process. */
export interface Timers {
  readonly setTimeout: (run: () => void, ms: number) => unknown
  readonly clearTimeout: (timer: unknown) => void
}

/** The longest time that a timer can count, some 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Says that {@link withTimeout} gave up. */
export const TIMED_OUT: unique symbol = Symbol('timed out')

/**
 * Waits for something that is long anyway (a tool, a person, a child process), at most `durationMs`
 * milliseconds; 0 and Infinity wait for ever. Dear beside a {@link Wheel}, so not for hooks.
 *
 * @returns The value, or {@link TIMED_OUT}. Rejects as the promise does.
 */
export function withTimeout<T>(
  promise: PromiseLike<T>,
  durationMs: number,
  timers?: Timers,
): PromiseLike<T | typeof TIMED_OUT> {
  if (durationMs <= 0 || durationMs === Number.POSITIVE_INFINITY) return promise
  if (durationMs > MAX_TIMER_MS) {
    // A timer that is asked for more than it can count would fire at once.
    return withTimeout(promise, MAX_TIMER_MS, timers).then((value) =>
      value === TIMED_OUT ? withTimeout(promise, durationMs - MAX_TIMER_MS, timers) : value,
    )
  }
  const fallback = (): typeof TIMED_OUT => TIMED_OUT
  const options = { milliseconds: durationMs, fallback }
  if (timers === undefined) return pTimeout(promise, options)
  // p-timeout types its timers as those of Node; it only hands back what `setTimeout` gave.
  const customTimers = timers as unknown as typeof globalThis
  return pTimeout(promise, { ...options, customTimers })
}
