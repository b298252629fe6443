/**
 * The words of the pipeline: call, context, hook, middleware, verdict, outcome. No runtime code.
 *
 * @module
 */
/** Every code an outcome or an error can carry; `errors.ts` says what each means. */
export type ErrorCode =
  | 'DENIED'
  | 'HOOK_FAILED'
  | 'HOOK_TIMEOUT'
  | 'HOOK_BAD_ANSWER'
  | 'SHORT_CIRCUIT'
  | 'NEXT_TWICE'
  | 'NEXT_NOT_AWAITED'
  | 'BAD_ARGUMENTS'
  | 'UNKNOWN_TOOL'
  | 'LIMIT_EXCEEDED'
  | 'RATE_LIMITED'
  | 'STATE_UNAVAILABLE'
  | 'PLUGIN_UNAVAILABLE'
  | 'PLUGIN_BAD_ANSWER'
  | 'APPROVAL_DENIED'
  | 'APPROVAL_TIMEOUT'
  | 'APPROVAL_CANCELLED'
  | 'APPROVAL_UNAVAILABLE'
  | 'APPROVAL_NOT_FOUND'
  | 'APPROVAL_RESOLVED'
  | 'APPROVAL_EXPIRED'
  | 'PARAMS_CHANGED_AFTER_APPROVAL'
  | 'TOOL_FAILED'
  | 'TOOL_TIMEOUT'
  | 'ABORTED'
  | 'CONFIG'

/** A value or a promise of it. */
export type MaybePromise<T> = T | PromiseLike<T>

/** The arguments of a call as plain data. Hooks get them frozen. */
export type Params = Readonly<Record<string, unknown>>

/** Who asked for the call, as far as the host has verified it. A missing field is unknown, not false. */
export interface Requester {
  readonly channel?: string | undefined
  readonly accountId?: string | undefined
  readonly senderId?: string | undefined
  readonly senderIsOwner?: boolean | undefined
  readonly roleIds?: readonly string[] | undefined
}

/**
 * What the host knows around a call. Every fact is optional; a missing one is unknown, never assumed.
 * The call's facts win over those given to `wrap`, those over the innermost scope's.
 */
export interface Facts {
  readonly toolCallId?: string | undefined
  readonly runId?: string | undefined
  readonly parentCallId?: string | undefined
  readonly sessionId?: string | undefined
  readonly sessionKey?: string | undefined
  readonly channelId?: string | undefined
  readonly senderId?: string | undefined
  readonly correlationId?: string | undefined
  readonly agentId?: string | undefined
  readonly requester?: Requester | undefined
  /** Tells apart tools that share a name on purpose, such as `code_mode_exec`. */
  readonly toolKind?: string | undefined
  readonly toolInputKind?: string | undefined
  /** Target paths the host derived on a best-effort basis. Never proof that there are no others. */
  readonly derivedPaths?: readonly string[] | undefined
  readonly execHost?: 'gateway' | 'sandbox' | 'node' | undefined
  readonly messageProvider?: string | undefined
  readonly isStreaming?: boolean | undefined
  /** The caller's signal: its abort settles the call as `aborted`. */
  readonly signal?: AbortSignal | undefined
  /** Tracing data of the host, handed through untouched. */
  readonly trace?: unknown
  /** Milliseconds since the epoch. Only `toolware check` and `run --recorded-time` believe it. */
  readonly timestamp?: number | undefined
}

/** One tool call. Give `params` or `argumentsJson`, not both; neither, or `''`, means `{}`. */
export interface ToolCall<P = Record<string, unknown>> extends Facts {
  /** `[A-Za-z0-9_.:/-]{1,128}`. */
  readonly toolName: string
  readonly params?: P | undefined
  readonly argumentsJson?: string | undefined
}

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
  readonly params: Params
  /** The params as JSON text, made on first use. */
  readonly argumentsJson: string
  readonly signal: AbortSignal
  readonly log: Logger
  /** The environment for exec tools, once `resolve_exec_env` has settled it. */
  readonly execEnv: Readonly<Record<string, string>> | undefined
}

/** What the tool gets beside its params. `signal` fires on the caller's abort and on `toolTimeoutMs`. */
export type ToolContext = CallContext

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
  rewrite(params: Record<string, unknown>): void
  /** Answers in place of the tool; then `await next()`. Throws once the gate was entered. */
  respond(value: unknown): void
  /** Changes the chunks of a stream as they pass. Call it before `next()`. */
  transform(fn: (chunk: unknown) => unknown): void
}

/** Runs the rest of the pipeline. Await it, exactly once. */
export type Next = () => Promise<unknown>

/** An onion function. */
export type Middleware = (ctx: MiddlewareContext, next: Next) => unknown

// Verdicts -------------------------------------------------------------------------------------

