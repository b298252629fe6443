import { createHash } from 'node:crypto'
import { z } from 'zod'
import { configError } from '../../lib/errors.ts'
import { vetObject } from '../../lib/known-options.ts'
import { type AuditLogger, auditLogger } from '../../lib/logger.ts'
import { readOptions } from '../../lib/read-options.ts'
import { redactText, redactValue } from '../../lib/redact.ts'
import type { FailureCause, HookContext, Outcome } from '../../lib/types.ts'

/** Which bodies an audit record carries, always redacted. */
export type AuditBodies = 'none' | 'arguments' | 'results' | 'all'

/** The `audit` section of a configuration. */
export interface AuditSection {
  /** JSON lines are appended here, synchronously; missing directories are made. Without it: the app's logger. */
  readonly file?: string | undefined
  /** Links records by hash, so that `toolware audit verify` finds edits. Needs `file`. Default false. */
  readonly chain?: boolean | undefined
  /** Waits for the disk after every record. Needs `file`. Default false. */
  readonly fsync?: boolean | undefined
  /** Default `none`: only lengths are recorded. */
  readonly bodies?: AuditBodies | undefined
  /** Characters of a body that are kept, after redaction. Default 2000. */
  readonly maxBodyLength?: number | undefined
  /** `['error']` lets calls go on whose arrival cannot be written. Default: they are blocked. */
  readonly failOpen?: readonly FailureCause[] | undefined
}

/** Options of {@link auditLog}. */
export interface AuditLogOptions extends AuditSection {
  /** Milliseconds since the epoch, for the time of records in `file`. Default `Date.now`. */
  readonly clock?: (() => number) | undefined
}

/** The hook that {@link auditLog} makes. */
export interface AuditLogHook {
  readonly name: 'AuditLog'
  readonly failOpen: readonly FailureCause[]
  before(ctx: HookContext): void
  after(ctx: HookContext, outcome: Outcome): void
  skipped(ctx: HookContext, outcome: Outcome): void
  /** Closes the file. `app.close()` calls it; records of calls that are still running are written all the same. */
  close(): void
}

/** The schema of the `audit` section. */
export const auditSection: z.ZodType<AuditSection> = z.strictObject({
  file: z.string().min(1).optional(),
  chain: z.boolean().optional(),
  fsync: z.boolean().optional(),
  bodies: z.enum(['none', 'arguments', 'results', 'all']).optional(),
  maxBodyLength: z.int().positive().optional(),
  failOpen: z.array(z.enum(['error', 'timeout'])).optional(),
})

const MAX_FACT = 256
const MAX_REASON = 500

/**
 * Records every call: once when it arrives, once when it ends, however it ends. A call without an end record
 * was interrupted, or waits for a person.
 *
 * Each record goes to `file` before the call goes on (about 10 microseconds), so a killed process loses none.
 * An arrival that cannot be written blocks the call. Put it first, so that it sees what all other hooks do.
 *
 * @throws {ToolwareError} `CONFIG` for a wrong option or a file that cannot be opened.
 * @example app.use(auditLog({ file: 'audit.jsonl', chain: true }))
 */
export function auditLog(options: AuditLogOptions = {}): AuditLogHook {
  vetObject(options, 'auditLog')
  const { clock, ...given } = options
  const section = readOptions(auditSection, given, 'audit')
  const { bodies = 'none', maxBodyLength = 2000, failOpen = [] } = section
  const destination = openDestination(section, clock)
  const arrivals = { arguments: bodies === 'arguments' || bodies === 'all', maxBodyLength }
  const ends = { results: bodies === 'results' || bodies === 'all', maxBodyLength }
  // Says per call, in its own scratch space, that this hook has recorded the arrival.
  const arrivedKey = Symbol('audit: arrived')

  function arrive(ctx: HookContext): void {
    const log = destination?.log ?? ctx.log
    log.info(arrival(ctx, arrivals), 'tool call arrived')
    ctx.state.set(arrivedKey, true)
  }

  function end(ctx: HookContext, outcome: Outcome): void {
    if (ctx.judging || outcome.status === 'pending') return
    // Refused at intake, or aborted before it began: no `before` ran.
    if (!ctx.state.has(arrivedKey)) arrive(ctx)
    const log = destination?.log ?? ctx.log
    const level = outcome.status === 'completed' ? 'info' : 'warn'
    log[level](ending(ctx, outcome, ends), `tool call ${outcome.status}`)
  }

  return {
    name: 'AuditLog',
    failOpen,
    before(ctx) {
      if (!ctx.judging) arrive(ctx)
    },
    after: end,
    skipped: end,
    close() {
      destination?.close()
    },
  }
}

