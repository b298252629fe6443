import { types } from 'node:util'
import { redactText } from './redact.ts'
import type {
  AbortedOutcome,
  BlockedOutcome,
  CompletedOutcome,
  ErrorCode,
  FailedOutcome,
  PendingOutcome,
} from './types.ts'

/** Why a call did not complete. */
export interface Fault {
  readonly code: ErrorCode
  /** The hook's name, `middleware#i`, `tool` or `toolware`. */
  readonly by: string
  readonly reason?: string | undefined
  readonly rule?: string | undefined
  readonly notice?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly approvalId?: string | undefined
  readonly error?: unknown
}

/** How long the call took, and the parts of that with `timing: 'hooks'`. */
export interface Times {
  readonly durationMs: number
  readonly hookMs?: number | undefined
  readonly waitMs?: number | undefined
}

const MAX_TOOL_MESSAGE = 500
const UNREADABLE = 'a value that cannot be read'

/** A value as text: strings as they are, nothing for undefined, other values as JSON. Never throws. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  try {
    if (isTexts(value)) return value.join('')
    return JSON.stringify(value) ?? String(value)
  } catch {
    return textWithoutJson(value)
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string')
}

/** Cycles and `bigint` have no JSON, what has no prototype has no text, and a revoked proxy has nothing. */
function textWithoutJson(value: unknown): string {
  for (const write of [String, (it: unknown) => Object.prototype.toString.call(it)]) {
    try {
      return write(value)
    } catch {
      // The next one asks less of it.
    }
  }
  return UNREADABLE
}

/** What an error of any realm says, in a form that may leave the process: redacted, one bounded text. Never throws. */
export function messageOf(error: unknown): string {
  const safe = redactText(saidBy(error))
  return safe.length > MAX_TOOL_MESSAGE ? `${safe.slice(0, MAX_TOOL_MESSAGE - 1)}…` : safe
}

/** What an error says, as text, whatever was thrown. Neither masked nor cut. */
export function saidBy(error: unknown): string {
  try {
    return asText(types.isNativeError(error) || error instanceof Error ? error.message : error)
  } catch {
    return UNREADABLE
  }
}

/** Fields shared by all outcomes. `text` is a getter, since few read the text of a large result. */
abstract class Base {
  readonly executed: boolean
  readonly durationMs: number
  declare readonly hookMs?: number | undefined
  declare readonly waitMs?: number | undefined
  abstract readonly status: string
  abstract get text(): string

  constructor(executed: boolean, times: Times) {
    this.executed = executed
    this.durationMs = times.durationMs
    // What does not apply is left out, so that an outcome prints as what it is.
    if (times.hookMs !== undefined) this.hookMs = times.hookMs
    if (times.waitMs !== undefined) this.waitMs = times.waitMs
  }

  toJSON(): Record<string, unknown> {
    return jsonOf(this)
  }
}

/** An outcome for the outside: with its text, errors as messages. */
function jsonOf(outcome: { readonly text: string }): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...outcome, text: outcome.text }
  for (const key of ['error', 'toolError']) {
    if (fields[key] !== undefined) fields[key] = messageOf(fields[key])
  }
  return fields
}

/** The one outcome that is made all the time: of no base class, since a derived one costs several times as much. */
export class Completed implements CompletedOutcome {
  readonly status = 'completed'
  readonly failed = false
  readonly executed: boolean
  readonly durationMs: number
  readonly result: unknown
  declare readonly hookMs?: number | undefined
  declare readonly waitMs?: number | undefined
  declare readonly recovered?: string | undefined
  declare readonly toolError?: unknown

  constructor(
    result: unknown,
    executed: boolean,
    times: Times,
    recovered?: string,
    toolError?: unknown,
  ) {
    this.executed = executed
    this.durationMs = times.durationMs
    this.result = result
    if (times.hookMs !== undefined) this.hookMs = times.hookMs
    if (times.waitMs !== undefined) this.waitMs = times.waitMs
    if (recovered !== undefined) {
      this.recovered = recovered
      this.toolError = toolError
    }
  }

  get text(): string {
    return asText(this.result)
  }

  toJSON(): Record<string, unknown> {
    return jsonOf(this)
  }
}

abstract class Unsuccessful extends Base {
  readonly failed = true
  readonly code: ErrorCode
  readonly by: string
  declare readonly reason?: string | undefined
  declare readonly rule?: string | undefined
  declare readonly notice?: string | undefined
  declare readonly retryAfterMs?: number | undefined
  declare readonly details?: Readonly<Record<string, unknown>> | undefined

