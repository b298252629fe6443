import type {
  Caller,
  Coverage,
  ExplainOptions,
  ToolwareEvents,
  UseOptions,
  WrappedTool,
} from './api.ts'
import { refusal } from './approve.ts'
import { closePart, Detached, nameOf } from './closing.ts'
import { read } from './compose.ts'
import { Run } from './context.ts'
import { CHANNELS } from './diagnostics.ts'
import { isToolwareError, quoted, ToolwareError } from './errors.ts'
import { Events } from './events.ts'
import { type Explanation, explanationOf } from './explain.ts'
import { ownFacts, snapshotFacts } from './facts.ts'
import { startUnseen } from './gate.ts'
import { type OptionNames, vetNames } from './known-options.ts'
import { defaultLogger } from './logger.ts'
import { asText, Blocked, messageOf } from './outcome.ts'
import { type IntakeLimits, parseArguments, takeParams } from './params.ts'
import { type Item, isSource, Plans, partsOf, toolFilter } from './plan.ts'
import { resultOf } from './result.ts'
import { ambient, backIn, Scope, within } from './scope.ts'
import { settingsOf, type ToolwareOptions, vetOptions } from './settings.ts'
import { Following, SignalHub } from './signal.ts'
import { openStream, type ToolStream } from './stream.ts'
import { sturdyLog } from './sturdy-log.ts'
import type { Settings } from './surroundings.ts'
import { isToolName } from './tool-name.ts'
import type {
  ApprovalResolution,
  Facts,
  HeldCall,
  HookSource,
  Logger,
  Middleware,
  Outcome,
  Params,
  PlainHook,
  StreamTool,
  Tool,
  ToolCall,
  ToolHook,
} from './types.ts'
import { vetCall, vetTool } from './vet-call.ts'
import { passing, Wrapping } from './wrapping.ts'

const USE_OPTIONS: OptionNames<UseOptions> = { name: true, tools: true }

/** What `use` takes: a middleware function, a hook of either shape, a source of hooks, or another pipeline. */
export type Usable = Middleware | ToolHook | PlainHook | HookSource | Toolware

/**
 * A pipeline around the tool calls of an agent.
 *
 * @example
 * const app = new Toolware()
 * app.use({ name: 'no-deploys', check: ({ toolName }) => toolName !== 'deploy' || deny('only people deploy; ask one') })
 * const outcome = await app.execute({ toolName: 'deploy', params: {} }, deploy)
 */
export class Toolware implements Caller {
  /** The logger it was given, or its own. */
  readonly log: Logger
  /** The clock it was given, or `Date.now`. */
  readonly clock: () => number
  readonly #items: Item[] = []
  #plans: Plans | undefined
  readonly #settings: Settings
  readonly #ownLog: Logger
  readonly #intake: IntakeLimits | undefined
  readonly #asyncContext: boolean
  readonly #hub = new SignalHub()
  readonly #detached = new Detached()
  readonly #events: Events
  readonly #wrapping = new Wrapping((toolName, fn, own) => this.#wrapped(toolName, fn, own))
  #saidBuffered = false
  /** Calls of one tool come in rows: its name is looked at once. */
  #lastName: string | undefined
  #closing: Promise<void> | undefined

