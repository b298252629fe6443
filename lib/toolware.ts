import type {
  CallEnd,
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
import { type Report, Run, type Settings } from './context.ts'
import { Deadlines } from './deadline.ts'
import { CHANNELS } from './diagnostics.ts'
import { isToolwareError, quoted, ToolwareError } from './errors.ts'
import { type Explanation, explanationOf } from './explain.ts'
import { ownFacts, snapshotFacts } from './facts.ts'
import { startUnseen } from './gate.ts'
import { defaultLogger } from './logger.ts'
import { asText, Blocked, messageOf } from './outcome.ts'
import { type IntakeLimits, parseArguments, takeParams } from './params.ts'
import { type Item, Plans, toolFilter } from './plan.ts'
import { resultOf } from './result.ts'
import { ambient, backIn, Scope, within } from './scope.ts'
import { Listeners, readIntake, type ToolwareOptions, vetOptions } from './settings.ts'
import { Following, SignalHub } from './signal.ts'
import { openStream, type ToolStream } from './stream.ts'
import { sturdyLog } from './sturdy-log.ts'
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

/** What `use` takes: a middleware function, a hook of either shape, a source of hooks, or another pipeline. */
export type Usable = Middleware | ToolHook | PlainHook | HookSource | Toolware

/**
 * A pipeline around the tool calls of an agent.
 *
 * @example
 * const app = new Toolware()
 * app.use({ name: 'no-deploys', check: ({ toolName }) => toolName !== 'deploy' || deny('not on Fridays') })
 * const outcome = await app.execute({ toolName: 'deploy', params: {} }, deploy)
 */
export class Toolware implements Caller {
  readonly log: Logger
  readonly clock: () => number
  readonly #items: Item[] = []
  #plans: Plans | undefined
  readonly #settings: Settings
  readonly #ownLog: Logger
  readonly #intake: IntakeLimits | undefined
  readonly #asyncContext: boolean
  readonly #hub = new SignalHub()
  readonly #detached = new Detached()
  readonly #errors: Listeners<Report>
  readonly #blocked: Listeners<CallEnd>
  readonly #settled: Listeners<CallEnd>
  readonly #wrapped = new WeakMap<object, Wrapping>()
  readonly #wrappedNames = new Set<string>()
  #saidBuffered = false
  /** Calls of one tool come in rows: its name is looked at once. */
  #lastName: string | undefined
  #closing: Promise<void> | undefined

  /** @throws {ToolwareError} `CONFIG` for an unknown option or a wrong value. */
  constructor(options: ToolwareOptions = {}) {
    vetOptions(options)
    this.log = options.log ?? defaultLogger()
    this.clock = options.clock ?? Date.now
    this.#intake = readIntake(options.intake)
    this.#asyncContext = options.asyncContext ?? false
    this.#ownLog = sturdyLog(this.log)
    this.#errors = new Listeners(this.#ownLog)
    this.#blocked = new Listeners(this.#ownLog)
    this.#settled = new Listeners(this.#ownLog)
    const { beforeTimeoutMs = 15_000, afterTimeoutMs = 5000, timing = true } = options
    const deadlines = new Deadlines()
    this.#settings = {
      log: this.log,
      ownLog: this.#ownLog,
      deadlines,
      beforeTimeoutMs,
      beforeWheel: deadlines.of(beforeTimeoutMs),
      afterTimeoutMs,
      afterWheel: deadlines.of(afterTimeoutMs),
      toolTimeoutMs: options.toolTimeoutMs ?? 0,
      intake: this.#intake,
      readsClock: timing !== false,
      timesHooks: timing === 'hooks',
      clock: this.clock,
      exposeErrors: options.exposeErrors ?? false,
      policyVersion: options.policyVersion,
      approver: options.approvals,
      suspended: new Set(),
      report: (report) => this.#report(report),
      detach: (work) => this.#detached.add(work),
      settled: (run, outcome) => this.#end(run, outcome),
    }
    options.approvals?.onRefused?.((held, resolution) => this.#refused(held, resolution))
  }

  /**
   * Adds to the end of the list. Calls that have begun are not affected.
   *
   * @throws {TypeError} When it is none of the things that can be used, or a hook without a phase.
   */
  use(item: Usable, options: UseOptions = {}): this {
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
    return this.#wrap(toolName, fn, facts)
  }

  scope(facts: Facts): Scope {
    return new Scope(facts, {
      execute: (call, tool, own) => this.#execute(call, tool, own),
      stream: (call, tool, own) => this.#stream(call, tool, own),
      wrap: (name, fn, own) => this.#wrap(name, fn, own),
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
    if (typeof tool !== 'function') throw new TypeError(`resume(id, tool): ${notTool(tool)}`)
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
    const unwrapped = toolNames.filter((name) => !this.#wrappedNames.has(name))
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
    const groups = { error: this.#errors, blocked: this.#blocked, settled: this.#settled }
    const group = Object.hasOwn(groups, event) ? groups[event] : undefined
    if (group === undefined || typeof listener !== 'function') {
      throw new TypeError(
        `on() takes 'error', 'blocked' or 'settled' and a function; got ${quoted(event)}`,
      )
    }
    // The table pairs each event with listeners of its own kind.
    return (group as unknown as Listeners<ToolwareEvents[E]>).add(listener)
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

  // Calls ----------------------------------------------------------------------------------------

  #execute<P, R>(call: ToolCall<P>, tool: Tool<P, R>, own: Facts | undefined): Promise<Outcome<R>> {
    try {
      if (typeof tool !== 'function') throw new TypeError(`execute(call, tool): ${notTool(tool)}`)
      if (typeof call !== 'object' || call === null) throw notCall('execute', call)
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
      !this.#settled.some &&
      !this.#asyncContext &&
      ambient() === undefined &&
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
    if (typeof tool !== 'function') {
      throw new TypeError(`stream(call, tool): ${notTool(tool)}`)
    }
    if (typeof call !== 'object' || call === null) throw notCall('stream', call)
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

  #wrap<P, R>(toolName: string, fn: Tool<P, R>, own: Facts | undefined): WrappedTool<P, R> {
    if (!isToolName(toolName)) {
      throw new TypeError(`wrap(toolName, fn): not a tool name: ${quoted(toolName)}`)
    }
    if (typeof fn !== 'function') {
      throw new TypeError(
        `wrap(${JSON.stringify(toolName)}, fn): fn must be a function; got ${quoted(fn)}`,
      )
    }
    this.#wrappedNames.add(toolName)
    const known = this.#wrapped.get(fn)
    if (known?.toolName === toolName) {
      if (own === undefined) return fn as unknown as WrappedTool<P, R>
      // Around the same function once, with the facts of both.
      return this.#wrap(toolName, known.fn as Tool<P, R>, snapshotFacts(known.facts, own))
    }
    const app = this
    const wrapped = function (this: unknown, params: P, ...rest: unknown[]): Promise<Awaited<R>> {
      const call = { toolName, params: params ?? undefined } as ToolCall<P>
      const tool = rest.length === 0 && this === undefined ? fn : passing(fn, this, rest)
      return app.#answer(call, tool, own) as Promise<Awaited<R>>
    }
    Object.defineProperty(wrapped, 'name', { value: fn.name || toolName })
    this.#wrapped.set(wrapped, { toolName, fn, facts: own })
    return wrapped
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

  // Ends -----------------------------------------------------------------------------------------

  #end(run: Run, outcome: Outcome): void {
    run.following?.end()
    if (run.rareIfAny?.judging !== undefined) return
    if (outcome.status === 'blocked' && this.#blocked.some)
      this.#blocked.tell({ ctx: run.view, outcome: run.shown })
    if (this.#settled.some) this.#settled.tell({ ctx: run.view, outcome: run.shown })
    if (CHANNELS.end.hasSubscribers) CHANNELS.end.publish({ ctx: run.view, outcome: run.shown })
  }

  /** A suspended call of this pipeline that will never run gives back what it had reserved. */
  #refused(held: HeldCall, resolution: ApprovalResolution): void {
    if (!this.#settings.suspended.has(held.id)) return
    const run = this.#runHeld(held, () => undefined)
    run.block(refusal(resolution))
    this.#detached.add(this.#go(run))
  }

  #report(report: Report): void {
    const { hook, phase, error, ctx } = report
    const fields = {
      hook,
      phase,
      tool: ctx.toolName,
      toolCallId: ctx.toolCallId,
      err: messageOf(error),
    }
    this.#ownLog.error(fields, `hook ${hook} failed in ${phase}`)
    this.#errors.tell(report)
    if (CHANNELS.error.hasSubscribers) CHANNELS.error.publish(report)
  }
}

const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/
function isToolName(value: unknown): boolean {
  return typeof value === 'string' && TOOL_NAME.test(value)
}

const NO_PARAMS: Params = Object.freeze({})

/** The function as the host called it: on its object, and with whatever stood behind the params. */
function passing<P, R>(fn: Tool<P, R>, self: unknown, rest: readonly unknown[]): Tool<P, R> {
  const any = fn as (...args: unknown[]) => R
  return (params, ctx) => any.call(self, params, ...(rest.length === 0 ? [ctx] : rest))
}

function notCall(method: string, value: unknown): TypeError {
  return new TypeError(`${method}(call, tool): call must be an object; got ${quoted(value)}`)
}

function notTool(value: unknown): string {
  return `tool must be a function; got ${quoted(value)}`
}

/** What `wrap` made a function of. */
interface Wrapping {
  readonly toolName: string
  readonly fn: Tool<never>
  readonly facts: Facts | undefined
}

/** What of an item may have to be closed, each hook that `adapt` or `compose` took in among it. */
function partsOf(item: Item): readonly unknown[] {
  if (item.kind === 'source') return [item.value]
  return item.elements.map((element) => (typeof element === 'function' ? element : element.hook))
}

function isSource(value: unknown): value is HookSource {
  return (
    typeof value === 'object' && value !== null && typeof (value as HookSource).hooks === 'function'
  )
}
