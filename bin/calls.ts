import { closest } from '../lib/closest.ts'
import { shorten } from '../lib/policy/finding.ts'
import type { ToolCall } from '../lib/types.ts'
import type { Line } from './lines.ts'
import { oneLine, UsageError } from './usage-error.ts'

/** A call as it came in, with the line it stood on. */
export interface NumberedCall {
  readonly line: number
  readonly call: ToolCall & { readonly toolCallId: string }
}

type Kind = 'text' | 'number' | 'boolean' | 'texts' | 'any' | 'requester' | 'execHost'

const KEYS: Readonly<Record<Exclude<keyof ToolCall, 'signal'>, Kind>> = {
  toolName: 'any',
  params: 'any',
  argumentsJson: 'any',
  toolCallId: 'text',
  runId: 'text',
  parentCallId: 'text',
  sessionId: 'text',
  sessionKey: 'text',
  channelId: 'text',
  senderId: 'text',
  correlationId: 'text',
  agentId: 'text',
  requester: 'requester',
  toolKind: 'text',
  toolInputKind: 'text',
  derivedPaths: 'texts',
  execHost: 'execHost',
  messageProvider: 'text',
  isStreaming: 'boolean',
  trace: 'any',
  timestamp: 'number',
}

const REQUESTER: Readonly<Record<string, Kind>> = {
  channel: 'text',
  accountId: 'text',
  senderId: 'text',
  senderIsOwner: 'boolean',
  roleIds: 'texts',
}

const WORDS: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  texts: 'a list of texts',
  any: '',
  requester: 'an object',
  execHost: 'gateway, sandbox or node',
}

/**
 * Reads calls, one JSON object a line; blank lines are skipped. The shape is that of `ToolCall`; a call without a
 * `toolCallId` gets `line-N`.
 *
 * @throws {UsageError} with source, line and value for bad JSON, no object, an unknown key, a fact of the wrong type,
 * or both `params` and `argumentsJson`.
 */
export async function* readCalls(
  lines: AsyncIterable<Line>,
  source: string,
): AsyncGenerator<NumberedCall> {
  for await (const { number, text } of lines) {
    if (text.trim() === '') continue
    yield { line: number, call: parseCall(text, `${source}:${number}`, `line-${number}`) }
  }
}

/** One call from its JSON text. `at` names the place in errors. */
export function parseCall(
  text: string,
  at: string,
  fallbackId: string,
): ToolCall & { readonly toolCallId: string } {
  const value = parseJson(text, at)
  if (!isObject(value))
    throw new UsageError(`${at}: ${show(value)} is no object; a call is {"toolName": ...}`)
  const call = pickKnown(value, KEYS, at, '')
  if (call.params !== undefined && call.argumentsJson !== undefined) {
    throw new UsageError(`${at}: both params and argumentsJson are given; give one`)
  }
  // The checks above are the proof; names and arguments of a wrong shape are for the pipeline to block.
  return { toolCallId: fallbackId, ...call } as unknown as ToolCall & {
    readonly toolCallId: string
  }
}

/** @throws {UsageError} that says where the text stops being JSON. */
export function parseJson(text: string, at: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${at}: bad JSON: ${oneLine(error)}`)
  }
}

function pickKnown(
  value: Record<string, unknown>,
  known: Readonly<Record<string, Kind>>,
  at: string,
  prefix: string,
): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    const kind = Object.hasOwn(known, key) ? known[key] : undefined
    if (kind === undefined) {
      const meant = closest(key, Object.keys(known))
      const help = meant ? `did you mean ${meant}?` : `known are ${Object.keys(known).join(', ')}`
      throw new UsageError(`${at}: unknown key "${shorten(prefix + key)}"; ${help}`)
    }
    // Recorders write null for what they do not know.
    if (member === null && kind !== 'any') continue
    if (!fits(member, kind)) {
      throw new UsageError(`${at}: ${prefix}${key}: ${show(member)} is not ${WORDS[kind]}`)
    }
    picked[key] =
      kind === 'requester'
        ? pickKnown(member as Record<string, unknown>, REQUESTER, at, 'requester.')
        : member
  }
  return picked
}

function fits(value: unknown, kind: Kind): boolean {
  if (kind === 'any') return true
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'number') return Number.isFinite(value)
  if (kind === 'boolean') return typeof value === 'boolean'
  if (kind === 'requester') return isObject(value)
  if (kind === 'execHost') return value === 'gateway' || value === 'sandbox' || value === 'node'
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** True for an object that is no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  return shorten(JSON.stringify(value) ?? String(value)).replaceAll('\\"', '"')
}