/** Details of a deny. */
export interface DenyOptions {
  /** Stable code; `DENIED` unless given. */
  readonly code?: ErrorCode | undefined
  /** The rule that spoke, such as `forbiddenPathGlobs: **\/.env`. */
  readonly rule?: string | undefined
  /** A separate text for the person. */
  readonly notice?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** JSON-safe facts for machines, such as the argument and the value in short form. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Made by `deny(...)`. */
export interface DenyVerdict extends DenyOptions {
  readonly kind: 'deny'
  readonly reason: string | undefined
}

export type ApprovalDecision = 'allow-once' | 'allow-always' | 'deny'
export type ApprovalResolution = ApprovalDecision | 'timeout' | 'cancelled'
export type Severity = 'info' | 'warning' | 'critical'

/** A question to a person, asked once, at the gate, about the final params. */
export interface AskRequest {
  readonly title: string
  readonly description?: string | undefined
  readonly severity?: Severity | undefined
  /** Default 120 000, at most 600 000. */
  readonly timeoutMs?: number | undefined
  /** `deny` is always possible, named or not. */
  readonly allowedDecisions?: readonly ApprovalDecision[] | undefined
  /** What `allow-always` is remembered under, instead of tool and params; always within this asker and agent. */
  readonly scope?: string | undefined
  /** Lets the person change the params; policies judge them again. */
  readonly editable?: boolean | undefined
  /** Stands as the asker in place of the hook's name, where one hook asks for several: `plugin:<id>`. */
  readonly asker?: string | undefined
  /** Called once with what came of it. Not awaited; what it throws is reported. */
  readonly onResolution?: ((resolution: ApprovalResolution) => unknown) | undefined
}

/** Made by `ask(...)`. */
export interface AskVerdict {
  readonly kind: 'ask'
  readonly request: AskRequest
}

/** Made by `rewrite(...)`, with an ask about the new params if wanted. */
export interface RewriteVerdict {
  readonly kind: 'rewrite'
  readonly params: Record<string, unknown>
  readonly ask: AskVerdict | undefined
}

export type Verdict = DenyVerdict | AskVerdict | RewriteVerdict

/** What `check` may answer: `false` and `deny()` deny; `true` and `null` are no opinion. */
export type Opinion = boolean | null | DenyVerdict | AskVerdict

/** What `before` may answer: an opinion, a rewrite, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a `before` that only observes returns nothing
export type Answer = Opinion | RewriteVerdict | undefined | void

// Hooks ----------------------------------------------------------------------------------------

export type FailureCause = 'error' | 'timeout'

export interface HookOptions {
  /** In the text of a denial, in audit and in logs. */
  readonly name: string
  /** Causes that let the call go on when `check` or `before` fails. Default: none, it blocks. */
  readonly failOpen?: readonly FailureCause[] | undefined
  /** Per handler, for `check`, `before` and `resolveExecEnv`. Default `beforeTimeoutMs` of the pipeline. */
  readonly timeoutMs?: number | undefined
  /** `after` and `skipped` are never awaited; `close()` drains them. */
  readonly detached?: boolean | undefined
  /** Called by `app.close()`, once. */
  close?(): unknown
  /**
   * Environment variables for the tool. Called at the gate, after the way in and before approval; of several
   * hooks the later ones win per name. The frozen result is `ctx.execEnv`.
   */
  resolveExecEnv?(ctx: HookContext): MaybePromise<Readonly<Record<string, string>> | undefined>
}

/** Something whose hooks may change, such as a plugin host. Calls use the hooks that were current when they began. */
export interface HookSource {
  readonly name?: string | undefined
  hooks(): readonly AnyHook[]
  /** Calls the listener whenever `hooks()` would answer anew. */
  onChange?(listener: () => void): unknown
  close?(): unknown
}

interface Phases {
  /** Pure: deny, ask or nothing. Runs again when the params changed after it answered. */
  check(ctx: HookContext): MaybePromise<Opinion>
  /** Once per call; may also rewrite. */
  before(ctx: HookContext): MaybePromise<Answer>
  /** Once, if the tool ran or was answered for. Can harm nothing. */
  after(ctx: HookContext, outcome: Outcome): unknown
  /** Once, if the tool did not run. Can harm nothing. */
  skipped(ctx: HookContext, outcome: Outcome): unknown
}

interface PlainPhases {
  /** Judges the call: `false` denies. Runs again when the params changed, unless `once`. */
  beforeExecute(
    toolName: string,
    argumentsJson: string,
    signal: AbortSignal,
  ): boolean | PromiseLike<boolean>
  /** `result` is text: a string as it is, other values as JSON, `''` for undefined. */
  afterExecute(
    toolName: string,
    argumentsJson: string,
    result: string,
    durationMs: number,
    failed: boolean,
    signal: AbortSignal,
  ): unknown
}

/** `T` with at least one of its members. */
type AtLeastOne<T> = {
  [K in keyof T]: Pick<T, K> & { [Other in Exclude<keyof T, K>]?: T[Other] | undefined }
}[keyof T]
type Absent<T> = { readonly [K in keyof T]?: undefined }

/** A hook: a name and at least one phase. */
export type ToolHook = HookOptions & AtLeastOne<Phases> & Absent<PlainPhases>

