import type { Explanation } from './explain.ts'
import type { Scope } from './scope.ts'
import type { ToolStream } from './stream.ts'
import type { Report } from './surroundings.ts'
import type { CallContext, Facts, Outcome, StreamTool, Tool, ToolCall } from './types.ts'

/** What `use` takes beside the item. */
export interface UseOptions {
  /** Names a middleware function in texts and logs. */
  readonly name?: string | undefined
  /** Globs of tool names (`*` is any text, compared folded); other tools' plans leave the item out. */
  readonly tools?: readonly string[] | undefined
}

/** A call's end, for listeners. */
export interface CallEnd {
  /** The call, with the params as they were last. */
  readonly ctx: CallContext
  readonly outcome: Outcome
}

/** What listeners of each event get. */
export interface ToolwareEvents {
  /** A fault inside the pipeline, whether or not it changed the call. */
  error: Report
  /** Of every call that was not let through. `settled` comes, too. */
  blocked: CallEnd
  /** Of every call that has ended, or waits for a person. */
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

/** What `explain` takes beside the call. */
export interface ExplainOptions {
  /** Allowed and asked calls keep what they took from limits, as if they had run. Default false. */
  readonly keepReservations?: boolean | undefined
}

/**
 * A tool that goes through the pipeline. Rejects with `ToolDeniedError` when the call was blocked or waits for a person, with
 * the tool's own error when it failed, with the signal's reason when it was aborted.
 */
export type WrappedTool<P, R> = (params: P, ...rest: readonly unknown[]) => Promise<Awaited<R>>
