import type { Run } from './context.ts'
import { entryOf, NO_POSITION } from './entry.ts'
import { whenAnswered } from './settled.ts'
import { advance, type Entry, retreat, type Step, stepsOf } from './steps.ts'
import type { Enclosing } from './surroundings.ts'
import type { AnyHook, Middleware, Next } from './types.ts'
import { notInside, View } from './view.ts'
import { Walk } from './walk.ts'

/**
 * What lies further in: the gate, or koa-compose's `next`. Undefined means that the call was settled without
 * anything to wait for.
 */
export type Inner = (run: Run) => PromiseLike<unknown> | undefined

/** What the outermost part of a plan ends a call with; parts further in pass on what was thrown. */
export type End = (run: Run) => unknown

/**
 * Adjacent hooks, fused into one onion middleware.
 *
 * Way in: every hook's `check`, then its `before`, in list order. The first deny ends it. Way out: `after` or
 * `skipped` of every hook that was entered, in reverse. It stays synchronous until a handler returns a promise;
 * from there on a {@link Walk} goes the same way slowly. The gate starts the tool; whoever is next to it takes
 * the tool's answer, so that N hooks cost one promise in all.
 */
export class Ring {
  readonly entries: readonly Entry[]
  readonly steps: readonly Step[]
  readonly end: End
  /** Made once, not per call. */
  readonly #leaveAll: End = (run) => this.leave(run, this.entries.length - 1)

  constructor(entries: readonly Entry[], end: End) {
    this.entries = entries
    this.steps = stepsOf(entries)
    this.end = end
  }

  go(run: Run, inner: Inner): unknown {
    run.depth++
    const s = advance(run, this.steps, 0)
    if (run.outcome !== undefined) return this.leave(run, this.enteredAt(s))
    if (s < this.steps.length) return new RingWalk(this, run, inner).goOnIn(s)
    const pending = inner(run)
    return pending === undefined ? this.#leaveAll(run) : takeAnswer(run, pending, this.#leaveAll)
  }

  /** The way out of the entries up to `index`. */
  leave(run: Run, index: number): unknown {
    run.turnAround()
    const i = retreat(run, this.entries, index)
    if (i >= 0) return new RingWalk(this, run, undefined).goOnOut(i)
    run.depth--
    return this.end(run)
  }

  /** The last hook entered when the way in ended at step `s`; a hook without steps is entered in passing. */
  enteredAt(s: number): number {
    return (this.steps[s] as Step).index
  }
}

/** The slow way through a ring. */
class RingWalk extends Walk {
  readonly #ring: Ring
  readonly #inner: Inner | undefined
  #resolve!: (value: unknown) => void

  constructor(ring: Ring, run: Run, inner: Inner | undefined) {
    super(run, ring.entries, ring.steps)
    this.#ring = ring
    this.#inner = inner
  }

  goOnIn(s: number): Promise<unknown> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.in(s)
    })
  }

  goOnOut(i: number): Promise<unknown> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.out(i)
    })
  }

  protected passed(): void {
    const { run } = this
    const last = this.#ring.entries.length - 1
    const pending = this.#inner?.(run)
    if (pending === undefined) return this.stopped(last)
    takeAnswer(run, pending, () => this.stopped(last))
  }

  protected stopped(index: number): void {
    const { run } = this
    run.turnAround()
    const i = retreat(run, this.#ring.entries, index)
    if (i >= 0) this.out(i)
    else this.left()
  }

  protected left(): void {
    this.end()
    this.run.depth--
    try {
      this.#resolve(this.#ring.end(this.run))
    } catch (error) {
      this.#resolve(Promise.reject(error))
    }
  }
}

const carried = new WeakMap<Middleware, readonly Entry[]>()

/** The hooks that {@link adapt} made a middleware of, so that a pipeline can fuse them with their neighbours. */
export function hooksOf(middleware: Middleware): readonly Entry[] | undefined {
  return carried.get(middleware)
}

/**
 * Adapts hooks into one onion middleware for use inside a pipeline. `adapt([a, b])` behaves exactly as
 * `compose([adapt([a]), adapt([b])])`.
 *
 * @throws {TypeError} When one of them is no hook.
 */
export function adapt(hooks: readonly AnyHook[]): Middleware {
  const ring = new Ring(
    hooks.map((hook) => entryOf(hook, NO_POSITION)),
    passOn,
  )
  const middleware: Middleware = (ctx, next) => {
    const run = View.run(ctx)
    return byHand(run, ring.entries, next, (rest) => ring.go(run, rest))
  }
  carried.set(middleware, ring.entries)
  return middleware
}

/** Runs a part for a middleware function that was not flattened into the plan, with the `next` it was given. */
export function byHand(
  run: Run,
  entries: readonly Entry[],
  next: Next,
  go: (rest: Next) => unknown,
): unknown {
  const { frame } = run
  if (frame === undefined) throw notInside()
  run.addInner(entries)
  const work = go(() => theRest(run, frame, next))
  if (work instanceof Promise) frame.hold(work)
  return work
}

/** Nobody has vouched for such a `next`: when it settles and the call has not, the hooks would leave without an outcome. */
async function theRest(run: Run, frame: Enclosing, next: Next): Promise<void> {
  try {
    await next()
  } finally {
    if (run.outcome === undefined) await Promise.allSettled([frame.notTheRest()])
  }
}

/** Takes the tool's answer, unless a part further in has done so, and goes on. */
export function takeAnswer<T>(
  run: Run,
  pending: PromiseLike<unknown>,
  goOn: (run: Run) => T,
): Promise<Awaited<T>> {
  return whenAnswered(
    pending,
    (value) => {
      if (run.running) run.complete(value)
      return goOn(run)
    },
    (error: unknown) => {
      if (run.running) run.toolFailed(error)
      return goOn(run)
    },
  )
}

/** How every part but the outermost ends: what the tool or a middleware threw travels on, as in Koa. */
export function passOn(run: Run): undefined {
  if (run.thrown === undefined) return undefined
  run.frame?.hush()
  throw run.thrown.error
}
