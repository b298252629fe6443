/**
 * What plugin authors see: events, contexts, answers and the API of both dialects. No runtime code.
 *
 * @module
 */
import type {
  PersistEvent,
  TranscriptContext,
  TranscriptMessage,
  WriteEvent,
} from '../transcript/types.ts'
import type {
  AnyHook,
  ApprovalDecision,
  ApprovalResolution,
  MaybePromise,
  NewParams,
  Requester,
  Severity,
} from '../types.ts'
import type { EventName } from './names.ts'

// OpenClaw's dialect

/** The call as a `before_tool_call` handler or a trusted policy sees it: its own copy, made when `params` is looked at. */
export interface BeforeToolCallEvent {
  readonly toolName: string
  /** The handler's own copy. Changing it changes nothing; return `params` instead. */
  params: Record<string, unknown>
  readonly toolKind?: string
  readonly toolInputKind?: string
  /** Best effort of the host; never proof that there are no others. */
  readonly derivedPaths?: readonly string[]
  readonly runId?: string
  readonly toolCallId?: string
}

/** Who and where, as far as the host knows: a missing key is unknown. */
export interface PluginToolContext {
  readonly toolName: string
  readonly agentId?: string
  readonly sessionKey?: string
  readonly sessionId?: string
  readonly channelId?: string
  readonly messageProvider?: string
  readonly runId?: string
  readonly toolCallId?: string
  readonly toolKind?: string
  readonly toolInputKind?: string
  readonly trace?: unknown
  /** Only what the host has verified. Deny when a policy needs a field that is not there. */
  readonly requester?: Requester
  /** Fires when the call is aborted and when this handler's time is up. */
  readonly abortSignal: AbortSignal
  /** State of a session extension. There are none here, so always undefined. */
  getSessionExtension(namespace: string): undefined
}

/** A question to a person, as plugins ask it. */
export interface ApprovalRequirement {
  title: string
  description?: string
  /** A text is what `allow-always` is remembered under. OpenClaw's display-only objects are ignored. */
  scope?: unknown
  severity?: Severity
  /** Default 120 000, at most 600 000. */
  timeoutMs?: number
  allowedDecisions?: ReadonlyArray<ApprovalDecision>
  /** Ignored: the host says which plugin asked. */
  pluginId?: string
  onResolution?: (decision: ApprovalResolution) => unknown
}

/** What `before_tool_call` may answer. `{}` and nothing are no opinion. */
export interface BeforeToolCallResult {
  /** Merged over the params, key by key, until somebody has asked for approval. */
  params?: NewParams
  /** `true` ends the chain and blocks; `false` says nothing. */
  block?: boolean
  blockReason?: string
  /** A separate text for the person. */
  notice?: string
  requireApproval?: ApprovalRequirement
}

/** What became of the call. `result` and `error` are both optional: neither is no proof of success. */
export interface AfterToolCallEvent {
  readonly toolName: string
  params: Record<string, unknown>
  readonly runId?: string
  readonly toolCallId?: string
  result?: unknown
  readonly error?: string
  readonly durationMs?: number
}

/** What `resolve_exec_env` handlers get; `toolName` is always `exec`, whatever the host calls its tool. */
export interface ExecEnvEvent {
  readonly sessionKey?: string
  readonly toolName: 'exec'
  /** Missing when the host did not say where the command will run. */
  readonly host?: 'gateway' | 'sandbox' | 'node'
}

// biome-ignore lint/suspicious/noConfusingVoidType: handlers that only observe return nothing
type Nothing = null | undefined | void

/** What a trusted policy may answer: that of `before_tool_call`, or `{ allow: false, reason }`. `params` replace. */
export interface TrustedPolicyDecision extends BeforeToolCallResult {
  allow?: boolean
  reason?: string
}

/** A policy that runs before ordinary handlers, for `api.registerTrustedToolPolicy`. */
export interface TrustedToolPolicy {
  /** Listed in the manifest's `contracts.trustedToolPolicies`; scoped to its plugin. */
  id: string
  description: string
  /** As for `before_tool_call`. */
  matcher?: readonly string[]
  /** Default 15 000. */
  timeoutMs?: number
  evaluate(
    event: BeforeToolCallEvent,
    ctx: PluginToolContext,
  ): MaybePromise<TrustedPolicyDecision | Nothing>
}

// OpenClaw.NET's dialect

/** What a `tool:before` handler gets. */
export interface ToolBeforeContext {
  readonly phase: 'before'
  readonly toolName: string
  /** JSON text. */
  readonly arguments: string
  readonly sessionId?: string
  readonly channelId?: string
  readonly senderId?: string
  readonly correlationId?: string
  readonly toolCallId?: string
  /** Fires when the call is aborted and when this handler's time is up. */
  readonly signal: AbortSignal
}

