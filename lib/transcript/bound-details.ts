import { jsonBytes } from './json-bytes.ts'

/** At most this many bytes of `details` are written, unless the caller says otherwise; the least summary has some 150. */
export const MAX_DETAILS_BYTES = 8192

const MEASURE_UP_TO_BYTES = 16 * 1024 * 1024
const MAX_TEXT = 2000
const MAX_FALLBACK_TEXT = 200
const MAX_SESSION_TEXT = 500
const MAX_SESSIONS = 10
const MAX_KEYS = 40

/** Fields that tell what became of a command, so the summary keeps them. */
const STATUS_FIELDS = [
  'status',
  'sessionId',
  'pid',
  'startedAt',
  'endedAt',
  'cwd',
  'name',
  'exitCode',
  'exitSignal',
  'retryInMs',
  'total',
  'totalLines',
  'totalChars',
  'truncated',
  'spill',
  'fullOutputPath',
  'spilledChars',
  'spillTruncated',
  'truncation',
  'disabled',
  'unavailable',
  'success',
  'tail',
]

type Summary = Record<string, unknown>

/**
 * Bounds the `details` of a tool result before they are written: over 8192 bytes of JSON they become a summary with
 * `persistedDetailsTruncated: true`, the original size and keys, and the fields that tell how the tool ended.
 *
 * Within the bound the same object comes back. A cycle, a `bigint` or a `toJSON` counts as over the bound. Texts are
 * cut at whole characters. Never throws, whatever the details are. Details are for machines and logs: they never belong in front of the model.
 */
export function boundDetails(details: unknown, maxBytes: number = MAX_DETAILS_BYTES): unknown {
  if (details === undefined) return undefined
  const within = measure(details, maxBytes)
  if (within.complete) return details
  const size = measure(details, Math.max(maxBytes, MEASURE_UP_TO_BYTES))
  const head: Summary = {
    persistedDetailsTruncated: true,
    ...(size.complete
      ? { originalDetailsBytes: size.bytes }
      : { originalDetailsBytesAtLeast: Math.max(within.bytes, maxBytes + 1) }),
  }
  const source = describe(details)
  const summary = { ...head, ...source.keys, ...source.fields(MAX_TEXT) }
  const first = measure(summary, maxBytes)
  if (first.complete) return summary
  const fallback: Summary = {
    ...head,
    finalDetailsTruncated: true,
    sanitizedDetailsBytes: measure(summary, MEASURE_UP_TO_BYTES).bytes,
  }
  const short = { ...fallback, ...source.fields(MAX_FALLBACK_TEXT) }
  return measure(short, maxBytes).complete ? short : fallback
}

function measure(value: unknown, limit: number) {
  try {
    return jsonBytes(value, limit)
  } catch {
    return { bytes: 0, complete: false }
  }
}

/** What a summary can say about details; nothing of them when they cannot be read. */
function describe(details: unknown): { keys: Summary; fields(maxText: number): Summary } {
  if (typeof details !== 'object' || details === null) {
    const fields = (maxText: number): Summary =>
      typeof details === 'string' ? { text: cut(details, maxText) } : {}
    return { keys: { valueType: typeof details }, fields }
  }
  const keys = keysOf(details)
  if (keys === undefined) return { keys: { valueType: 'array' }, fields: () => ({}) }
  return {
    keys: { originalDetailKeys: keys.slice(0, MAX_KEYS).map((key) => cut(key, MAX_FALLBACK_TEXT)) },
    fields: (maxText) => {
      try {
        return statusFields(details as Summary, maxText)
      } catch {
        return {}
      }
    },
  }
}

/** The keys of details, none when they cannot be read; undefined for an array. */
function keysOf(details: object): string[] | undefined {
  try {
    return Array.isArray(details) ? undefined : Object.keys(details)
  } catch {
    return []
  }
}

function statusFields(details: Summary, maxText: number): Summary {
  const kept: Summary = {}
  for (const field of STATUS_FIELDS) {
    const value = short(details[field], maxText)
    if (value !== undefined) kept[field] = value
  }
  const { error, sessions } = details
  if (error !== undefined && error !== null && error !== false) {
    kept.error = typeof error === 'string' ? cut(error, maxText) : true
  }
  if (Array.isArray(sessions)) {
    kept.sessions = sessions
      .slice(0, MAX_SESSIONS)
      .map((session: unknown) => sessionFields(session, Math.min(maxText, MAX_SESSION_TEXT)))
    if (sessions.length > MAX_SESSIONS) kept.sessionsTruncated = sessions.length - MAX_SESSIONS
  }
  return kept
}

function sessionFields(session: unknown, maxText: number): unknown {
  if (typeof session !== 'object' || session === null) return short(session, maxText) ?? null
  const entries = Object.entries(session).slice(0, MAX_KEYS)
  return Object.fromEntries(
    entries
      .map(([key, value]) => [key, primitive(value, maxText)])
      .filter(([, v]) => v !== undefined),
  ) as Summary
}

/** Primitives and small objects; undefined for the rest. */
function short(value: unknown, maxText: number): unknown {
  if (typeof value !== 'object' || value === null) return primitive(value, maxText)
  return measure(value, maxText).complete ? value : undefined
}

function primitive(value: unknown, maxText: number): unknown {
  if (typeof value === 'string') return cut(value, maxText)
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
