import { randomUUID } from 'node:crypto'
import { isToolwareError } from './errors.ts'
import {
  Aborted,
  Blocked,
  Completed,
  CompletedView,
  Failed,
  type Fault,
  messageOf,
  Pending,
  type Times,
} from './outcome.ts'
import { sameParams, takeParams, whatInstead } from './params.ts'
import { type Asked, noneYet, type OpinionRecord, type Rare, sameAsker } from './rare.ts'
import type { Ambient } from './scope.ts'
import type { Following, Waiter } from './signal.ts'
import type { Entry } from './steps.ts'
import type { Enclosing, PlanHooks, Settings } from './surroundings.ts'
import type { AskRequest, Facts, Outcome, Params, Tool } from './types.ts'
import { fixesParams, tellResolution } from './verdict.ts'
import { View } from './view.ts'

const NO_TIMES: Times = { durationMs: 0 }

/** One passage of a call through a pipeline: everything that changes while it lasts. Nobody outside sees it. */
export class Run {
  readonly settings: Settings
  readonly toolName: string
  readonly facts: Facts
  readonly tool: Tool<never>
  readonly plan: PlanHooks
  params: Params
  /** What became of the call. Set at once when it is decided, so every loop can look at it. */
  outcome: Outcome | undefined
  /** The tool was called. */
  started = false
  /** The tool was called and nobody has taken its answer yet. */
  running = false
  /** The gate was entered: too late to ask, rewrite or respond. */
  gated = false
  /** What a middleware threw, or the tool: `next()` rejects with it further out. */
  thrown: { readonly error: unknown } | undefined
  /** How many middleware functions and rings are between entered and settled. */
  depth = 0
  /** The innermost middleware function that was entered and has not settled. */
  frame: Enclosing | undefined
  /** The promise of the handler that is being waited for; set by `advance` and `retreat`. */
  pending: PromiseLike<unknown> | undefined
  /** Ticks of the after-budget that are used up. */
  budgetTicks = 0
  view: View
  /** What flows along with it, when it runs in a scope. */
  around: Ambient | undefined
  /** Set when the caller can call it off. */
  following: Following | undefined
  readonly #began: number
  #shown: CompletedView | undefined
  #rare: Rare | undefined

  constructor(
    settings: Settings,
    plan: PlanHooks,
    toolName: string,
    facts: Facts,
    params: Params,
    tool: Tool<never>,
  ) {
    this.settings = settings
    this.plan = plan
    this.toolName = toolName
    this.facts = facts
    this.params = params
    this.tool = tool
    this.view = new View(this)
    this.#began = settings.readsClock ? performance.now() : 0
  }