/** What a `tool:after` handler gets. */
export interface ToolAfterContext extends Omit<ToolBeforeContext, 'phase' | 'signal'> {
  readonly phase: 'after'
  /** Text: a string as it is, other values as JSON, `''` for undefined. */
  readonly result: string
  readonly durationMs: number
  readonly failed: boolean
}

/** What `tool:before` may answer: `false` or `{ allow: false }` deny, anything that is neither is a fault. */
export type ToolBeforeAnswer = boolean | { allow: boolean; reason?: string } | Nothing

/** The handler of each event. */
export interface PluginHandlers {
  'tool:before': (ctx: ToolBeforeContext) => MaybePromise<ToolBeforeAnswer>
  'tool:after': (ctx: ToolAfterContext) => unknown
  'tool:*': (ctx: ToolBeforeContext | ToolAfterContext) => unknown
  before_tool_call: (
    event: BeforeToolCallEvent,
    ctx: PluginToolContext,
  ) => MaybePromise<BeforeToolCallResult | Nothing>
  after_tool_call: (event: AfterToolCallEvent, ctx: PluginToolContext) => unknown
  resolve_exec_env: (
    event: ExecEnvEvent,
    ctx: PluginToolContext,
  ) => MaybePromise<Record<string, string> | Nothing>
  tool_result_persist: (
    event: PersistEvent,
    ctx: TranscriptContext,
  ) => { message?: TranscriptMessage } | Nothing
  before_message_write: (
    event: WriteEvent,
    ctx: TranscriptContext,
  ) => { message?: TranscriptMessage; block?: boolean } | Nothing
}

/** Options of `api.on`. */
export interface HandlerOptions {
  /** Exact tool names, at least one; case and surrounding blanks do not count. Default: every tool. */
  matcher?: readonly string[]
  /** Handlers of one event run from high to low; ties keep the order of registration. Default 0. */
  priority?: number
  /** Default 15 000; the operator's own setting wins. */
  timeoutMs?: number
  /** `tool:before` and `tool:*` only: do not call again when the params changed. */
  once?: boolean
}

/** What a command handler gets: the facts the host gave to `runCommand`, and what was typed. */
export interface CommandContext {
  readonly agentId?: string
  readonly sessionKey?: string
  readonly sessionId?: string
  readonly channelId?: string
  readonly senderId?: string
  readonly requester?: Requester
  /** The whole text. */
  readonly commandBody: string
  /** What follows the name. */
  readonly args?: string
  readonly isAuthorizedSender: boolean
}

/** `continueAgent` hands the turn to the agent; `text` answers the person. */
export interface CommandReply {
  text?: string
  continueAgent?: boolean
}

/** A command that people type, for `api.registerCommand`. */
export interface CommandDefinition {
  /** Without the slash. */
  name: string
  description: string
  /** Default false: text after the name means that it is another command. */
  acceptsArgs?: boolean
  /** Default true. */
  requireAuth?: boolean
  handler(ctx: CommandContext): MaybePromise<CommandReply | Nothing>
}

/** Writes to the host's log, under the plugin's id. */
export interface PluginLogger {
  debug(message: string, ...details: unknown[]): void
  info(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  error(message: string, ...details: unknown[]): void
}

/** What `register(api)` gets. Registrations are over when it has returned, or its promise has settled. */
export interface PluginApi {
  readonly id: string
  readonly name: string
  readonly version?: string
  readonly description?: string
  /** The file the plugin came from; `bundled` for one that came in code. */
  readonly source: string
  readonly rootDir?: string
  /** `plugins.entries.<id>.config`. */
  readonly pluginConfig: Readonly<Record<string, unknown>>
  readonly logger: PluginLogger
  /**
   * @throws {TypeError} for a name that exists in neither system, a bad matcher, a handler that is no function.
   */
  on<E extends EventName>(event: E, handler: PluginHandlers[E], options?: HandlerOptions): void
  /** Adds a hook to the pipeline, in the place of OpenClaw.NET's native plugins. */
  registerHook(hook: AnyHook): void
  registerTrustedToolPolicy(policy: TrustedToolPolicy): void
  registerCommand(command: CommandDefinition): void
  /** A path beside the plugin's own file; `~/` is HOME. */
  resolvePath(path: string): string
}

/** A plugin: an id and one of `register` and `activate`. */
export interface PluginDefinition {
  readonly id: string
  readonly name?: string
  readonly version?: string
  readonly description?: string
  register?(api: PluginApi): unknown
  activate?(api: PluginApi): unknown
}
