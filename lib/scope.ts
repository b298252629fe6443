import { AsyncLocalStorage } from 'node:async_hooks'
import type { Caller, ExplainOptions, WrappedTool } from './api.ts'
import type { Explanation } from './explain.ts'
import { snapshotFacts } from './facts.ts'
import type { ToolStream } from './stream.ts'
import type { CallContext, Facts, Outcome, StreamTool, Tool, ToolCall } from './types.ts'

/** What flows along with asynchronous work. */
export interface Ambient {
  readonly facts: Facts | undefined
  /** The call whose tool or hooks are running. */
  readonly call: CallContext | undefined
}

const storage = new AsyncLocalStorage<Ambient | undefined>()

/** The facts and the call around the running code, if a scope or `asyncContext: true` put them there. */
export function ambient(): Ambient | undefined {
  return storage.getStore()
}

/** Runs `work` with something new around it. */
export function within<T>(around: Ambient, work: () => T): T {
  return storage.run(around, work)
}

/**
 * Goes on with a call in what was around it when it began: a timer or a listener may have been made, or be fired,
 * inside of another call.
 */
export function backIn(around: Ambient | undefined, work: () => void): void {
  if (ambient() === around) work()
  else storage.run(around, work)
}

/**
 * The call whose tool or hooks are running now; undefined outside of one, or when neither a scope nor
 * `asyncContext: true` follows asynchronous work.
 */
export function currentCall(): CallContext | undefined {
  return storage.getStore()?.call
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

  /** Runs `work` so that tools wrapped elsewhere find these facts, and none of a scope around it. */
  run<T>(work: () => T): T {
    return within({ facts: this.facts, call: ambient()?.call }, work)
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
}