  /** True once the tool ran or was answered for: hooks leave through `after`, else through `skipped`. */
  get ran(): boolean {
    return this.started || (this.#rare?.answered ?? false)
  }

  get rare(): Rare {
    this.#rare ??= noneYet()
    return this.#rare
  }

  /** The rare parts, if any were needed. */
  get rareIfAny(): Rare | undefined {
    return this.#rare
  }

  /** The params as the call came with them. */
  get original(): Params {
    return this.#rare?.original ?? this.params
  }

  /** The caller has given the call up. */
  get aborted(): Rare['aborted'] {
    return this.#rare?.aborted
  }

  /** Everybody who has asked for a person's decision. */
  get asks(): readonly Asked[] | undefined {
    return this.#rare?.asks
  }

  /** `check` runs again, at the gate. */
  get rechecking(): boolean {
    return this.#rare?.rechecking ?? false
  }

  get id(): string {
    this.rare.id ??= randomUUID()
    return this.rare.id
  }

  get argumentsJson(): string {
    const { rare } = this
    if (rare.json === undefined || rare.jsonOf !== this.params) {
      rare.json = JSON.stringify(this.params)
      rare.jsonOf = this.params
    }
    return rare.json
  }

  /** The outcome as hooks, middleware and listeners get it: the same for all of them, and not theirs to change. */
  get shown(): Outcome {
    const outcome = this.outcome as Outcome
    if (!(outcome instanceof Completed)) return outcome
    if (this.#shown === undefined || !this.#shown.shows(outcome)) {
      this.#shown = new CompletedView(outcome)
    }
    return this.#shown
  }

  /** The end of a call that the pipeline has finished with. */
  finish(): Outcome {
    const outcome = this.outcome as Outcome
    const rare = this.#rare
    if (rare?.asks !== undefined && !rare.put && rare.judging === undefined) {
      for (const asked of rare.asks) this.#withdraw(asked)
    }
    this.settings.settled(this, outcome)
    return outcome
  }

  times(): Times {
    const { readsClock, timesHooks } = this.settings
    if (!readsClock) return NO_TIMES
    const durationMs = performance.now() - this.#began
    const waitMs = this.#rare?.waitMs ?? 0
    if (!timesHooks) return waitMs === 0 ? { durationMs } : { durationMs, waitMs }
    return { durationMs, hookMs: this.rare.hookMs, waitMs }
  }

  /** Ends the way in: the tool will not run. The first block stands. */
  block(fault: Fault): void {
    this.outcome ??= Object.freeze(new Blocked(fault, this.times()))
  }

  /** A fault of the onion's rules, or a middleware that threw: blocks before the tool, withholds its result after. */
  fail(fault: Fault): void {
    if (this.aborted !== undefined) return
    if (this.outcome === undefined) {
      if (this.running) this.rare.verdictWhenDone ??= fault
      else this.block(fault)
    } else if (this.outcome.status === 'completed') this.#withhold(fault)
  }

  /** As {@link fail}, and stands over any other failure. The first deny stands. */
  deny(fault: Fault): void {
    const { rare } = this
    if (rare.denied) return
    rare.denied = true
    if (this.running && this.outcome === undefined) rare.verdictWhenDone = fault
    else if (this.outcome?.status === 'failed') this.#withhold(fault)
    else this.fail(fault)
  }

  #withhold(fault: Fault): void {
    this.thrown = 'error' in fault ? { error: fault.error } : undefined
    this.outcome = Object.freeze(new Failed(fault, this.started, this.times()))
  }

  /** The tool has answered, or somebody answered for it. */
  complete(value: unknown): void {
    this.running = false
    if (this.outcome !== undefined) return
    if (this.#rare?.verdictWhenDone !== undefined) this.#withhold(this.#rare?.verdictWhenDone)
    else this.outcome = new Completed(value, this.started, this.times())
  }

  /** The tool threw or timed out. */
  toolFailed(error: unknown, fault: Fault = faultOf(error)): void {
    this.running = false
    if (this.outcome === undefined) this.#withhold(this.#rare?.verdictWhenDone ?? fault)
  }

  /** A middleware has thrown another error for the tool's: the call keeps its code, and tells of both. */
  rethrown(by: string, error: unknown): void {
    const outcome = this.outcome as Failed
    const { code, reason } = outcome
    const details = { ...outcome.details, rethrownBy: by, rethrown: messageOf(error) }
    const fault = { code, by: outcome.by, reason, details, error: outcome.error }
    this.#withhold(fault)
    this.thrown = { error }
  }

  /** A person has to decide; nothing is reserved anew, nothing given back. */
  suspend(approvalId: string): void {
    this.outcome ??= Object.freeze(new Pending(approvalId, this.times()))
  }

  /** Puts another result in the place of the tool's. */
  replaceResult(value: unknown): void {
    const { recovered, toolError } = this.outcome as Completed
    this.outcome = new Completed(value, this.started, this.times(), recovered, toolError)
  }

  /** A middleware has answered for a failed tool. */
  recover(value: unknown, by: string): void {
    const toolError = this.outcome?.status === 'failed' ? this.outcome.error : undefined
    this.thrown = undefined
    this.outcome = new Completed(value, this.started, this.times(), by, toolError)
  }

  /** Replaces the params; answers what is wrong with them, if anything. */
  replaceParams(params: unknown, position: number): string | undefined {
    const { intake } = this.settings
    const notObject = whatInstead(params)
    if (notObject !== undefined) return `params must be an object, not ${notObject}`
    const taken = intake === undefined ? (params as Params) : takeParams(params, intake)
    if (typeof taken === 'string') return taken
    if (intake === undefined || !sameParams(taken, this.params)) {
      this.rare.original ??= this.params
      this.params = taken
      if (position > this.rare.rewrittenAt) this.rare.rewrittenAt = position
    }
    return undefined
  }

  /** An ask stands; what a re-check asks replaces what the same `check` asked about the old params. */
  addAsk(hook: string, from: object, phase: Asked['phase'], request: AskRequest): void {
    const { asker: name = hook } = request
    const fixedBy = fixesParams(request)
    if (fixedBy !== undefined) this.rare.fixedBy ??= fixedBy
    const { rare } = this
    rare.asks ??= []
    const asked = { name, from, phase, request }
    const old = this.rechecking
      ? rare.asks.findIndex((other) => sameAsker(other, asked) && other.phase === 'check')
      : -1
    if (old < 0) rare.asks.push(asked)
    else {
      if (!rare.put) this.#withdraw(rare.asks[old] as Asked)
      rare.asks[old] = asked
    }
  }

  /** A question that was never put to anybody is over. */
  #withdraw({ name, request }: Asked): void {
    tellResolution(request, 'cancelled', (error) => this.report(name, 'onResolution', error))
  }

