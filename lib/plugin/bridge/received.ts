import { type Fields, isFields, pick } from './fields.ts'

/** A call as it comes over the wire, in the child. */
export interface ReceivedCall {
  readonly toolName: string
  /** JSON text. */
  readonly arguments: string
  readonly toolCallId: string | undefined
  readonly recheck: boolean
  readonly sessionId: string | undefined
  readonly channelId: string | undefined
  readonly senderId: string | undefined
  readonly correlationId: string | undefined
}

/** The same with what became of it. */
export interface ReceivedAfter extends ReceivedCall {
  readonly result: string
  readonly durationMs: number
  readonly failed: boolean
}

/** Reads the params of `hook_before`, in camelCase or PascalCase; undefined when they are none. */
export function receiveCall(params: unknown): ReceivedCall | undefined {
  if (!isFields(params)) return undefined
  const toolName = pick('openclaw-net', params, 'toolName')
  const text = pick('openclaw-net', params, 'arguments')
  if (typeof toolName !== 'string' || typeof text !== 'string') return undefined
  return {
    toolName,
    arguments: text,
    toolCallId: textOf(params, 'toolCallId'),
    recheck: pick('openclaw-net', params, 'recheck') === true,
    sessionId: textOf(params, 'sessionId'),
    channelId: textOf(params, 'channelId'),
    senderId: textOf(params, 'senderId'),
    correlationId: textOf(params, 'correlationId'),
  }
}

function textOf(params: Fields, name: string): string | undefined {
  const value = pick('openclaw-net', params, name)
  return typeof value === 'string' ? value : undefined
}

/** Reads the params of `hook_after`. */
export function receiveAfter(params: unknown): ReceivedAfter | undefined {
  const call = receiveCall(params)
  if (call === undefined || !isFields(params)) return undefined
  const [result, durationMs, failed] = ['result', 'durationMs', 'failed'].map((name) =>
    pick('openclaw-net', params, name),
  )
  return {
    ...call,
    result: typeof result === 'string' ? result : '',
    durationMs: typeof durationMs === 'number' ? durationMs : 0,
    failed: failed === true,
  }
}
