import { type Composable, isUsable, notUsable } from './compose.ts'
import { type Report, Run, type Settings, snapshotFacts } from './context.ts'
import { Deadlines } from './deadline.ts'
import { CHANNELS } from './diagnostics.ts'
import { isToolwareError } from './errors.ts'
import { type Explanation, explanationOf } from './explain.ts'
import { defaultLogger } from './logger.ts'
import { asText, Blocked, messageOf } from './outcome.ts'
import { type IntakeLimits, parseArguments, takeParams } from './params.ts'
import { type Item, Plans, toolFilter } from './plan.ts'
import { resultOf } from './result.ts'
import { ambient, within } from './scope.ts'
import { Listeners, readIntake, type ToolwareOptions, vetOptions } from './settings.ts'
import { SignalHub } from './signal.ts'
import { openStream, type ToolStream } from './stream.ts'
import type {
  CallContext,
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

export interface UseOptions {
  /** Names a middleware function in texts and logs. */
  readonly name?: string | undefined
  /** Globs of tool names (`*` is any text, compared folded); other tools' plans leave the item out. */
  readonly tools?: readonly string[] | undefined
}

/** A call's end, for listeners. */
export interface CallEnd {
  readonly ctx: CallContext
  readonly outcome: Outcome
}

/** What listeners of each event get. */
export interface ToolwareEvents {
  /** A fault inside the pipeline, whether or not it changed the call. */
  error: Report
  blocked: CallEnd
  settled: CallEnd
}

/** What {@link Toolware.coverage} finds. */
export interface Coverage {
  /** Tools that `wrap` was never called for. */
  readonly unwrapped: readonly string[]
  /** Filters of `use` that match none of the tools. */
  readonly deadFilters: ReadonlyArray<{ readonly item: string; readonly tools: readonly string[] }>
}

/** The methods of a pipeline that take calls, with or without facts bound to them. */
export interface Caller {
  /** Takes a call through the pipeline. Never rejects for what hooks or the tool do. */
  execute<P, R>(call: ToolCall<P>, tool: Tool<P, R>): Promise<Outcome<R>>
  /** As `execute`, for a tool that answers in pieces. */
  stream<P, C>(call: ToolCall<P>, tool: StreamTool<P, C>): ToolStream<C>
  /** A function of the same shape that goes through the pipeline. */
  wrap<P, R>(toolName: string, fn: Tool<P, R>, facts?: Facts): WrappedTool<P, R>
  /** The same methods with more facts bound. */
  scope(facts: Facts): Scope
  /** Every hook's opinion, in order; nothing is executed, asked or audited. */
  explain<P>(call: ToolCall<P>, options?: ExplainOptions): Promise<Explanation>
}

export interface ExplainOptions {
  /** Allowed and asked calls keep what they took from limits, as if they had run. Default false. */
  readonly keepReservations?: boolean | undefined
}

export type WrappedTool<P, R> = (params: P, ...rest: readonly unknown[]) => Promise<Awaited<R>>

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
  readonly #intake: IntakeLimits | undefined
  readonly #asyncContext: boolean
  readonly #hub = new SignalHub()
  readonly #detached = new Set<PromiseLike<unknown>>()
  readonly #errors: Listeners<Report>
  readonly #blocked: Listeners<CallEnd>
  readonly #settled: Listeners<CallEnd>
  readonly #wrapped = new WeakMap<object, string>()
  readonly #wrappedNames = new Set<string>()
  #saidBuffered = false
  #closing: Promise<void> | undefined

  /** @throws {ToolwareError} `CONFIG` for an unknown option or a wrong value. */
  constructor(options: ToolwareOptions = {}) {
    vetOptions(options)
    this.log = options.log ?? defaultLogger()
    this.clock = options.clock ?? Date.now
    this.#intake = readIntake(options.intake)
    this.#asyncContext = options.asyncContext ?? false
    this.#errors = new Listeners(this.log)
    this.#blocked = new Listeners(this.log)
    this.#settled = new Listeners(this.log)
    this.#settings = {
      log: this.log,
      deadlines: new Deadlines(),
      beforeTimeoutMs: options.beforeTimeoutMs ?? 15_000,
      afterTimeoutMs: options.afterTimeoutMs ?? 5000,
      toolTimeoutMs: options.toolTimeoutMs ?? 0,
      intake: this.#intake,
      timing: options.timing ?? true,
      exposeErrors: options.exposeErrors ?? false,
      policyVersion: options.policyVersion,
      approver: options.approvals,
      report: (report) => this.#report(report),
      detach: (work) => this.#detach(work),
      settled: (run, outcome, signal) => this.#end(run, outcome, signal),
    }
    options.approvals?.onRefused?.((held) => void this.#refused(held))
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
    } else if (isUsable(item)) {
      this.#items.push({ kind: 'one', value: item as Composable, name, filter })
    } else {
      throw notUsable(item)
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
    const approver = this.#settings.approver
    const refuse = (error: unknown): Outcome<R> => {
      const code = isToolwareError(error) ? error.code : 'STATE_UNAVAILABLE'
      const fault = { code, by: 'toolware', reason: messageOf(error), approvalId }
      return Object.freeze(new Blocked(fault, { durationMs: 0 }))
    }
    if (approver?.claim === undefined) {
      return Object.freeze(
        new Blocked(
          {
            code: 'APPROVAL_NOT_FOUND',
            by: 'toolware',
            reason: 'This pipeline keeps no suspended calls. Give it approvals that can defer.',
            approvalId,
          },
          { durationMs: 0 },
        ),
      )
    }
    let held: HeldCall
    try {
      held = await approver.claim(approvalId)
    } catch (error) {
      return refuse(error)
    }
    const run = this.#runFor(held.call as ToolCall<P>, tool, undefined)
    run.rare.held = held
    run.rare.id = held.id
    return this.#go(run) as Promise<Outcome<R>>
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
        `on() takes 'error', 'blocked' or 'settled' and a function; got ${asText(event)}`,
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
    while (this.#detached.size > 0) await Promise.all([...this.#detached])
    const closing = [...this.#items.map((item) => item.value), this.#settings.approver]
    for (const part of closing) {
      const close = (part as { close?: unknown } | undefined)?.close
      if (typeof close !== 'function') continue
      try {
        await close.call(part)
      } catch (error) {
        this.log.error({ err: messageOf(error) }, `close() of ${nameOf(part)} failed`)
      }
    }
  }

  // Calls ----------------------------------------------------------------------------------------

  #execute<P, R>(call: ToolCall<P>, tool: Tool<P, R>, own: Facts | undefined): Promise<Outcome<R>> {
    if (typeof tool !== 'function') {
      return Promise.reject(
        new TypeError(`execute(call, tool): tool must be a function; got ${asText(tool)}`),
      )
    }
    if (typeof call !== 'object' || call === null) {
      return Promise.reject(
        new TypeError(`execute(call, tool): call must be an object; got ${asText(call)}`),
      )
    }
    return this.#go(this.#runFor(call, tool, own)) as Promise<Outcome<R>>
  }

  /** What is known of a call when it arrives. A refused one has its outcome already. */
  #runFor<P, R>(call: ToolCall<P>, tool: Tool<P, R>, own: Facts | undefined): Run {
    const around = ambient()
    const trusted = this.#intake === undefined && own === undefined && around === undefined
    const parent = around?.call
    const facts = trusted
      ? call
      : snapshotFacts(
          parent && { parentCallId: parent.toolCallId ?? parent.id },
          around?.facts,
          own,
          call as Facts,
        )
    const { toolName } = call
    const taken = this.#take(call)
    const plans = this.#currentPlans()
    const isName = typeof toolName === 'string' && TOOL_NAME.test(toolName)
    const plan = plans.for(isName ? toolName : '')
    const params = typeof taken === 'string' ? NO_PARAMS : taken
    const run = new Run(this.#settings, plan, asText(toolName), facts, params, tool as Tool<never>)
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

  #go(run: Run): Promise<Outcome> {
    const around = this.#asyncContext ? { facts: ambient()?.facts, call: run.view } : undefined
    return around === undefined ? this.#through(run) : within(around, () => this.#through(run))
  }

  #through(run: Run): Promise<Outcome> {
    if (CHANNELS.start.hasSubscribers) CHANNELS.start.publish({ ctx: run.view })
    const plan = run.plan as ReturnType<Plans['for']>
    const { signal } = run.facts
    if (signal !== undefined) {
      if (signal.aborted) run.abort(signal.reason)
      else this.#hub.follow(signal, run)
    }
    // Refused at intake, or aborted before it began.
    const end = run.outcome === undefined ? plan.go(run) : plan.skip(run)
    return end instanceof Promise ? end : Promise.resolve(end as Outcome)
  }

  #stream<P, C>(call: ToolCall<P>, tool: StreamTool<P, C>, own: Facts | undefined): ToolStream<C> {
    if (typeof tool !== 'function') {
      throw new TypeError(`stream(call, tool): tool must be a function; got ${asText(tool)}`)
    }
    const { buffersStreams } = this.#currentPlans().for(asText(call?.toolName))
    if (buffersStreams && !this.#saidBuffered) {
      this.#saidBuffered = true
      this.log.warn(
        { tool: call.toolName },
        'a middleware function stands around a stream, so it is buffered; streamSafe(fn) says it need not be',
      )
    }
    const streaming = { ...call, isStreaming: call?.isStreaming ?? true }
    return openStream((opened) => this.#execute(streaming, opened, own), tool, buffersStreams)
  }

  #wrap<P, R>(toolName: string, fn: Tool<P, R>, own: Facts | undefined): WrappedTool<P, R> {
    if (typeof toolName !== 'string' || !TOOL_NAME.test(toolName)) {
      throw new TypeError(`wrap(toolName, fn): not a tool name: ${asText(toolName)}`)
    }
    if (typeof fn !== 'function') {
      throw new TypeError(
        `wrap(${JSON.stringify(toolName)}, fn): fn must be a function; got ${asText(fn)}`,
      )
    }
    this.#wrappedNames.add(toolName)
    if (this.#wrapped.get(fn) === toolName) return fn as unknown as WrappedTool<P, R>
    const app = this
    const wrapped = function (this: unknown, params: P, ...rest: unknown[]): Promise<Awaited<R>> {
      const tool = (own: P, ctx: CallContext): unknown =>
        rest.length === 0
          ? fn.call(this, own, ctx)
          : (fn as (...args: unknown[]) => unknown).call(this, own, ...rest)
      const call = { toolName, params: params ?? undefined } as ToolCall<P>
      return app.#execute(call, tool, own).then(resultOf) as Promise<Awaited<R>>
    }
    Object.defineProperty(wrapped, 'name', { value: fn.name || toolName })
    this.#wrapped.set(wrapped, toolName)
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

  #end(run: Run, outcome: Outcome, signal: AbortSignal | undefined): void {
    if (signal !== undefined) this.#hub.unfollow(signal, run)
    if (run.rareIfAny?.judging !== undefined) return
    if (outcome.status === 'blocked' && this.#blocked.size > 0)
      this.#blocked.tell({ ctx: run.view, outcome })
    if (this.#settled.size > 0) this.#settled.tell({ ctx: run.view, outcome })
    if (CHANNELS.end.hasSubscribers) CHANNELS.end.publish({ ctx: run.view, outcome })
  }

  /** A suspended call that will never run gives back what it had reserved. */
  async #refused(held: HeldCall): Promise<void> {
    const run = this.#runFor(held.call, () => undefined, undefined)
    run.rare.held = held
    run.rare.id = held.id
    run.block({
      code: 'APPROVAL_DENIED',
      by: 'toolware',
      reason: 'A person denied this call, or nobody decided.',
    })
    await this.#go(run)
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
    this.log.error(fields, `hook ${hook} failed in ${phase}`)
    this.#errors.tell(report)
    if (CHANNELS.error.hasSubscribers) CHANNELS.error.publish(report)
  }

  #detach(work: PromiseLike<unknown>): void {
    this.#detached.add(work)
    void work.then(() => this.#detached.delete(work))
  }
}

const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/
const NO_PARAMS: Params = Object.freeze({})

function isSource(value: unknown): value is HookSource {
  return (
    typeof value === 'object' && value !== null && typeof (value as HookSource).hooks === 'function'
  )
}

function nameOf(value: unknown): string {
  return (value as { name?: string } | undefined)?.name || 'an unnamed part'
}

/** What a scope calls: the pipeline's methods with facts. */
interface Bound {
  execute<P, R>(call: ToolCall<P>, tool: Tool<P, R>, own: Facts): Promise<Outcome<R>>
  stream<P, C>(call: ToolCall<P>, tool: StreamTool<P, C>, own: Facts): ToolStream<C>
  wrap<P, R>(toolName: string, fn: Tool<P, R>, own: Facts): WrappedTool<P, R>
  explain<P>(call: ToolCall<P>, options: ExplainOptions, own: Facts): Promise<Explanation>
}

/** A pipeline's methods bound to facts, which also flow along with asynchronous work. */
export class Scope implements Caller {
  readonly facts: Facts
  readonly #bound: Bound

  constructor(facts: Facts, bound: Bound) {
    this.facts = snapshotFacts(facts)
    this.#bound = bound
  }

  /** Runs `work` so that tools wrapped elsewhere find these facts. */
  run<T>(work: () => T): T {
    return within({ facts: this.#around(), call: ambient()?.call }, work)
  }

  execute<P, R>(call: ToolCall<P>, tool: Tool<P, R>): Promise<Outcome<R>> {
    return this.run(() => this.#bound.execute(call, tool, this.facts))
  }

  stream<P, C>(call: ToolCall<P>, tool: StreamTool<P, C>): ToolStream<C> {
    return this.run(() => this.#bound.stream(call, tool, this.facts))
  }

  wrap<P, R>(toolName: string, fn: Tool<P, R>, facts?: Facts): WrappedTool<P, R> {
    return this.#bound.wrap(toolName, fn, snapshotFacts(this.facts, facts))
  }

  explain<P>(call: ToolCall<P>, options: ExplainOptions = {}): Promise<Explanation> {
    return this.run(() => this.#bound.explain(call, options, this.facts))
  }

  scope(facts: Facts): Scope {
    return new Scope(snapshotFacts(this.facts, facts), this.#bound)
  }

  #around(): Facts {
    return snapshotFacts(ambient()?.facts, this.facts)
  }
}
