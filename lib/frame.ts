import type { End } from './adapt.ts'
import type { Run } from './context.ts'
import { Slot, type Waiting } from './deadline.ts'
import { NO_POSITION } from './entry.ts'
import { ToolwareError } from './errors.ts'
import { type Fault, isToolFault } from './outcome.ts'
import type { OpinionRecord } from './rare.ts'
import { backIn } from './scope.ts'
import { isThenable, whenSettled } from './settled.ts'
import type { Waiter } from './signal.ts'
import { abandon, hookFault } from './steps.ts'
import type { Enclosing } from './surroundings.ts'
import type {
  AskRequest,
  DenyOptions,
  Middleware,
  MiddlewareContext,
  NewParams,
  Next,
  Outcome,
} from './types.ts'
import { ask, deny } from './verdict.ts'
import { View } from './view.ts'

const NO_NEXT = 'returned without calling next(); use ctx.deny() or ctx.respond().'
const NOT_AWAITED = 'settled before next() had; await next() or return it.'
const NOT_THE_REST =
  'gave adapt() or compose() a next() that did not run the rest of the call; pass on your own next.'

/** A middleware function with the name that texts and logs show for it. */
export interface NamedMiddleware {
  readonly fn: Middleware
  readonly name: string
  readonly position: number
}

/** One part of a plan that is a middleware function. */
export interface Guarded extends NamedMiddleware {
  readonly end: End
}

/**
 * One passage through a middleware function, and the context it gets. `run.depth` tells whether the inner
 * part has settled: every part inside adds one when it is entered and takes it off when it settles.
 */
export class Frame extends View implements MiddlewareContext, Waiter, Waiting, Enclosing {
  readonly slot: Slot = new Slot()
  outerWaiter: Waiter | undefined
  readonly #run: Run
  readonly #part: Guarded
  readonly #next: () => Promise<unknown>
  readonly #depth: number
  readonly #outer: Enclosing | undefined
  #calls = 0
  #inner: Promise<unknown> | undefined
  /** Parts that the function runs by hand. */
  #held: PromiseLike<unknown>[] | undefined
  /** Assigned to `ctx.result` while the tool had failed: counts if the function settles without throwing. */
  #recovery: { readonly value: unknown } | undefined
  #abandon: (() => void) | undefined

  constructor(run: Run, part: Guarded, next: () => Promise<unknown>) {
    super(run)
    this.#run = run
    this.#part = part
    this.#next = next
    this.#depth = ++run.depth
    this.#outer = run.frame
    run.frame = this
  }

