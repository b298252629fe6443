/**
 * What travels on the wire: newline-delimited JSON-RPC 2.0, and OpenClaw.NET's looser dialect of it.
 * Pure functions from text to what it means; nothing here trusts the other side.
 *
 * @module
 */

import { excerpt, type Fields, isFields, pick, plainText } from './fields.ts'

/** The version both sides say in `init`. */
export const PROTOCOL_VERSION = 1

/**
 * `toolware` is JSON-RPC 2.0. `openclaw-net` is what bridges for OpenClaw.NET speak: no `jsonrpc`,
 * text ids, every message answered, names in camelCase or PascalCase.
 */
export type Dialect = 'toolware' | 'openclaw-net'

/** Facts of a call as plugins get them. */
export interface HookParams {
  readonly eventName: string
  readonly toolName: string
  /** JSON text. */
  readonly arguments: string
  readonly sessionId?: string | undefined
  readonly channelId?: string | undefined
  readonly senderId?: string | undefined
  readonly correlationId?: string | undefined
  readonly toolCallId: string
  /** Set when the call is judged again because its params changed. */
  readonly recheck?: true | undefined
}

/** What `hook_after` adds. */
export interface AfterParams extends HookParams {
  readonly result: string
  readonly durationMs: number
  readonly failed: boolean
}

/** What `init` says in our dialect. */
export interface InitParams {
  readonly protocolVersion: number
  /** Absolute. */
  readonly entryPath: string
  readonly manifestPath: string
  readonly pluginId: string
  readonly config: Readonly<Record<string, unknown>>
  /** What the manifest allows the plugin to register for; undefined does not limit. */
  readonly eventSubscriptions?: readonly string[] | undefined
  readonly capabilities?: readonly string[] | undefined
}

/** Error code of an answer: a handler threw or did not settle. */
export const HANDLER_FAILED = -32000
/** Error code of an answer: a handler answered with something that is no opinion. */
export const BAD_ANSWER = -32001

/** What a plugin's side says to `hook_before`. */
export type BeforeReply =
  | { readonly result: { readonly allow: boolean; readonly reason?: string } }
  | { readonly error: { readonly code: number; readonly message: string } }

/** A line from the other side. `noise` is whatever is no message; `stray` is an answer to nothing we could have asked. */
export type Incoming =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'request'; readonly id: unknown; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'stray'; readonly problem: string }
  | { readonly kind: 'noise' }

/**
 * What became of a request. `gone`: the other side is no more. `silent`: it said nothing in time; `overdue`: what it
 * said in time was no answer.
 */
export type Answer =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'bad'; readonly problem: string; readonly overdue?: true }
  | { readonly kind: 'gone'; readonly problem: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'cancelled' }

// A shorter line is parsed at once: it cannot cost much.
const SAFE_LENGTH = 2048
const MAX_DEPTH = 64
const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b]

/** A request line, without its newline. */
export function requestLine(dialect: Dialect, id: number, method: string, params: object): string {
  return dialect === 'toolware'
    ? JSON.stringify({ jsonrpc: '2.0', id, method, params })
    : JSON.stringify({ method, id: String(id), params })
}

/** A notification line, without its newline. */
export function notificationLine(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}

/** Reads one line. Never throws. */
export function readLine(dialect: Dialect, line: string): Incoming {
  const message = parse(line)
  if (message === undefined) return { kind: 'noise' }
  const field = (name: string) => pick(dialect, message, name)

  const method = field('method')
  if (typeof method === 'string') {
    const id = field('id')
    if (id !== undefined) return { kind: 'request', id, method }
    return { kind: 'notification', method, params: field('params') }
  }
  if (dialect === 'openclaw-net') {
    const name = field('notification')
    const params = field('params')
    if (typeof name === 'string') return { kind: 'notification', method: name, params }
  }

  const result = field('result')
  const error = field('error')
  // Some serialisers write `error: null` beside a result.
  const failed = error !== undefined && error !== null
  const answers = result !== undefined || failed
  const sentId = field('id')
  // Many loggers write JSON too: without a version only an id together with an outcome makes an answer.
  if (sentId === undefined || (!answers && message.jsonrpc === undefined)) return { kind: 'noise' }
  const id = readId(sentId)
  if (id === undefined) {
    if (dialect === 'toolware' && message.jsonrpc === undefined) return { kind: 'noise' }
    return { kind: 'stray', problem: `answered with the id ${excerpt(sentId)}` }
  }
  if (dialect === 'toolware' && message.jsonrpc !== '2.0') {
    return bad(id, `answered with jsonrpc ${excerpt(message.jsonrpc)}, not "2.0"`)
  }
  if (failed && result !== undefined && result !== null) {
    return bad(id, 'answered with both result and error')
  }
  if (failed) {
    const message = errorText(dialect, error)
    if (isFields(error) && error.code === BAD_ANSWER) return bad(id, `answered badly: ${message}`)
    return { kind: 'answer', id, answer: { kind: 'error', message } }
  }
  if (result === undefined) return bad(id, 'answered with neither result nor error')
  return { kind: 'answer', id, answer: { kind: 'result', value: result } }
}

/** Ids are ours: whole numbers from 1. Peers written in other languages may send them back as text. */
function readId(id: unknown): number | undefined {
  const number = typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0
    ? number
    : undefined
}

function errorText(dialect: Dialect, error: unknown): string {
  const message = isFields(error) ? pick(dialect, error, 'message') : error
  return typeof message === 'string' ? plainText(message) : 'an error without a message'
}

/** Whether a text nests deeper than any message does. A parser takes its time with such texts. */
function isDeep(line: string): boolean {
  let depth = 0
  for (let at = 0; at < line.length; at++) {
    const char = line.charCodeAt(at)
    if (char === QUOTE) {
      do {
        at = line.indexOf('"', at + 1)
        if (at === -1) return false
      } while (isEscaped(line, at))
    } else if (char === BRACKET || char === BRACE) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (char === BRACKET + 2 || char === BRACE + 2) depth -= 1
  }
  return false
}

function isEscaped(line: string, at: number): boolean {
  let backslashes = 0
  while (line.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1
  return backslashes % 2 === 1
}

function bad(id: number, problem: string): Incoming {
  return { kind: 'answer', id, answer: { kind: 'bad', problem } }
}

function parse(line: string): Fields | undefined {
  if (line.length > SAFE_LENGTH && isDeep(line)) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