  /** Hooks that a middleware function runs by hand: the gate checks them again like those of the plan. */
  addInner(entries: readonly Entry[]): void {
    this.rare.inner ??= []
    this.rare.inner.push(...entries)
  }

  /** @param position Of the hook or function in the plan. */
  note(record: OpinionRecord, position: number): void {
    this.#rare?.judging?.opinions.push({ record, position })
  }

  report(hook: string, phase: string, error: unknown): void {
    this.settings.report({ hook, phase, error, ctx: this.view })
  }

  /** From now on `who` hears of the caller's abort. The innermost stands first. */
  wait(who: Waiter): void {
    this.following?.wait(who)
  }

  unwait(who: Waiter): void {
    this.following?.unwait(who)
  }

  /** The caller gives the call up. */
  abort(reason: unknown): void {
    if (this.aborted !== undefined) return
    this.rare.aborted = { reason }
    if (this.outcome === undefined) this.settleAborted()
    this.following?.tell(reason)
  }

  /** Settles the call as aborted, over a result that has not reached the caller yet. A block stands. */
  settleAborted(): void {
    this.running = false
    const status = this.outcome?.status
    if (status === 'blocked' || status === 'pending' || status === 'aborted') return
    this.thrown = undefined
    this.outcome = Object.freeze(new Aborted(this.aborted?.reason, this.started, this.times()))
  }

  /** `view` has made a controller: it hears of the abort, unless that has come already, or it is for the way out. */
  watch(view: View): void {
    if (view === this.view && this.following?.isLeaving) return
    if (this.aborted !== undefined) view.void(this.aborted.reason)
    this.following?.watch(view)
  }

  /** Voids the context of a handler that was given up; the call goes on with a new one. */
  renewView(reason: unknown): void {
    const state = this.#rare?.state
    if (state !== undefined) this.rare.state = new Map(state)
    this.view.void(reason, state ?? new Map())
    this.view = new View(this)
  }

  /** Makes the context of the way out: its signal fires only when the budget ends. */
  turnAround(): void {
    if (this.following !== undefined) this.#stopFollowing(this.following)
    if (this.view.touched) this.view = new View(this)
  }

  #stopFollowing(following: Following): void {
    // Whoever was given up may look at the signal later: for him it has fired.
    if (!following.isLeaving && this.aborted !== undefined) this.view.void(this.aborted.reason)
    following.isLeaving = true
    following.unwatch(this.view)
  }
}

/** A host that knows no tool of the name throws `UNKNOWN_TOOL` from it; every other error is the tool's own. */
function faultOf(error: unknown): Fault {
  const code = isToolwareError(error, 'UNKNOWN_TOOL') ? 'UNKNOWN_TOOL' : 'TOOL_FAILED'
  return { code, by: 'tool', error }
}
