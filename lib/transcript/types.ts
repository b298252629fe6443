/** A message about to be written to a transcript. */
export type TranscriptMessage = Record<string, unknown>

/** What the host knows about a transcript write. */
export interface TranscriptContext {
  readonly agentId?: string
  readonly sessionKey?: string
  readonly sessionId?: string
  readonly toolName?: string
  readonly toolCallId?: string
  /** True for a result that the host made up, such as one for a call that never answered. */
  readonly isSynthetic?: boolean
}

/** What a `tool_result_persist` handler gets. */
export interface PersistEvent {
  readonly message: TranscriptMessage
  readonly toolName?: string
  readonly toolCallId?: string
  readonly isSynthetic?: boolean
}

/** What a `before_message_write` handler gets. */
export interface WriteEvent {
  readonly message: TranscriptMessage
  readonly sessionKey?: string
  readonly agentId?: string
}

/** What a handler of either event may answer; `block` counts for `before_message_write` only. */
export interface TranscriptAnswer {
  message?: TranscriptMessage
  block?: boolean
}

/** One handler of a chain. */
export interface TranscriptHandler<E> {
  readonly pluginId: string
  run(event: E, ctx: TranscriptContext): unknown
}
