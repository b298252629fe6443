import type { Facts, MaybePromise, NewParams, Params } from './call.ts'
import type { Outcome } from './outcome.ts'
import type { AskRequest, DenyOptions } from './verdict.ts'

/** The part of pino's interface that toolware uses; any logger with these four methods will do. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What every party of a call can read: its facts and its current params. */
export interface CallContext extends Omit<Facts, 'signal'> {
  /** Unique to this call, made by toolware; the same again after `app.resume`. */
  readonly id: string
  readonly toolName: string
  /** Frozen; the current ones, after every rewrite so far. */
  readonly params: Params
  /** The params as JSON text, made on first use. */
  readonly argumentsJson: string
  /** Fires when nobody waits for the work any more: pass it on. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** The environment for exec tools, once `resolve_exec_env` has settled it. */
  readonly execEnv: Readonly<Record<string, string>> | undefined
}

/** What the tool gets beside its params. `signal` fires on the caller's abort and on `toolTimeoutMs`. */
export type ToolContext = CallContext

/** A tool: toolware never owns one, it stands around it. `params` is the tool's own mutable copy. */
export type Tool<P = Record<string, unknown>, R = unknown> = (
  params: P,
  ctx: ToolContext,
) => MaybePromise<R>

/** A tool that answers in pieces. */
export type StreamTool<P = Record<string, unknown>, C = unknown> = (
  params: P,
  ctx: ToolContext,
) => AsyncIterable<C>

/** What a hook gets. It answers by its return value only. */
export interface HookContext extends CallContext {
  /** Scratch space of this call, shared by its hooks. */
  readonly state: Map<unknown, unknown>
  /** True when `check` runs again on params that changed after it answered. */
  readonly recheck: boolean
  /** True when the call came back through `app.resume`. */
  readonly resumed: boolean
  /** True under `explain` and `toolware check`: nothing will be executed, asked or audited. */
  readonly judging: boolean
  /** The clock of the pipeline, in milliseconds since the epoch. */
  readonly clock: () => number
}

/** What a middleware function gets: the hook's context and the ways to act. */
export interface MiddlewareContext extends HookContext {
  /** What became of the call; set once `next()` has settled. */
  readonly outcome: Outcome
  /** The tool's result. Assign it after `next()` to change it. */
  result: unknown
  /** Blocks the call; after the tool ran, withholds its result. Sticky. */
  deny(reason?: string, options?: DenyOptions): void
  /** Asks a person, at the gate. Throws once the gate was entered. */
  ask(request: AskRequest): void
  /** Replaces the params for everything further in. Throws once the gate was entered. */
  rewrite(params: NewParams): void
  /** Answers in place of the tool; then `await next()`. Throws once the gate was entered. */
  respond(value: unknown): void
  /** Changes the chunks of a stream as they pass. Call it before `next()`. */
  transform(fn: (chunk: unknown) => unknown): void
}

/** Runs the rest of the pipeline. Await it, exactly once. */
export type Next = () => Promise<unknown>

/** An onion function. */
export type Middleware = (ctx: MiddlewareContext, next: Next) => unknown