/** A hook in the shape of OpenClaw.NET's `IToolHook`: tool name and JSON text in, a boolean out. */
export type PlainHook = HookOptions &
  AtLeastOne<PlainPhases> &
  Absent<Phases> & {
    /** `beforeExecute` does not run again when the params changed. */
    readonly once?: boolean | undefined
  }

/** Whatever `adapt` takes. */
export type AnyHook = ToolHook | PlainHook

// Outcome --------------------------------------------------------------------------------------

interface OutcomeBase {
  /** Whether the tool was started. */
  readonly executed: boolean
  /** What the model should read. */
  readonly text: string
  /** A separate text for the person, where there is one. */
  readonly notice?: string | undefined
  /** From arrival to now, in milliseconds; 0 with `timing: false`. */
  readonly durationMs: number
  /** Time spent inside hooks; with `timing: 'hooks'` only. */
  readonly hookMs?: number | undefined
  /** Time spent waiting for people, where one was asked; not with `timing: false`. */
  readonly waitMs?: number | undefined
}

/** The tool ran, or was answered for (`executed: false`). */
export interface CompletedOutcome<R = unknown> extends OutcomeBase {
  readonly status: 'completed'
  readonly failed: false
  readonly result: R
  /** The middleware that answered for a failed tool, and the tool's own error. */
  readonly recovered?: string | undefined
  readonly toolError?: unknown
}

interface Unsuccessful extends OutcomeBase {
  readonly failed: true
  readonly code: ErrorCode
  /** The hook's name, `middleware#i`, `tool` or `toolware`. */
  readonly by: string
  readonly rule?: string | undefined
  readonly reason?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** The tool threw or timed out, or something after it withheld its result. */
export interface FailedOutcome extends Unsuccessful {
  readonly status: 'failed'
  readonly error: unknown
}

/** The tool was not started, because someone or something said no. */
export interface BlockedOutcome extends Unsuccessful {
  readonly status: 'blocked'
  readonly approvalId?: string | undefined
}

/** The caller gave the call up. `executed` says whether the tool had started. */
export interface AbortedOutcome extends Unsuccessful {
  readonly status: 'aborted'
  readonly error: unknown
}

/** A person has to decide first; `app.resume(approvalId, tool)` carries on. */
export interface PendingOutcome extends OutcomeBase {
  readonly status: 'pending'
  readonly failed: false
  readonly approvalId: string
}

export type Outcome<R = unknown> =
  | CompletedOutcome<R>
  | FailedOutcome
  | BlockedOutcome
  | AbortedOutcome
  | PendingOutcome

// Approval -------------------------------------------------------------------------------------

/** What an approver is asked: the final params, and everybody who asked for it. */
export interface ApprovalQuestion {
  readonly ctx: HookContext
  /** Params as they were when the call arrived, for `app.resume`. */
  readonly originalParams: Params
  /** Who asked, in order, with what each asked. At least one. */
  readonly askers: ReadonlyArray<{ readonly name: string; readonly request: AskRequest }>
  /** The pipeline's `policyVersion`; an approval does not outlive it. */
  readonly policyVersion?: string | undefined
}

/** What an approver answers. Only an allow lets the call through. */
export type ApprovalAnswer =
  | {
      readonly resolution: 'allow-once' | 'allow-always'
      readonly approvalId: string
      /** Set when the person changed the params: they are judged again and then used. */
      readonly params?: Record<string, unknown> | undefined
    }
  | {
      readonly resolution: 'deny' | 'timeout' | 'cancelled'
      readonly approvalId: string
      readonly reason?: string | undefined
    }
  | { readonly resolution: 'pending'; readonly approvalId: string }

/** A call kept for `app.resume`. */
export interface HeldCall {
  /** The call's own id, so that reservations are not taken twice. */
  readonly id: string
  readonly call: ToolCall
  readonly approvedParams: Params
  /** The names of those who had asked: nobody else may ask now. */
  readonly askers: readonly string[]
  /** The person changed the params: they are judged by `check` only. */
  readonly edited: boolean
  /** Whether what would run now is what was approved: tool, params, session, directory, environment, policies. */
  readonly matches?:
    | ((now: { readonly ctx: HookContext; readonly policyVersion?: string | undefined }) => boolean)
    | undefined
}

/** Whoever can put a question to a person. `ApprovalQueue` is one. */
export interface Approver {
  /** Tells the askers (`onResolution`) what it answers, or later what came of `pending`. When it rejects, the pipeline does. */
  decide(question: ApprovalQuestion, signal: AbortSignal): MaybePromise<ApprovalAnswer>
  /** Takes a decided call out of the store, once. Rejects with an `APPROVAL_*` code otherwise. */
  claim?(approvalId: string): MaybePromise<HeldCall>
  /** Tells of suspended calls that will never run: denied, expired or withdrawn. */
  onRefused?(listener: (held: HeldCall, resolution: ApprovalResolution) => void): unknown
  close?(): MaybePromise<void>
}
