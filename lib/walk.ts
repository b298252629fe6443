import type { Run, Waiter } from './context.ts'
import { Slot, type Waiting, type Wheel } from './deadline.ts'
import { ToolwareError } from './errors.ts'
import {
  advance,
  applyAnswer,
  type Entry,
  handlerFailed,
  leaveBehind,
  retreat,
  type Step,
} from './steps.ts'

/**
 * The slow way through handlers: used from the first one that is pending. One coroutine drives it, awaiting
 * one promise after another. When a handler is given up (its deadline passed, or the caller aborted), a new
 * coroutine takes over from the next handler; the old one finds its turn gone when its promise settles, if ever.
 */
export abstract class Walk implements Waiting, Waiter {
  readonly slot: Slot = new Slot()
  outerWaiter: Waiter | undefined
  protected readonly run: Run
  readonly #entries: readonly Entry[]
  readonly #steps: readonly Step[]
  /** Which coroutine drives; only the latest may go on. */
  #turn = 0
  /** The step, or on the way out the entry, that is waited for; -1 when none is. */
  #at = -1
  #isWayIn = true
  #work: PromiseLike<unknown> | undefined
  #began = 0

  constructor(run: Run, entries: readonly Entry[], steps: readonly Step[]) {
    this.run = run
    this.#entries = entries
    this.#steps = steps
    if (run.facts.signal !== undefined) run.wait(this)
  }

  /** Every handler of the way in has answered and nobody has blocked. */
  protected abstract passed(): void
  /** The call was decided on the way in, when the entry at `index` had been entered. */
  protected abstract stopped(index: number): void
  /** Every handler of the way out has been called. */
  protected abstract left(): void

  /** Waits for the pending handler of step `s`, then goes on with the rest of the way in. */
  async in(s: number): Promise<void> {
    const { run } = this
    const turn = ++this.#turn
    for (;;) {
      const step = this.#steps[s] as Step
      this.#isWayIn = true
      this.#startWait(s, step.entry.timeoutMs ?? run.settings.beforeTimeoutMs, 0)
      try {
        const answer = await this.#work
        if (turn !== this.#turn) return
        this.#endWait()
        if (answer !== true) applyAnswer(run, step, answer)
      } catch (error) {
        if (turn !== this.#turn) return
        this.#endWait()
        handlerFailed(run, step, 'error', error)
      }
      if (run.outcome !== undefined) return this.stopped(step.index)
      s = advance(run, this.#steps, s + 1)
      if (run.outcome !== undefined) return this.stopped((this.#steps[s] as Step).index)
      if (s === this.#steps.length) return this.passed()
    }
  }

  /** Step `s` gave no answer in time, or the caller has gone: on to the next one, unless the call is decided. */
  #giveUpStep(s: number, cause: 'timeout' | 'aborted'): void {
    const { run } = this
    const step = this.#steps[s] as Step
    this.#turn++
    this.#endWait()
    const limit = step.entry.timeoutMs ?? run.settings.beforeTimeoutMs
    const late = cause === 'timeout' ? handlerLate(step.entry.name, step.phase, limit) : undefined
    run.renewView(late ?? run.aborted?.reason)
    if (late !== undefined) handlerFailed(run, step, 'timeout', late)
    if (run.outcome === undefined) {
      const at = advance(run, this.#steps, s + 1)
      if (run.outcome === undefined) {
        if (at === this.#steps.length) this.passed()
        else void this.in(at)
        return
      }
      s = at
    }
    this.stopped((this.#steps[s] as Step).index)
  }

  /** Waits for the pending handler of the entry at `i`, then goes on with the rest of the way out. */
  async out(i: number): Promise<void> {
    const { run } = this
    const turn = ++this.#turn
    while (i >= 0) {
      const entry = this.#entries[i] as Entry
      this.#isWayIn = false
      this.#startWait(i, run.settings.afterTimeoutMs, run.budgetTicks)
      try {
        await this.#work
        if (turn !== this.#turn) return
      } catch (error) {
        // What is left behind reports its own rejection.
        if (turn !== this.#turn) return
        run.report(entry.name, run.ran ? 'after' : 'skipped', error)
      }
      run.budgetTicks = this.#endWait()
      i = retreat(run, this.#entries, i - 1)
    }
    this.left()
  }

  /** The budget is spent: the entry at `i` is left behind, and the rest is called without waiting. */
  #giveUpEntry(i: number): void {
    const { run } = this
    const entry = this.#entries[i] as Entry
    const work = this.#work as PromiseLike<unknown>
    this.#turn++
    this.#endWait()
    run.budgetSpent = true
    const phase = run.ran ? 'after' : 'skipped'
    const late = handlerLate(entry.name, phase, run.settings.afterTimeoutMs)
    run.report(entry.name, phase, late)
    leaveBehind(run, entry, work)
    run.renewView(late)
    retreat(run, this.#entries, i - 1)
    this.left()
  }

  /** Takes itself out of every queue. */
  protected end(): void {
    this.slot.wheel?.remove(this)
    if (this.run.facts.signal !== undefined) this.run.unwait(this)
  }

  #startWait(at: number, limitMs: number, spent: number): void {
    const { pending, settings } = this.run
    this.#at = at
    this.#work = pending
    const wheel: Wheel | undefined = settings.deadlines.of(limitMs)
    wheel?.arm(this, spent)
    if (settings.timing === 'hooks') this.#began = performance.now()
  }

  #endWait(): number {
    this.#at = -1
    if (this.run.settings.timing === 'hooks')
      this.run.rare.hookMs += performance.now() - this.#began
    return this.slot.wheel?.disarm(this) ?? 0
  }

  expire(): void {
    if (this.#at < 0) return
    if (this.#isWayIn) this.#giveUpStep(this.#at, 'timeout')
    else this.#giveUpEntry(this.#at)
  }

  /** The way out is not for the caller to cut short. */
  abort(): void {
    if (this.#at >= 0 && this.#isWayIn) this.#giveUpStep(this.#at, 'aborted')
  }
}

function handlerLate(name: string, phase: string, limitMs: number): ToolwareError {
  return new ToolwareError(
    'HOOK_TIMEOUT',
    `${phase} of ${name} did not settle within ${limitMs} ms`,
  )
}
