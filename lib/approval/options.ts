import type { Timers } from '../deadline.ts'
import { configError } from '../errors.ts'
import { type OptionNames, vetNames } from '../known-options.ts'
import type { HookContext, Logger, MaybePromise } from '../types.ts'
import type { GrantScope } from './grants.ts'
import type { ApprovalMode, ApprovalPrompt } from './record.ts'
import type { ApprovalStore } from './store.ts'

/** How an `ApprovalQueue` asks, waits and remembers. All times are milliseconds. */
export interface ApprovalQueueOptions {
  /** `hold` (default): the call waits. `defer`: its outcome is `pending`, and `app.resume` carries on. */
  readonly mode?: ApprovalMode | undefined
  /** Default: a `memoryStore()` of its own, which `close()` drops. A store given here stays open. */
  readonly store?: ApprovalStore | undefined
  /** For an ask that names no time. Default 120 000. */
  readonly timeoutMs?: number | undefined
  /** What no ask can exceed. Default 600 000. */
  readonly maxTimeoutMs?: number | undefined
  /** How long a deferred call may take to use its allow. Default 600 000. */
  readonly useWithinMs?: number | undefined
  /** How long settled approvals can be looked up. Default 3 600 000; at least `useWithinMs`. */
  readonly keepMs?: number | undefined
  /** What `allow-always` covers. Default `params`. */
  readonly grantScope?: GrantScope | undefined
  /** How long `allow-always` is remembered. Default 30 days; 0 remembers nothing. */
  readonly grantTtlMs?: number | undefined
  /** Where a call works when its params name no directory. Default: the working directory of this process. */
  readonly workingDirectory?: string | ((ctx: HookContext) => string) | undefined
  /** For questions that bring no `policyVersion` of their own. */
  readonly policyVersion?: string | undefined
  /** Says whether anybody can be asked now; false blocks the call at once. Default: always. */
  readonly reachable?: ((prompt: ApprovalPrompt) => MaybePromise<boolean>) | undefined
  /** Hears of listeners that throw and of reads that fail. Default: nobody. */
  readonly log?: Logger | undefined
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly clock?: (() => number) | undefined
  readonly timers?: Timers | undefined
  /** Makes the id of a question: unguessable and never repeated. Default `randomUUID`. */
  readonly newId?: (() => string) | undefined
}

/** What an `ApprovalQueue` was made with, defaults included. */
export interface ApprovalSettings {
  readonly mode: ApprovalMode
  /** For an ask that names no time, in milliseconds. */
  readonly timeoutMs: number
  /** Whether its store survives the process. */
  readonly durable: boolean
}

const MAX_TIMER_MS = 2 ** 31 - 1
const DAY_MS = 86_400_000

/** The times of a queue, checked. */
export interface QueueTimes {
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
  readonly useWithinMs: number
  readonly keepMs: number
  readonly grantTtlMs: number
}

const NAMES: OptionNames<ApprovalQueueOptions> = {
  mode: true,
  store: true,
  timeoutMs: true,
  maxTimeoutMs: true,
  useWithinMs: true,
  keepMs: true,
  grantScope: true,
  grantTtlMs: true,
  workingDirectory: true,
  policyVersion: true,
  reachable: true,
  log: true,
  clock: true,
  timers: true,
  newId: true,
}

/** @throws {ToolwareError} `CONFIG` for an option that there is not, and a mode or a time that is none. */
export function checkOptions(options: ApprovalQueueOptions): QueueTimes {
  vetNames(options, NAMES, 'ApprovalQueue')
  const { mode, grantScope } = options
  if (mode !== undefined && mode !== 'hold' && mode !== 'defer') {
    throw configError('mode', `${JSON.stringify(mode)} is none; use "hold" or "defer"`)
  }
  if (
    !['undefined', 'function'].includes(typeof grantScope) &&
    !/^(params|tool)$/.test(`${grantScope}`)
  ) {
    throw configError(
      'grantScope',
      `${JSON.stringify(grantScope)} is none; use "params", "tool" or a function`,
    )
  }
  const maxTimeoutMs = time('maxTimeoutMs', options.maxTimeoutMs, 600_000, 1, MAX_TIMER_MS)
  const timeoutMs = time(
    'timeoutMs',
    options.timeoutMs,
    Math.min(120_000, maxTimeoutMs),
    1,
    maxTimeoutMs,
  )
  const useWithinMs = time('useWithinMs', options.useWithinMs, 600_000, 1)
  const keepMs = time('keepMs', options.keepMs, Math.max(3_600_000, useWithinMs), useWithinMs)
  const grantTtlMs = time('grantTtlMs', options.grantTtlMs, 30 * DAY_MS, 0)
  return { maxTimeoutMs, timeoutMs, useWithinMs, keepMs, grantTtlMs }
}

function time(
  name: string,
  value: number | undefined,
  fallback: number,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (value === undefined) return fallback
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  throw configError(
    name,
    `${String(value)} is no whole number of milliseconds from ${min} to ${max}`,
  )
}
