import type { ToolCall } from '../lib/types.ts'
import { isObject, type NumberedCall, parseJson } from './calls.ts'
import type { Line } from './lines.ts'
import { UsageError } from './usage-error.ts'

/** Whose recordings `--from` reads. */
export const TRANSCRIPTS = ['claude-code', 'openai', 'anthropic'] as const
export type Transcript = (typeof TRANSCRIPTS)[number]

const MAX_DEPTH = 32

/** Facts that stand around a call in a recording. */
interface Around {
  readonly sessionId?: string
  readonly timestamp?: number
}

type Found = ToolCall & { readonly toolCallId?: string | undefined }
type Recognise = (value: Record<string, unknown>, around: Around) => Found | undefined

/**
 * Finds the tool calls in a recording: a JSON document, or JSON lines, in the shapes the vendor's API and programs write.
 * Reads it whole. A call without an id gets `line-N`, with `.2` and so on for more of them on that line.
 *
 * @throws {UsageError} with the line that is no JSON.
 */
export async function* readTranscript(
  lines: AsyncIterable<Line>,
  source: string,
  from: Transcript,
): AsyncGenerator<NumberedCall> {
  const all: Line[] = []
  for await (const line of lines) if (line.text.trim() !== '') all.push(line)
  const recognise = from === 'openai' ? openaiCall : anthropicCall
  for (const { number, value } of documents(all, source)) {
    let n = 0
    for (const call of walk(value, recognise, {}, 0)) {
      n++
      const toolCallId = call.toolCallId ?? (n === 1 ? `line-${number}` : `line-${number}.${n}`)
      yield { line: number, call: { ...call, toolCallId } }
    }
  }
}

function documents(lines: readonly Line[], source: string): { number: number; value: unknown }[] {
  const [first, second] = lines
  if (first === undefined) return []
  // A document over several lines does not parse line by line.
  if (second !== undefined && !isJson(first.text)) {
    const whole = lines.map(({ text }) => text).join('\n')
    if (isJson(whole)) return [{ number: first.number, value: JSON.parse(whole) }]
  }
  return lines.map(({ number, text }) => ({
    number,
    value: parseJson(text, `${source}:${number}`),
  }))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function* walk(
  value: unknown,
  recognise: Recognise,
  outer: Around,
  depth: number,
): Generator<Found> {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) yield* walk(item, recognise, outer, depth + 1)
    return
  }
  if (!isObject(value)) return
  const around = { ...outer, ...readAround(value) }
  const call = recognise(value, around)
  if (call !== undefined) {
    yield call
    return
  }
  // What a tool answered may quote calls of its own.
  if (value.type === 'tool_result' || value.role === 'tool') return
  for (const [key, member] of Object.entries(value)) {
    if (key !== 'toolUseResult') yield* walk(member, recognise, around, depth + 1)
  }
}

function readAround(value: Record<string, unknown>): Around {
  const { sessionId, timestamp } = value
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  return {
    ...(typeof sessionId === 'string' && { sessionId }),
    ...(!Number.isNaN(time) && { timestamp: time }),
  }
}

/** `tool_use` blocks of the Messages API; Claude Code writes the same with session and time around them. */
function anthropicCall(value: Record<string, unknown>, around: Around): Found | undefined {
  if (value.type !== 'tool_use' || typeof value.name !== 'string') return undefined
  const params = (value.input ?? {}) as Record<string, unknown>
  return { toolName: value.name, params, ...around, ...id(value.id) }
}

/** `tool_calls` of chat completions and `function_call` items of the Responses API. */
function openaiCall(value: Record<string, unknown>, around: Around): Found | undefined {
  if (value.type === 'function' && isObject(value.function)) {
    const { name, arguments: text } = value.function
    // A declaration of a tool has no arguments.
    if (typeof name !== 'string' || typeof text !== 'string') return undefined
    return { toolName: name, argumentsJson: text, ...around, ...id(value.id) }
  }
  if (value.type === 'function_call' && typeof value.name === 'string') {
    const text = typeof value.arguments === 'string' ? value.arguments : ''
    return { toolName: value.name, argumentsJson: text, ...around, ...id(value.call_id) }
  }
  return undefined
}

function id(value: unknown): { toolCallId?: string } {
  return typeof value === 'string' && value !== '' ? { toolCallId: value } : {}
}

/** @throws {UsageError} for a name that is no transcript's. */
export function transcript(name: string): Transcript {
  const found = TRANSCRIPTS.find((known) => known === name)
  if (!found) throw new UsageError(`--from: "${name}" is none of ${TRANSCRIPTS.join(', ')}`)
  return found
}