function openDestination(
  { file, chain, fsync }: AuditSection,
  clock: AuditLogOptions['clock'],
): AuditLogger | undefined {
  if (file !== undefined) return auditLogger({ file, chain, fsync, clock })
  for (const [key, value] of Object.entries({ chain, fsync })) {
    if (value) throw configError(`audit.${key}`, 'works on a file; name one in audit.file')
  }
  return undefined
}

/** Host facts are short texts; whatever else a caller put there is cut, and never runs code. */
function fact(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') {
    return value.length > MAX_FACT ? `${value.slice(0, MAX_FACT)}…` : value
  }
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return value === undefined || value === null ? undefined : `[${typeof value}]`
}

/** What both records of a call say about it. `id` joins them. */
function facts(ctx: HookContext, event: 'arrived' | 'ended'): Record<string, unknown> {
  return {
    event,
    id: ctx.id,
    toolName: fact(ctx.toolName),
    toolCallId: fact(ctx.toolCallId),
    runId: fact(ctx.runId),
    parentCallId: fact(ctx.parentCallId),
    sessionId: fact(ctx.sessionId),
    channelId: fact(ctx.channelId),
    senderId: fact(ctx.senderId),
    correlationId: fact(ctx.correlationId),
    agentId: fact(ctx.agentId),
    resumed: ctx.resumed || undefined,
    argumentsLength: length(() => ctx.argumentsJson),
  }
}

function arrival(
  ctx: HookContext,
  options: { readonly arguments: boolean; readonly maxBodyLength: number },
): Record<string, unknown> {
  const record = facts(ctx, 'arrived')
  if (options.arguments) record.arguments = body(ctx.params, options.maxBodyLength)
  return record
}

function ending(
  ctx: HookContext,
  outcome: Outcome,
  options: { readonly results: boolean; readonly maxBodyLength: number },
): Record<string, unknown> {
  const record = facts(ctx, 'ended')
  record.status = outcome.status
  record.executed = outcome.executed
  record.durationMs = round(outcome.durationMs)
  record.waitMs = round(outcome.waitMs)
  // Names only: the values of an environment are where secrets live.
  record.execEnv = ctx.execEnv && Object.keys(ctx.execEnv)
  if (outcome.status === 'completed') {
    record.recovered = outcome.recovered
    record.resultLength = length(() => outcome.text)
    if (options.results) record.result = body(outcome.result, options.maxBodyLength)
  } else if (outcome.status !== 'pending') {
    record.code = outcome.code
    record.by = outcome.by
    record.rule = outcome.rule
    record.retryAfterMs = outcome.retryAfterMs
    // The words of a policy; a tool's own error is a result, and recorded as such.
    if (outcome.status === 'blocked') record.reason = cut(outcome.reason, MAX_REASON)
    else if (options.results) record.error = body(message(outcome.error), options.maxBodyLength)
  }
  return record
}

function cut(text: string | undefined, max: number): string | undefined {
  return text === undefined ? undefined : redactText(text).slice(0, max)
}

function round(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 1000) / 1000
}

/** Characters of a text that may be impossible to make. */
function length(text: () => string): number | undefined {
  try {
    return text().length
  } catch {
    return undefined
  }
}

function message(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/** A body as redacted text; what is cut off is named by length and digest, so that it can be compared. */
function body(value: unknown, max: number): string {
  const shown = redactValue(value)
  const text = typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? '')
  if (text.length <= max) return text
  const digest = createHash('sha256').update(text).digest('hex')
  return `${text.slice(0, max)}… [${text.length} characters, sha256 ${digest}]`
}
