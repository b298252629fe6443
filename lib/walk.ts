import type { Run } from './context.ts'
import { Slot, type Waiting, type Wheel } from './deadline.ts'
import { ToolwareError } from './errors.ts'
import { backIn } from './scope.ts'
import { whenSettled } from './settled.ts'
import type { Waiter } from './signal.ts'
import {
  advance,
  applyAnswer,
  type Entry,
  handlerFailed,
  leaveBehind,
  retreat,
  type Step,
} from './steps.ts'

/** What hears of the promise that is waited for. */
interface Ear {
  readonly answered: (answer: unknown) => void
  readonly failed: (error: unknown) => void
}

/**
 * The slow way through handlers: used from the first one that is pending. It waits for one promise after
 * another. When a handler is given up (its deadline passed, or the caller aborted), it goes on with the next one,
 * and no longer listens to what the old one says, if ever.
 */
export abstract class Walk implements Waiting, Waiter {
  readonly slot: Slot = new Slot()
  outerWaiter: Waiter | undefined
  protected readonly run: Run
  readonly #entries: readonly Entry[]
  readonly #steps: readonly Step[]
  /** Hears of everything until a handler is given up; then a new one takes its place. */
  #ear: Ear | undefined
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
  in(s: number): void {
    const { timeoutMs } = this.#step(s).entry
    const { deadlines, beforeWheel } = this.run.settings
    this.#isWayIn = true
    this.#waitAt(s, timeoutMs === undefined ? beforeWheel : deadlines.of(timeoutMs), 0)
  }

  #step(s: number): Step {
    return this.#steps[s] as Step
  }

  /** Step `s` has spoken, or was given up: on to the next one, unless the call is decided. */
  #goOnIn(s: number): void {
    const { run } = this
    if (run.outcome !== undefined) return this.stopped(this.#step(s).index)
    const next = advance(run, this.#steps, s + 1)
    if (run.outcome !== undefined) this.stopped(this.#step(next).index)
    else if (next === this.#steps.length) this.passed()
    else this.in(next)
  }

  /** Step `s` gave no answer in time, or the caller has gone. */
  #giveUpStep(s: number, cause: 'timeout' | 'aborted'): void {
    const { run } = this
    const step = this.#step(s)
    this.#ear = undefined
    this.#endWait()
    const limit = step.entry.timeoutMs ?? run.settings.beforeTimeoutMs
    const late = cause === 'timeout' ? handlerLate(step.entry.name, step.phase, limit) : undefined
    run.renewView(late ?? run.aborted?.reason)
    if (late !== undefined) handlerFailed(run, step, 'timeout', late)
    this.#goOnIn(s)
  }

  /** Waits for the pending handler of the entry at `i`, then goes on with the rest of the way out. */
  out(i: number): void {
    this.#isWayIn = false
    this.#waitAt(i, this.run.settings.afterWheel, this.run.budgetTicks)
  }

  #goOnOut(i: number, spentTicks: number): void {
    this.run.budgetTicks = spentTicks
    const next = retreat(this.run, this.#entries, i - 1)
    if (next >= 0) this.out(next)
    else this.left()
  }

  /** The budget is spent: the entry at `i` is left behind, and the rest is called without waiting. */
  #giveUpEntry(i: number): void {
    const { run } = this
    const entry = this.#entries[i] as Entry
    const work = this.#work as PromiseLike<unknown>
    this.#ear = undefined
    this.#endWait()
    run.rare.budgetSpent = true
    const phase = run.ran ? 'after' : 'skipped'
    const late = handlerLate(entry.name, phase, run.settings.afterTimeoutMs)
    run.report(entry.name, phase, late)
    leaveBehind(run, entry, work)
    run.renewView(late)
    retreat(run, this.#entries, i - 1)
    this.left()
  }

  #waitAt(at: number, wheel: Wheel | undefined, spentTicks: number): void {
    const work = this.run.pending as PromiseLike<unknown>
    this.#at = at
    this.#work = work
    wheel?.arm(this, spentTicks)
    if (this.run.settings.timesHooks) this.#began = performance.now()
    this.#ear ??= this.#newEar()
    const { answered, failed } = this.#ear
    void whenSettled(work, answered, failed)
  }

  #newEar(): Ear {
    const ear: Ear = {
      answered: (answer) => {
        if (this.#ear === ear) this.#answered(answer)
      },
      failed: (error) => {
        if (this.#ear === ear) this.#failed(error)
      },
    }
    return ear
  }

  #answered(answer: unknown): void {
    const at = this.#at
    const spentTicks = this.#endWait()
    if (this.#isWayIn) {
      applyAnswer(this.run, this.#step(at), answer)
      this.#goOnIn(at)
    } else this.#goOnOut(at, spentTicks)
  }

  #failed(error: unknown): void {
    const { run } = this
    const at = this.#at
    const spentTicks = this.#endWait()
    if (this.#isWayIn) {
      handlerFailed(run, this.#step(at), 'error', error)
      this.#goOnIn(at)
    } else {
      run.report((this.#entries[at] as Entry).name, run.ran ? 'after' : 'skipped', error)
      this.#goOnOut(at, spentTicks)
    }
  }

  /** Answers how many ticks of a deadline have been used up. */
  #endWait(): number {
    this.#at = -1
    if (this.run.settings.timesHooks) this.run.rare.hookMs += performance.now() - this.#began
    return this.slot.wheel?.disarm(this) ?? 0
  }

  /** Takes itself out of every queue. */
  protected end(): void {
    this.slot.wheel?.remove(this)
    if (this.run.facts.signal !== undefined) this.run.unwait(this)
  }

  expire(): void {
    const at = this.#at
    if (at < 0) return
    backIn(this.run.around, () => {
      if (this.#isWayIn) this.#giveUpStep(at, 'timeout')
      else this.#giveUpEntry(at)
    })
  }

  /** The way out is not for the caller to cut short. */
  abort(): void {
    if (this.#at >= 0 && this.#isWayIn) this.#giveUpStep(this.#at, 'aborted')
  }
}

/** What is reported of a handler that was given up. */
export function handlerLate(name: string, phase: string, limitMs: number): ToolwareError {
  return new ToolwareError(
    'HOOK_TIMEOUT',
    `${phase} of ${name} did not settle within ${limitMs} ms`,
  )
}