  go(): unknown {
    let value: unknown
    try {
      value = this.#part.fn(this, this.#enter)
      if (!isThenable(value)) return this.#settle()
    } catch (error) {
      return this.#settle({ error })
    }
    if (this.#run.facts.signal !== undefined) return this.#orAbort(value)
    return whenSettled(
      value,
      () => this.#settle(),
      (error: unknown) => this.#settle({ error }),
    )
  }

  /** The function's `next`. */
  readonly #enter: Next = () => {
    const run = this.#run
    this.#calls++
    if (this.#calls === 1) {
      // Denied or aborted: nothing further in runs, and there is nothing to wait for.
      if (run.outcome !== undefined) return Promise.resolve()
      this.#inner = this.#next()
      if (run.thrown !== undefined) this.hush()
      return this.#inner
    }
    run.fail(this.#fault('NEXT_TWICE', 'called next() more than once; the tool runs at most once.'))
    const refused = this.#inner === undefined ? Promise.resolve() : this.#next()
    refused.catch(() => undefined)
    return refused
  }

  /** The inner part rejects. The function may have forgotten it; the frame looks at how it ended. */
  hush(): void {
    this.#inner?.catch(() => undefined)
  }

  hold(part: PromiseLike<unknown>): void {
    // The function may have forgotten it, and may await it.
    abandon(part)
    this.#held ??= []
    this.#held.push(part)
  }

  notTheRest(): PromiseLike<unknown> | undefined {
    if (this.#inner === undefined) this.#run.block(this.#fault('SHORT_CIRCUIT', NOT_THE_REST))
    else this.#run.fail(this.#fault('NEXT_NOT_AWAITED', NOT_AWAITED))
    return this.#inner
  }

  /** The function has settled or thrown. */
  #settle(thrown?: { readonly error: unknown }): unknown {
    const run = this.#run
    if (run.depth > this.#depth) return this.#settledEarly(thrown)
    if (thrown !== undefined) this.#threw(thrown.error)
    else if (run.outcome === undefined) run.block(this.#fault('SHORT_CIRCUIT', NO_NEXT))
    else if (this.#recovery !== undefined && recoverable(run)) {
      run.recover(this.#recovery.value, this.#part.name)
    }
    return this.#leave()
  }

  /** The gate closes, and what runs is waited for. */
  #settledEarly(thrown: { readonly error: unknown } | undefined): unknown {
    const run = this.#run
    const fault = this.#fault('NEXT_NOT_AWAITED', NOT_AWAITED)
    run.fail(fault)
    if (thrown !== undefined) run.report(this.#part.name, 'middleware', thrown.error)
    const leave = (): unknown => {
      run.fail(fault)
      return this.#leave()
    }
    return Promise.allSettled([this.#inner, ...(this.#held ?? [])]).then(leave)
  }

  #threw(error: unknown): void {
    const run = this.#run
    const { outcome } = run
    const { name } = this.#part
    if (run.thrown !== undefined && Object.is(run.thrown.error, error)) return
    if (this.#calls > 1) return
    if (outcome === undefined || outcome.status === 'completed') {
      run.report(name, 'middleware', error)
      this.#note({ opinion: 'failed', code: 'HOOK_FAILED' })
      run.fail(hookFault(run, 'HOOK_FAILED', name, error))
    } else if (recoverable(run)) {
      run.rethrown(name, error)
    } else {
      run.report(name, 'middleware', error)
    }
  }

  #leave(): unknown {
    this.slot.wheel?.remove(this)
    this.#run.depth = this.#depth - 1
    this.#run.frame = this.#outer
    return this.#part.end(this.#run)
  }

  /** A broken rule of the onion. `next()` rejects with it further out, once the tool has run. */
  #fault(code: Fault['code'], what: string): Fault {
    const reason = `${this.#part.name} ${what}`
    this.#note({ opinion: 'failed', code, reason })
    return { code, by: this.#part.name, reason, error: new ToolwareError(code, reason) }
  }

  /** For `explain`. */
  #note(said: Omit<OpinionRecord, 'hook' | 'phase'>): void {
    const { name, position } = this.#part
    this.#run.note({ hook: name, phase: 'middleware', ...said }, position)
  }

  /** The caller does not wait for a function that hangs; one that only has to unwind gets the after-budget. */
  #orAbort(settled: PromiseLike<unknown>): Promise<unknown> {
    const run = this.#run
    return new Promise((resolve) => {
      const finish = (end: () => unknown): void => {
        if (this.#abandon === undefined) return
        this.#abandon = undefined
        run.unwait(this)
        try {
          resolve(end())
        } catch (error) {
          resolve(Promise.reject(error))
        }
      }
      this.#abandon = () => {
        finish(() => {
          run.settleAborted()
          return this.#leave()
        })
      }
      run.wait(this)
      if (run.aborted !== undefined) this.abort()
      void whenSettled(
        settled,
        () => finish(() => this.#settle()),
        (error: unknown) => finish(() => this.#settle({ error })),
      )
    })
  }

  abort(): void {
    if (this.#isInnerUnwinding) this.#armBudget()
    else this.#abandon?.()
  }

  /** Whoever is further in leaves first, each part within the budget. */
  expire(): void {
    backIn(this.#run.around, () => this.abort())
  }

  get #isInnerUnwinding(): boolean {
    return this.#run.depth > this.#depth
  }

  #armBudget(): void {
    this.#run.settings.afterWheel?.arm(this)
  }

  /** What a function says of the result once it has settled is void: whoever is further out has the word. */
  get #hasLeft(): boolean {
    return this.#run.depth < this.#depth
  }

  get outcome(): Outcome {
    return this.#run.shown
  }

  get result(): unknown {
    const { outcome } = this.#run
    return outcome?.status === 'completed' ? outcome.result : undefined
  }

  set result(value: unknown) {
    const run = this.#run
    if (this.#hasLeft) {
      const said = new ToolwareError('HOOK_FAILED', 'assigned ctx.result after it had settled')
      run.report(this.#part.name, 'middleware', said)
    } else if (run.outcome?.status === 'completed') run.replaceResult(value)
    else if (recoverable(run)) this.#recovery = { value }
  }

  deny(reason?: string, options: DenyOptions = {}): void {
    const verdict = deny(reason, options)
    const { code = 'DENIED', rule, notice, retryAfterMs, details } = verdict
    const said = { code, reason: verdict.reason, rule }
    const { name } = this.#part
    this.#note({ opinion: 'deny', ...said })
    this.#run.deny({ ...said, by: name, notice, retryAfterMs, details })
  }

  ask(request: AskRequest): void {
    this.#beforeGate('ask')
    const asked = ask(request)
    this.#note({ opinion: 'ask', reason: asked.request.title })
    this.#run.addAsk(this.#part.name, this.#part, 'middleware', asked.request)
  }

  rewrite(params: NewParams): void {
    this.#beforeGate('rewrite')
    const run = this.#run
    const { name } = this.#part
    // After next(), who is further in may have judged the old params already.
    const position = this.#calls > 0 ? NO_POSITION : this.#part.position
    const before = run.params
    const problem = run.replaceParams(params, position)
    if (problem !== undefined) return this.#badRewrite(problem)
    this.#note({ opinion: 'rewrite', params: run.params })
    if (run.rareIfAny?.fixedBy !== undefined && run.params !== before) {
      run.block({ code: 'PARAMS_CHANGED_AFTER_APPROVAL', by: name, reason: run.rareIfAny?.fixedBy })
    }
  }

  /** As for hooks: told to the log and listeners, and to the model only with `exposeErrors`. */
  #badRewrite(problem: string): void {
    const run = this.#run
    const fault = this.#fault('HOOK_BAD_ANSWER', `rewrote the params: ${problem}.`)
    run.report(this.#part.name, 'middleware', fault.error)
    run.block(run.settings.exposeErrors ? fault : { ...fault, reason: 'hook failed' })
  }

  respond(value: unknown): void {
    this.#beforeGate('respond')
    this.#run.rare.response = { value }
  }

  transform(fn: (chunk: unknown) => unknown): void {
    this.#beforeGate('transform')
    const { rare } = this.#run
    rare.transforms ??= []
    rare.transforms.push({ fn, by: this.#part.name })
  }

  #beforeGate(what: string): void {
    const run = this.#run
    if (run.gated || run.outcome !== undefined) {
      const message = `ctx.${what}() came too late: call it before next(), and not after a deny`
      throw new ToolwareError('HOOK_FAILED', message)
    }
  }
}

/** Only what the tool itself threw can be answered for. */
function recoverable(run: Run): boolean {
  const { outcome } = run
  return outcome?.status === 'failed' && isToolFault(outcome)
}

const streamSafeFunctions = new WeakSet<Middleware>()

/**
 * Says that a middleware function does not look at `ctx.result`, so that a stream need not be buffered for it.
 *
 * @returns The same function.
 */
export function streamSafe<F extends Middleware>(fn: F): F {
  streamSafeFunctions.add(fn)
  return fn
}

export function isStreamSafe(fn: Middleware): boolean {
  return streamSafeFunctions.has(fn)
}
