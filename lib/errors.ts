import type { ErrorCode } from './types.ts'

/** Every code an outcome or an error can carry, with what it means. `docs/errors.md` has a heading for each. */
export const ERROR_CODES: Readonly<Record<ErrorCode, string>> = {
  DENIED: 'a hook, a middleware or a policy said no',
  HOOK_FAILED: 'a hook or a middleware threw',
  HOOK_TIMEOUT: 'a hook did not answer in time',
  HOOK_BAD_ANSWER: 'a hook answered with something that is no verdict',
  SHORT_CIRCUIT: 'a middleware returned without calling next() and without denying',
  NEXT_TWICE: 'a middleware called next() more than once',
  NEXT_NOT_AWAITED: 'a middleware settled before the inner part had',
  BAD_ARGUMENTS: 'the tool name or the arguments are not acceptable',
  UNKNOWN_TOOL: 'there is no tool of that name',
  LIMIT_EXCEEDED: 'the session has used up its tool calls',
  RATE_LIMITED: 'too many calls in the window',
  STATE_UNAVAILABLE: 'the store of counters or approvals cannot be reached',
  PLUGIN_UNAVAILABLE: 'a plugin is down, cannot be started or stays silent',
  PLUGIN_BAD_ANSWER: 'a plugin answered outside the protocol',
  APPROVAL_DENIED: 'a person said no',
  APPROVAL_TIMEOUT: 'nobody decided in time',
  APPROVAL_CANCELLED: 'the question was withdrawn',
  APPROVAL_UNAVAILABLE: 'there is nobody who could be asked',
  APPROVAL_NOT_FOUND: 'there is no approval of that id',
  APPROVAL_RESOLVED: 'the approval was decided or used before',
  APPROVAL_EXPIRED: 'the approval is too old',
  PARAMS_CHANGED_AFTER_APPROVAL: 'the params are not the ones that were approved',
  TOOL_FAILED: 'the tool threw',
  TOOL_TIMEOUT: 'the tool did not settle in time',
  ABORTED: 'the caller gave the call up',
  CONFIG: 'an option or a configuration file is wrong',
}

const brand = Symbol.for('toolware.error')

/** What {@link ToolwareError} takes beside code and message. */
export interface ToolwareErrorOptions {
  readonly cause?: unknown
  /** JSON-safe facts for machines. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** An error with a stable code. Its JSON form has no stack and no cause, so it may leave the process. */
export class ToolwareError extends Error {
  /** One heading each in `docs/errors.md`. */
  readonly code: ErrorCode
  /** Facts for machines. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  static {
    Object.defineProperty(ToolwareError.prototype, 'name', {
      value: 'ToolwareError',
      writable: true,
    })
    Object.defineProperty(ToolwareError.prototype, brand, { value: true })
  }

  constructor(code: ErrorCode, message: string, options: ToolwareErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.details = options.details
  }

  toJSON(): {
    name: string
    code: ErrorCode
    message: string
    details?: Readonly<Record<string, unknown>>
  } {
    const { name, code, message, details } = this
    return details === undefined ? { name, code, message } : { name, code, message, details }
  }
}

/** What {@link ToolDeniedError} says beside code and message. */
export interface DeniedErrorOptions extends ToolwareErrorOptions {
  /** The hook's name, `middleware#i` or `toolware`. */
  readonly by: string
  readonly reason?: string | undefined
  /** A text for the person, when whoever blocked the call gave one. */
  readonly notice?: string | undefined
  readonly approvalId?: string | undefined
  readonly retryAfterMs?: number | undefined
}

/** Thrown by wrapped tools and blocked streams: the call was blocked, or waits for a person. */
export class ToolDeniedError extends ToolwareError {
  /** Who said no. */
  readonly by: string
  /** Why, for the model. */
  readonly reason: string | undefined
  /** A text for the person. */
  readonly notice: string | undefined
  /** Of a call that waits for a person. */
  readonly approvalId: string | undefined
  /** When the same call can pass, from now. */
  readonly retryAfterMs: number | undefined

  static {
    Object.defineProperty(ToolDeniedError.prototype, 'name', {
      value: 'ToolDeniedError',
      writable: true,
    })
  }

  constructor(code: ErrorCode, message: string, options: DeniedErrorOptions) {
    super(code, message, options)
    this.by = options.by
    this.reason = options.reason
    this.notice = options.notice
    this.approvalId = options.approvalId
    this.retryAfterMs = options.retryAfterMs
  }
}

/** True for an error of this package, also of another copy of it; with `code`, for that code only. */
export function isToolwareError(error: unknown, code?: ErrorCode): error is ToolwareError {
  if (typeof error !== 'object' || error === null) return false
  try {
    if (!(brand in error)) return false
    return code === undefined || ('code' in error && error.code === code)
  } catch {
    // A proxy that answers nothing.
    return false
  }
}

/** A wrong option or configuration value: says where, quotes the value, and says what would be right. */
export function configError(path: string, problem: string, cause?: unknown): ToolwareError {
  const details = { path }
  return new ToolwareError(
    'CONFIG',
    `${path}: ${problem}`,
    cause === undefined ? { details } : { details, cause },
  )
}

const MAX_QUOTED = 80
/** What JSON leaves as it is and a reader does not see. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** A wrong value as an error message shows it: text in quotes, nothing left empty, nothing long. */
export function quoted(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' && typeof value !== 'string') return String(value)
  let text: string
  try {
    text = JSON.stringify(value) ?? 'undefined'
  } catch {
    text = 'an object that is no plain data'
  }
  const cut = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text
  return cut.replace(
    INVISIBLE,
    (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