  /** @throws {ToolwareError} `CONFIG` for an unknown option or a wrong value. */
  constructor(options: ToolwareOptions = {}) {
    vetOptions(options)
    this.log = options.log ?? defaultLogger()
    this.#ownLog = sturdyLog(this.log)
    this.#events = new Events(this.#ownLog)
    this.#settings = settingsOf(options, {
      log: this.log,
      ownLog: this.#ownLog,
      report: (report) => this.#events.failed(report),
      detach: (work) => this.#detached.add(work),
      settled: (run, outcome) => this.#end(run, outcome),
    })
    this.clock = this.#settings.clock
    this.#intake = this.#settings.intake
    this.#asyncContext = options.asyncContext ?? false
    options.approvals?.onRefused?.((held, resolution) => this.#refused(held, resolution))
  }

  /**
   * Adds to the end of the list. Calls that have begun are not affected.
   *
   * @throws {TypeError} When it is none of the things that can be used, or a hook without a phase.
   */
  use(item: Usable, options: UseOptions = {}): this {
    vetNames(options, USE_OPTIONS, 'use()')
    const filter = toolFilter(options.tools)
    const { name } = options
    if (item instanceof Toolware) {
      if (filter !== undefined || name !== undefined) {
        throw new TypeError('use(pipeline) inserts its list in place and takes no options')
      }
      this.#items.push(...item.#items)
    } else if (isSource(item)) {
      item.onChange?.(() => {
        this.#plans = undefined
      })
      this.#items.push({ kind: 'source', value: item, name, filter })
    } else {
      this.#items.push({ kind: 'one', value: item, elements: read(item), name, filter })
    }
    this.#plans = undefined
    return this
  }

  execute<P, R>(call: ToolCall<P>, tool: Tool<P, R>): Promise<Outcome<R>> {
    return this.#execute(call, tool, undefined)
  }

  stream<P, C>(call: ToolCall<P>, tool: StreamTool<P, C>): ToolStream<C> {
    return this.#stream(call, tool, undefined)
  }

  wrap<P, R>(toolName: string, fn: Tool<P, R>, facts?: Facts): WrappedTool<P, R> {
    return this.#wrapping.wrap(toolName, fn, facts)
  }

  scope(facts: Facts): Scope {
    return new Scope(facts, {
      execute: (call, tool, own) => this.#execute(call, tool, own),
      stream: (call, tool, own) => this.#stream(call, tool, own),
      wrap: (name, fn, own) => this.#wrapping.wrap(name, fn, own),
      explain: (call, options, own) => this.#explain(call, options, own),
    })
  }

  explain<P>(call: ToolCall<P>, options: ExplainOptions = {}): Promise<Explanation> {
    return this.#explain(call, options, undefined)
  }

  /**
   * Carries on a call that waited for a person: `check` and `before` run again on the current hooks, under the
   * same call id, and exactly the approved params run. Never rejects for an id that is unknown, used or refused:
   * the outcome is blocked with its `APPROVAL_*` code.
   */
  async resume<P, R>(approvalId: string, tool: Tool<P, R>): Promise<Outcome<R>> {
    vetTool('resume(id, tool)', tool)
    let held: HeldCall
    try {
      const { approver } = this.#settings
      if (approver?.claim === undefined) {
        const problem = 'This pipeline keeps no suspended calls: its approvals cannot defer.'
        throw new ToolwareError('APPROVAL_NOT_FOUND', problem)
      }
      held = await approver.claim(approvalId)
    } catch (error) {
      const code = isToolwareError(error) ? error.code : 'STATE_UNAVAILABLE'
      const fault = { code, by: 'toolware', reason: messageOf(error), approvalId }
      return Object.freeze(new Blocked(fault, { durationMs: 0 }))
    }
    return this.#go(this.#runHeld(held, tool)) as Promise<Outcome<R>>
  }

  /** Lists tools that were never wrapped here, and filters that match none of them. */
  coverage(toolNames: readonly string[]): Coverage {
    if (!Array.isArray(toolNames)) {
      throw new TypeError(`coverage(toolNames) takes a list of names; got ${quoted(toolNames)}`)
    }
    const unwrapped = toolNames.filter((name) => !this.#wrapping.has(name))
    const deadFilters = this.#items.flatMap(({ filter, name, value }) =>
      filter === undefined || toolNames.some((tool) => filter.matches(tool))
        ? []
        : [{ item: name ?? nameOf(value), tools: filter.patterns }],
    )
    return { unwrapped, deadFilters }
  }

  /** Listens. @returns A function that ends it. */
  on<E extends keyof ToolwareEvents>(
    event: E,
    listener: (event: ToolwareEvents[E]) => void,
  ): () => void {
    return this.#events.on(event, listener)
  }

  /** Drains detached work, then closes hooks, sources and approvals. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    // Approvals first: what they refuse now still leaves through the hooks.
    await closePart(this.#settings.approver, this.#ownLog)
    await this.#detached.drain(this.#ownLog)
    for (const part of new Set(this.#items.flatMap(partsOf))) await closePart(part, this.#ownLog)
  }

  #execute<P, R>(call: ToolCall<P>, tool: Tool<P, R>, own: Facts | undefined): Promise<Outcome<R>> {
    try {
      vetTool('execute(call, tool)', tool)
      vetCall('execute(call, tool)', call)
      return this.#go(this.#runFor(call, tool, own)) as Promise<Outcome<R>>
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** As `#execute`, for a caller who only wants the tool's answer. */
  #answer<P, R>(call: ToolCall<P>, tool: Tool<P, R>, own: Facts | undefined): Promise<unknown> {
    try {
      const run = this.#runFor(call, tool, own)
      if (!this.#isUnseen(run)) return this.#go(run).then(resultOf)
      const answer = startUnseen(run)
      return answer instanceof Promise ? answer : Promise.resolve(answer)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Nothing stands around the tool, nobody listens, and nobody can call it off: its own promise will do. */
  #isUnseen(run: Run): boolean {
    return (
      run.plan.isEmpty &&
      run.outcome === undefined &&
      run.facts.signal === undefined &&
      this.#settings.toolTimeoutMs === 0 &&
      !this.#asyncContext &&
      ambient() === undefined &&
      !this.#events.settled.some &&
      !CHANNELS.start.hasSubscribers &&
      !CHANNELS.end.hasSubscribers
    )
  }

  /** What is known of a call when it arrives. A refused one has its outcome already. */
  #runFor<P, R>(call: ToolCall<P>, tool: Tool<P, R>, own: Facts | undefined): Run {
    const around = ambient()
    if (own === undefined && around === undefined) {
      return this.#arrive(call, tool, this.#intake === undefined ? call : ownFacts(call))
    }
    const parent = around?.call
    const parentFacts = parent && { parentCallId: parent.toolCallId ?? parent.id }
    const facts = snapshotFacts(parentFacts, around?.facts, own, call as Facts)
    return this.#arrive(call, tool, facts)
  }

  /** A call that was suspended. Its facts are its own: whoever resumes it adds none. */
  #runHeld(held: HeldCall, tool: Tool<never>): Run {
    const run = this.#arrive(held.call, tool, snapshotFacts(held.call))
    run.rare.held = held
    run.rare.id = held.id
    this.#settings.suspended.delete(held.id)
    return run
  }

  #arrive<P>(call: ToolCall<P>, tool: Tool<never>, facts: Facts): Run {
    const { toolName } = call
    const taken = this.#take(call)
    const plans = this.#currentPlans()
    const known = this.#lastName !== undefined && toolName === this.#lastName
    const isName = known || isToolName(toolName)
    if (isName) this.#lastName = toolName
    const plan = plans.for(isName ? toolName : '')
    const params = typeof taken === 'string' ? NO_PARAMS : taken
    const name = isName ? toolName : asText(toolName)
    const run = new Run(this.#settings, plan, name, facts, params, tool)
    if (!isName) {
      run.block({
        code: 'BAD_ARGUMENTS',
        by: 'toolware',
        reason: 'The tool name must be 1 to 128 characters of A-Z, a-z, 0-9 and _ . : / -',
      })
    } else if (typeof taken === 'string') {
      run.block({ code: 'BAD_ARGUMENTS', by: 'toolware', reason: taken })
    }
    return run
  }

  #take(call: ToolCall<unknown>): Params | string {
    const { params, argumentsJson } = call
    if (params === undefined) {
      return argumentsJson === undefined ? NO_PARAMS : parseArguments(argumentsJson, this.#intake)
    }
    if (argumentsJson !== undefined) return 'give params or argumentsJson, not both'
    return this.#intake === undefined ? (params as Params) : takeParams(params, this.#intake)
  }

  #currentPlans(): Plans {
    this.#plans ??= new Plans(this.#items)
    return this.#plans
  }

  /** Only scopes and `asyncContext: true` enter async storage: it makes every promise dearer. */
  #go(run: Run): Promise<Outcome> {
    const around = ambient()
    return around === undefined && !this.#asyncContext
      ? this.#through(run)
      : this.#within(around?.facts, run)
  }

  #within(facts: Facts | undefined, run: Run): Promise<Outcome> {
    const around = { facts, call: run.view }
    run.around = around
    return within(around, () => this.#through(run))
  }

  #through(run: Run): Promise<Outcome> {
    if (CHANNELS.start.hasSubscribers) CHANNELS.start.publish({ ctx: run.view })
    const plan = run.plan as ReturnType<Plans['for']>
    const { signal } = run.facts
    if (signal !== undefined) this.#follow(run, signal)
    // Refused at intake, or aborted before it began.
    const end = run.outcome === undefined ? plan.go(run) : plan.skip(run)
    return end instanceof Promise ? end : Promise.resolve(end as Outcome)
  }

  // Apart from the above, since closures there would cost every call.
  #follow(run: Run, signal: AbortSignal): void {
    if (typeof signal?.addEventListener !== 'function') {
      throw new TypeError(`signal must be an AbortSignal, or be left out; got ${quoted(signal)}`)
    }
    const following = new Following((reason) => backIn(run.around, () => run.abort(reason)))
    run.following = following
    if (signal.aborted) run.abort(signal.reason)
    else following.followers = this.#hub.follow(signal, following)
  }

  #stream<P, C>(call: ToolCall<P>, tool: StreamTool<P, C>, own: Facts | undefined): ToolStream<C> {
    vetTool('stream(call, tool)', tool)
    vetCall('stream(call, tool)', call)
    const { buffersStreams } = this.#currentPlans().for(asText(call.toolName))
    if (buffersStreams && !this.#saidBuffered) {
      this.#saidBuffered = true
      this.#ownLog.warn(
        { tool: call.toolName },
        'a middleware function stands around a stream, so it is buffered; streamSafe(fn) says it need not be',
      )
    }
    const streaming = { ...call, isStreaming: call.isStreaming ?? true }
    return openStream((opened) => this.#execute(streaming, opened, own), tool, buffersStreams)
  }

  #wrapped<P, R>(toolName: string, fn: Tool<P, R>, own: Facts | undefined): WrappedTool<P, R> {
    const app = this
    return function (this: unknown, params: P, ...rest: unknown[]): Promise<Awaited<R>> {
      const call = { toolName, params: params ?? undefined } as ToolCall<P>
      const tool = rest.length === 0 && this === undefined ? fn : passing(fn, this, rest)
      return app.#answer(call, tool, own) as Promise<Awaited<R>>
    }
  }

  async #explain<P>(
    call: ToolCall<P>,
    options: ExplainOptions,
    own: Facts | undefined,
  ): Promise<Explanation> {
    const run = this.#runFor(call, () => undefined, own)
    const judging = { opinions: [], keep: options.keepReservations ?? false, passed: false }
    run.rare.judging = judging
    await this.#go(run)
    return explanationOf(run, judging)
  }

  #end(run: Run, outcome: Outcome): void {
    run.following?.end()
    if (run.rareIfAny?.judging !== undefined) return
    // Looked at here, since this is passed by every call.
    const { settled } = this.#events
    if (outcome.status === 'blocked' || settled.some || CHANNELS.end.hasSubscribers) {
      this.#events.ended(run, outcome)
    }
  }

  /** A suspended call of this pipeline that will never run gives back what it had reserved. */
  #refused(held: HeldCall, resolution: ApprovalResolution): void {
    if (!this.#settings.suspended.has(held.id)) return
    const run = this.#runHeld(held, () => undefined)
    run.block(refusal(resolution))
    this.#detached.add(this.#go(run))
  }
}

const NO_PARAMS: Params = Object.freeze({})
