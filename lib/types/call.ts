/** A value or a promise of it. */
export type MaybePromise<T> = T | PromiseLike<T>

/** The arguments of a call as plain data. Hooks get them frozen. */
export type Params = Readonly<Record<string, unknown>>

/**
 * Arguments that somebody gives in place of others: any object with properties, one with the type of an `interface`
 * included. Arrays, functions, maps and the like are none.
 */
export type NewParams = Record<string, unknown> | (object & NotBuiltIn)

/** What arrays, functions, maps, promises and dates have, and plain objects have not. */
interface NotBuiltIn {
  readonly [Symbol.iterator]?: never
  readonly [Symbol.hasInstance]?: never
  readonly [Symbol.toStringTag]?: never
  readonly [Symbol.toPrimitive]?: never
}

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
  /** Plain data. */
  readonly params?: P | undefined
  /** The params as JSON text, as models write them. */
  readonly argumentsJson?: string | undefined
}
