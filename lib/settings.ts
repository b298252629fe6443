import { Deadlines } from './deadline.ts'
import { configError, quoted } from './errors.ts'
import { type OptionNames, vetNames } from './known-options.ts'
import { DEFAULT_LIMITS, type IntakeLimits } from './params.ts'
import type { Settings } from './surroundings.ts'
import type { Approver, Logger } from './types.ts'

/** Options of {@link Toolware}. All have defaults. */
export interface ToolwareOptions {
  /** Default: warnings and worse as JSON lines on stderr. */
  readonly log?: Logger | undefined
  /** Who asks people. Without one, an `ask` blocks with `APPROVAL_UNAVAILABLE`. */
  readonly approvals?: Approver | undefined
  /** Milliseconds per `check` or `before`; 0 for no deadline. Default 15 000. */
  readonly beforeTimeoutMs?: number | undefined
  /** Milliseconds for all pending `after` and `skipped` of a call together; 0 for no deadline. Default 5000. */
  readonly afterTimeoutMs?: number | undefined
  /** Milliseconds for the tool. Default 0: no deadline. */
  readonly toolTimeoutMs?: number | undefined
  /**
   * Bounds for the copy that is made of every call's params, or `'trusted'` for no copy, when the host made the
   * object itself and will not change it. Default: depth 64, 100 000 values, 16 MiB of text.
   */
  readonly intake?: 'copy' | 'trusted' | Partial<IntakeLimits> | undefined
  /** `true` (default) reads the clock twice per call, `'hooks'` also measures hooks and waiting, `false` reads none. */
  readonly timing?: boolean | 'hooks' | undefined
  /** Lets every call, not only those in a scope, be found by `currentCall()`. Dear on Node 20. Default false. */
  readonly asyncContext?: boolean | undefined
  /** Part of what an approval binds to: approvals given under another version do not count. */
  readonly policyVersion?: string | undefined
  /** The time in milliseconds since the epoch, for hooks and stores that look at `app.clock`. Default `Date.now`. */
  readonly clock?: (() => number) | undefined
  /** Shows the model what hooks threw, instead of `hook failed`. Default false. */
  readonly exposeErrors?: boolean | undefined
}

const NAMES: OptionNames<ToolwareOptions> = {
  log: true,
  approvals: true,
  beforeTimeoutMs: true,
  afterTimeoutMs: true,
  toolTimeoutMs: true,
  intake: true,
  timing: true,
  asyncContext: true,
  policyVersion: true,
  clock: true,
  exposeErrors: true,
}
const MAX_TIMER_MS = 2_147_483_647

/**
 * Refuses options that are unknown or of the wrong kind.
 *
 * @throws {ToolwareError} `CONFIG`, with the option's name.
 */
export function vetOptions(options: ToolwareOptions): void {
  vetNames(options, NAMES, 'Toolware')
  for (const key of ['beforeTimeoutMs', 'afterTimeoutMs', 'toolTimeoutMs'] as const) {
    const value = options[key]
    if (value === undefined || value === Number.POSITIVE_INFINITY) continue
    if (typeof value !== 'number' || !(value >= 0 && value <= MAX_TIMER_MS)) {
      throw configError(key, `must be milliseconds from 0 to ${MAX_TIMER_MS}; got ${quoted(value)}`)
    }
  }
  if (options.timing !== undefined && ![true, false, 'hooks'].includes(options.timing)) {
    throw configError('timing', `must be true, false or 'hooks'; got ${quoted(options.timing)}`)
  }
  for (const method of ['debug', 'info', 'warn', 'error'] as const) {
    if (options.log !== undefined && typeof options.log?.[method] !== 'function') {
      throw configError('log', `must have the method ${method}(fields, message), as pino has`)
    }
  }
  if (options.approvals !== undefined && typeof options.approvals?.decide !== 'function') {
    throw configError('approvals', 'must have the method decide(question, signal)')
  }
}

/** The bounds of intake; undefined when nothing is to be copied. */
function readIntake(intake: ToolwareOptions['intake']): IntakeLimits | undefined {
  if (intake === 'trusted') return undefined
  if (intake === undefined || intake === 'copy') return DEFAULT_LIMITS
  if (typeof intake !== 'object') {
    throw configError('intake', `must be 'copy', 'trusted' or bounds; got ${quoted(intake)}`)
  }
  for (const [key, value] of Object.entries(intake)) {
    if (!(key in DEFAULT_LIMITS)) {
      throw configError(
        `intake.${key}`,
        `no bound; there are: ${Object.keys(DEFAULT_LIMITS).join(', ')}`,
      )
    }
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw configError(`intake.${key}`, `must be a positive whole number; got ${quoted(value)}`)
    }
  }
  return { ...DEFAULT_LIMITS, ...intake }
}

/** The options with their defaults, and the parts of the pipeline that a run talks to. */
export function settingsOf(
  options: ToolwareOptions,
  parts: Pick<Settings, 'log' | 'ownLog' | 'report' | 'detach' | 'settled'>,
): Settings {
  const { beforeTimeoutMs = 15_000, afterTimeoutMs = 5000, timing = true } = options
  const deadlines = new Deadlines()
  return {
    log: parts.log,
    ownLog: parts.ownLog,
    report: parts.report,
    detach: parts.detach,
    settled: parts.settled,
    deadlines,
    beforeTimeoutMs,
    beforeWheel: deadlines.of(beforeTimeoutMs),
    afterTimeoutMs,
    afterWheel: deadlines.of(afterTimeoutMs),
    toolTimeoutMs: options.toolTimeoutMs ?? 0,
    intake: readIntake(options.intake),
    readsClock: timing !== false,
    timesHooks: timing === 'hooks',
    clock: options.clock ?? Date.now,
    exposeErrors: options.exposeErrors ?? false,
    policyVersion: options.policyVersion,
    approver: options.approvals,
    suspended: new Set(),
  }
}
