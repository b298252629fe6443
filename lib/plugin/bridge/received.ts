import { isFields, pick } from './fields.ts'

/** A call as it comes over the wire, in the child. */
export interface ReceivedCall {
  readonly toolName: string
  /** JSON text. */
  readonly arguments: string
  readonly toolCallId: string | undefined
  readonly recheck: boolean
  /** Only what is known. */
  readonly facts: {
    readonly sessionId?: string
    readonly channelId?: string
    readonly senderId?: string
    readonly correlationId?: string
  }
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
  const read = (name: string) => pick('openclaw-net', params, name)
  const toolName = read('toolName')
  const text = read('arguments')
  if (typeof toolName !== 'string' || typeof text !== 'string') return undefined
  const facts: Record<string, string> = {}
  for (const name of ['sessionId', 'channelId', 'senderId', 'correlationId']) {
    const value = read(name)
    if (typeof value === 'string') facts[name] = value
  }
  const callId = read('toolCallId')
  return {
    toolName,
    arguments: text,
    toolCallId: typeof callId === 'string' ? callId : undefined,
    recheck: read('recheck') === true,
    facts,
  }
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