  constructor(fault: Fault, executed: boolean, times: Times) {
    super(executed, times)
    this.code = fault.code
    this.by = fault.by
    if (fault.reason !== undefined) this.reason = fault.reason
    if (fault.rule !== undefined) this.rule = fault.rule
    if (fault.notice !== undefined) this.notice = fault.notice
    if (fault.retryAfterMs !== undefined) this.retryAfterMs = fault.retryAfterMs
    if (fault.details !== undefined) this.details = fault.details
  }
}

/** What the person reads when whoever blocked said nothing to them. */
function noticeOf({ by, reason }: Fault): string {
  return reason ? `Blocked by ${by}: ${reason}` : `Blocked by ${by}.`
}

export class Blocked extends Unsuccessful implements BlockedOutcome {
  readonly status = 'blocked'
  declare readonly approvalId?: string | undefined

  constructor(fault: Fault, times: Times) {
    super(fault.notice === undefined ? { ...fault, notice: noticeOf(fault) } : fault, false, times)
    if (fault.approvalId !== undefined) this.approvalId = fault.approvalId
  }

  get text(): string {
    const denied = `Tool execution denied by hook: ${this.by}`
    return this.reason ? `${denied}\n${this.reason}` : denied
  }
}

/** Whether the tool itself failed, so that a middleware may answer for it; nothing else that withholds a result. */
export function isToolFault({ by, code }: FailedOutcome): boolean {
  return (
    by === 'tool' && (code === 'TOOL_FAILED' || code === 'TOOL_TIMEOUT' || code === 'UNKNOWN_TOOL')
  )
}

export class Failed extends Unsuccessful implements FailedOutcome {
  readonly status = 'failed'
  readonly error: unknown

  constructor(fault: Fault, executed: boolean, times: Times) {
    super(fault, executed, times)
    this.error = fault.error
  }

  get text(): string {
    if (isToolFault(this)) {
      return `Tool failed: ${this.code === 'TOOL_TIMEOUT' ? this.reason : messageOf(this.error)}`
    }
    const ran = this.executed ? 'The tool did run, but its result' : 'The result'
    return `${ran} was withheld by: ${this.by}${this.reason ? `\n${this.reason}` : ''}`
  }
}

export class Aborted extends Unsuccessful implements AbortedOutcome {
  readonly status = 'aborted'
  readonly error: unknown

  constructor(error: unknown, executed: boolean, times: Times) {
    super(
      { code: 'ABORTED', by: 'toolware', reason: 'The caller gave the call up.' },
      executed,
      times,
    )
    this.error = error
  }

  get text(): string {
    return this.executed
      ? 'Tool call aborted. The tool had been started.'
      : 'Tool call aborted before the tool was started.'
  }
}

export class Pending extends Base implements PendingOutcome {
  readonly status = 'pending'
  readonly failed = false
  readonly approvalId: string

  constructor(approvalId: string, times: Times) {
    super(false, times)
    this.approvalId = approvalId
  }

  get text(): string {
    return `Waiting for a person to decide (approval ${this.approvalId}). The tool has not run.`
  }
}

/**
 * A completed outcome that can be read and not written. Hooks share one, so that none can change what the others
 * and the caller see. The other kinds are frozen for that; to freeze this one would cost as much as the call.
 */
export class CompletedView implements CompletedOutcome {
  readonly #outcome: Completed

  static {
    Object.defineProperty(CompletedView.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: CompletedView) {
        return this.#outcome
      },
    })
  }

  constructor(outcome: Completed) {
    this.#outcome = outcome
  }

  /** Whether this is the view of that outcome. */
  shows(outcome: Completed): boolean {
    return this.#outcome === outcome
  }

  get status(): 'completed' {
    return 'completed'
  }
  get failed(): false {
    return false
  }
  get executed(): boolean {
    return this.#outcome.executed
  }
  get result(): unknown {
    return this.#outcome.result
  }
  get text(): string {
    return this.#outcome.text
  }
  get durationMs(): number {
    return this.#outcome.durationMs
  }
  get hookMs(): number | undefined {
    return this.#outcome.hookMs
  }
  get waitMs(): number | undefined {
    return this.#outcome.waitMs
  }
  get recovered(): string | undefined {
    return this.#outcome.recovered
  }
  get toolError(): unknown {
    return this.#outcome.toolError
  }

  toJSON(): Record<string, unknown> {
    return this.#outcome.toJSON()
  }
}
