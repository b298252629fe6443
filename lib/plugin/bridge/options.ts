import { z } from 'zod'
import type { Shape } from '../../read-options.ts'
import type { Dialect } from './protocol.ts'

/** `plugins.entries.<id>.bridge`: how a plugin's process is started, and how patient the host is with it. */
export interface BridgeConfig {
  /**
   * A program that is the bridge itself, instead of our runner: file and arguments. An argument that names
   * a file relative to the config file's folder is made absolute.
   */
  readonly command?: readonly string[] | undefined
  /** `toolware` unless given. */
  readonly dialect?: Dialect | undefined
  /** Working directory. Default: the folder of the plugin's entry. */
  readonly cwd?: string | undefined
  /** Added to the short list of variables that a plugin gets. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Limits the heap of a child that runs on Node; it is ended when it needs more, and restarted. */
  readonly memoryLimitMb?: number | undefined
  /** How long an answer to `hook_before` may take. Default 5 000. */
  readonly beforeTimeoutMs?: number | undefined
  /** Up to this, a plugin that reports progress may take longer. Default: as `beforeTimeoutMs`, so no longer. */
  readonly maxWaitMs?: number | undefined
  /** How long a start may take. Default 10 000. */
  readonly startTimeoutMs?: number | undefined
  /** How long each step of a stop may take: leaving by itself, SIGTERM. Default 2 000. */
  readonly stopTimeoutMs?: number | undefined
  /** Restarts within a minute before the plugin is given up. Default 3. */
  readonly maxRestarts?: number | undefined
  /** Before the first restart of a minute; it doubles with each. Default 1 000. */
  readonly backoffMs?: number | undefined
  /** The longest line a plugin may write. Default 1 048 576. */
  readonly maxLineBytes?: number | undefined
  /** Calls that may wait for one plugin. Default 1 024. */
  readonly maxPending?: number | undefined
  /** `hook_after` notifications that may wait for a plugin that does not read. Default 1 000. */
  readonly maxNotifications?: number | undefined
  /** UTF-16 units that may wait for a plugin that does not read. Default 33 554 432. */
  readonly maxQueueBytes?: number | undefined
}

type Numbers = Omit<BridgeConfig, 'command' | 'dialect' | 'cwd' | 'env' | 'memoryLimitMb'>

/** {@link BridgeConfig} with its defaults in place. */
export type BridgeLimits = { readonly [K in keyof Numbers]-?: number }

const DEFAULTS: BridgeLimits = {
  beforeTimeoutMs: 5000,
  maxWaitMs: 0,
  startTimeoutMs: 10_000,
  stopTimeoutMs: 2000,
  maxRestarts: 3,
  backoffMs: 1000,
  maxLineBytes: 1024 * 1024,
  maxPending: 1024,
  maxNotifications: 1000,
  maxQueueBytes: 32 * 1024 * 1024,
}

const MAX_NUMBER = 0x7fffffff

/** A number in a configuration, which says what it can be. */
export function wholeNumber(least: number, most: number = MAX_NUMBER): z.ZodType<number> {
  const range = most === MAX_NUMBER ? `${least} or more` : `from ${least} to ${most}`
  const error = `must be a whole number, ${range}`
  return z.int({ error }).min(least, error).max(most, error)
}

const whole = wholeNumber(1).optional()

/** The schema of {@link BridgeConfig}. */
export const bridgeSection: z.ZodType<BridgeConfig> = z.strictObject({
  command: z
    .array(z.string(), { error: 'must be a list: a program and its arguments' })
    .refine(([program]) => program, 'must be a list: a program and its arguments')
    .optional(),
  dialect: z.enum(['toolware', 'openclaw-net']).optional(),
  cwd: z.string({ error: 'must be a folder' }).optional(),
  env: z.record(z.string(), z.string()).optional(),
  memoryLimitMb: whole,
  beforeTimeoutMs: whole,
  maxWaitMs: whole,
  startTimeoutMs: whole,
  stopTimeoutMs: whole,
  maxRestarts: wholeNumber(0).optional(),
  backoffMs: whole,
  maxLineBytes: whole,
  maxPending: whole,
  maxNotifications: whole,
  maxQueueBytes: whole,
} satisfies Shape<BridgeConfig>)

/** Fills in the defaults. */
export function bridgeLimits(config: BridgeConfig): BridgeLimits {
  const limits: { -readonly [K in keyof BridgeLimits]: number } = { ...DEFAULTS }
  for (const key of Object.keys(DEFAULTS) as Array<keyof BridgeLimits>) {
    limits[key] = config[key] ?? limits[key]
  }
  limits.maxWaitMs = Math.max(limits.maxWaitMs, limits.beforeTimeoutMs)
  return limits
}
