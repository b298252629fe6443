/**
 * What travels on the wire: newline-delimited JSON-RPC 2.0, and the first seed's looser dialect of it.
 * Pure functions from text to what it means; nothing here trusts the other side.
 *
 * @module
 */

/** The version both sides say in `init`. */
export const PROTOCOL_VERSION = 1

/**
 * `toolware` is JSON-RPC 2.0. `openclaw-net` is what bridges of the first seed's host speak: no `jsonrpc`,
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

/** A line from the other side. `noise` is whatever is no message; `stray` is an answer to nothing we could have asked. */
export type Incoming =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'request'; readonly id: unknown; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'stray'; readonly problem: string }
  | { readonly kind: 'noise' }

/** What became of a request. `gone`: the other side is no more. `silent`: it said nothing in time. */
export type Answer =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'bad'; readonly problem: string }
  | { readonly kind: 'gone'; readonly problem: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'cancelled' }

type Fields = Record<string, unknown>

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
    return { kind: 'answer', id, answer: { kind: 'error', message: errorText(dialect, error) } }
  }
  if (result === undefined) return bad(id, 'answered with neither result nor error')
  return { kind: 'answer', id, answer: { kind: 'result', value: result } }
}

/** A plugin's opinion: `{ allow: boolean, reason?: string }` and nothing else. */
export type HookAnswer =
  | { readonly allow: boolean; readonly reason: string | undefined }
  | { readonly problem: string }

/**
 * Reads the result of `hook_before`. An allow with further fields is refused: whoever sends new arguments
 * along would believe that they count.
 */
export function readHookAnswer(dialect: Dialect, value: unknown): HookAnswer {
  if (!isFields(value)) return { problem: `answered ${excerpt(value)}, not an object` }
  const allow = pick(dialect, value, 'allow')
  if (typeof allow !== 'boolean') {
    return { problem: `answered ${excerpt(value)}; \`allow\` must be true or false` }
  }
  const reason = pick(dialect, value, 'reason') ?? undefined
  if (!allow) return { allow, reason: typeof reason === 'string' ? plainText(reason) : undefined }
  const extra = Object.keys(value).find((key) => !['allow', 'reason'].includes(fold(dialect, key)))
  if (extra !== undefined) {
    return { problem: `allowed with a field ${excerpt(extra)} that an answer cannot have` }
  }
  return { allow, reason: undefined }
}

/** What a plugin says when it has started. */
export interface InitAnswer {
  readonly eventSubscriptions: readonly string[]
  readonly capabilities: readonly string[]
  readonly diagnostics: readonly string[]
}

/** Reads the result of `init`. */
export function readInitAnswer(
  dialect: Dialect,
  value: unknown,
): InitAnswer | { readonly problem: string } {
  if (!isFields(value)) return { problem: `answered init with ${excerpt(value)}, not an object` }
  const version = pick(dialect, value, 'protocolVersion')
  if (dialect === 'toolware' && version !== PROTOCOL_VERSION) {
    return { problem: `speaks protocol version ${excerpt(version)}, not ${PROTOCOL_VERSION}` }
  }
  const eventSubscriptions = pick(dialect, value, 'eventSubscriptions') ?? []
  const capabilities = pick(dialect, value, 'capabilities') ?? []
  if (!isTexts(eventSubscriptions) || !isTexts(capabilities)) {
    return { problem: 'answered init with eventSubscriptions or capabilities that are no lists' }
  }
  const diagnostics = readDiagnostics(dialect, pick(dialect, value, 'diagnostics'))
  if (pick(dialect, value, 'compatible') === false) {
    return { problem: `is not compatible: ${diagnostics.join('; ') || 'it does not say why'}` }
  }
  return { eventSubscriptions, capabilities, diagnostics }
}

function readDiagnostics(dialect: Dialect, value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, 20).map((item: unknown) => {
    if (!isFields(item)) return plainText(excerpt(item))
    const [code, message] = [pick(dialect, item, 'code'), pick(dialect, item, 'message')]
    return plainText([code, message].filter((part) => typeof part === 'string').join(': '))
  })
}

/** Text of a plugin that people or models will read: one line, no control characters, at most 500 characters. */
export function plainText(text: string, max = 500): string {
  const cut = text.length > max ? `${text.slice(0, max - 1)}…` : text
  return cut.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim()
}

/** A value from outside, short enough for a message. */
export function excerpt(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? 'a list' : `an object with ${keysOf(value)}`
  }
  return value === undefined ? 'nothing' : plainText(JSON.stringify(value), 80)
}

function keysOf(value: object): string {
  const keys = Object.keys(value)
  return keys.length === 0 ? 'no fields' : plainText(keys.slice(0, 5).join(', '), 80)
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

function bad(id: number, problem: string): Incoming {
  return { kind: 'answer', id, answer: { kind: 'bad', problem } }
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A field by its name; the first seed's bridges may write it in PascalCase. */
function pick(dialect: Dialect, fields: Fields, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name]
  if (dialect === 'toolware') return undefined
  const pascal = name.charAt(0).toUpperCase() + name.slice(1)
  return Object.hasOwn(fields, pascal) ? fields[pascal] : undefined
}

const fold = (dialect: Dialect, key: string): string =>
  dialect === 'toolware' ? key : key.charAt(0).toLowerCase() + key.slice(1)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
