import { configError, quoted } from '../../errors.ts'
import { isFields, isTexts } from './fields.ts'
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

const OTHERS: ReadonlyArray<keyof BridgeConfig> = [
  'command',
  'dialect',
  'cwd',
  'env',
  'memoryLimitMb',
]

/**
 * Checks what is no number: the file this comes from may have been written by hand.
 *
 * @throws {ToolwareError} `CONFIG` for an unknown key or a wrong value, quoted, under the path of its key.
 */
export function checkBridgeConfig(config: BridgeConfig, path: string): void {
  const known: string[] = [...OTHERS, ...Object.keys(DEFAULTS)]
  const unknown = Object.keys(config).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    throw configError(`${path}.${unknown}`, `is no key of bridge; known are ${known.join(', ')}`)
  }
  const { command, dialect, cwd, env, memoryLimitMb } = config
  const wrong = (key: string, value: unknown, right: string) =>
    configError(`${path}.${key}`, `${quoted(value)} ${right}`)
  if (dialect !== undefined && dialect !== 'toolware' && dialect !== 'openclaw-net') {
    throw wrong('dialect', dialect, 'must be toolware or openclaw-net')
  }
  if (command !== undefined && !(isTexts(command) && command[0])) {
    throw wrong('command', command, 'must list a program and its arguments')
  }
  if (cwd !== undefined && typeof cwd !== 'string') throw wrong('cwd', cwd, 'must be a folder')
  if (env !== undefined && !(isFields(env) && isTexts(Object.values(env)))) {
    throw wrong('env', env, 'must give each variable a text')
  }
  if (memoryLimitMb !== undefined && !(Number.isSafeInteger(memoryLimitMb) && memoryLimitMb > 0)) {
    throw wrong('memoryLimitMb', memoryLimitMb, 'must be a whole number, 1 or more')
  }
}

/**
 * Fills in the defaults.
 *
 * @throws {ToolwareError} `CONFIG` for a number that is none, quoted, under the path of its key.
 */
export function bridgeLimits(config: BridgeConfig, path: string): BridgeLimits {
  const limits: { -readonly [K in keyof BridgeLimits]: number } = { ...DEFAULTS }
  for (const key of Object.keys(DEFAULTS) as Array<keyof BridgeLimits>) {
    const value = config[key]
    if (value === undefined) continue
    const least = key === 'maxRestarts' ? 0 : 1
    if (!Number.isSafeInteger(value) || value < least || value > 0x7fffffff) {
      throw configError(
        `${path}.${key}`,
        `${quoted(value)} must be a whole number, ${least} or more`,
      )
    }
    limits[key] = value
  }
  limits.maxWaitMs = Math.max(limits.maxWaitMs, limits.beforeTimeoutMs)
  return limits
}
