import { configError, quoted } from '../errors.ts'
import type { FailureCause } from '../types.ts'
import { type BridgeConfig, bridgeLimits, checkBridgeConfig } from './bridge/options.ts'
import { closest } from './closest.ts'
import { EVENTS, FOREIGN_EVENTS } from './names.ts'

/** `plugins` of the configuration. Every key is optional. */
export interface PluginsConfig {
  /** `restricted` lets only bridged plugins run. Default `full`. */
  readonly mode?: 'full' | 'restricted' | undefined
  /** Files and folders, relative to the host's `baseDir`; `~/` is HOME. */
  readonly load?: { readonly paths?: readonly string[] | undefined } | undefined
  /** When it names anybody, only these ids load. */
  readonly allow?: readonly string[] | undefined
  /** These ids never load, whatever else says so. */
  readonly deny?: readonly string[] | undefined
  /** Makes `load` fail when any plugin has an error. Default false. */
  readonly strict?: boolean | undefined
  /** Reloads a plugin when its files change. Default false. */
  readonly watch?: boolean | undefined
  readonly entries?: Readonly<Record<string, PluginEntryConfig>> | undefined
}

/** `plugins.entries.<id>`. */
export interface PluginEntryConfig {
  /** `false` keeps the plugin out; trusted policies need an explicit `true`. Default: on. */
  readonly enabled?: boolean | undefined
  /** Given to the plugin as `api.pluginConfig`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
  /** Causes on which the call goes on without this plugin's handlers. */
  readonly failOpen?: readonly FailureCause[] | undefined
  readonly hooks?:
    | {
        /** For every event of the plugin, in milliseconds. */
        readonly timeoutMs?: number | undefined
        /** By event name; wins over `timeoutMs`. */
        readonly timeouts?: Readonly<Record<string, number>> | undefined
      }
    | undefined
  /** Runs the plugin behind the bridge, with these settings. */
  readonly bridge?: BridgeConfig | undefined
}

/** The longest time an operator can give a handler. */
export const MAX_HANDLER_TIMEOUT_MS = 600_000

/**
 * Checks what the host itself depends on; the configuration file's schema checks the rest.
 *
 * @throws {ToolwareError} `CONFIG` with the key's path.
 */
export function checkPluginsConfig(config: PluginsConfig): void {
  const { mode, load, allow, deny, entries } = config
  if (mode !== undefined && mode !== 'full' && mode !== 'restricted') {
    throw configError('plugins.mode', `'${mode}' must be 'full' or 'restricted'`)
  }
  for (const [key, list] of [
    ['load.paths', load?.paths],
    ['allow', allow],
    ['deny', deny],
  ] as const) {
    const bad = Array.isArray(list) && list.find((it) => typeof it !== 'string' || it.trim() === '')
    if (list !== undefined && (!Array.isArray(list) || bad !== undefined)) {
      throw configError(`plugins.${key}`, `${JSON.stringify(list)} must be a list of texts`)
    }
  }
  for (const [id, entry] of Object.entries(entries ?? {}))
    checkEntry(`plugins.entries.${id}`, entry)
}

function checkEntry(path: string, entry: PluginEntryConfig): void {
  const { enabled, hooks, failOpen, bridge } = entry
  if (bridge !== undefined) {
    checkBridgeConfig(bridge, `${path}.bridge`)
    bridgeLimits(bridge, `${path}.bridge`)
  }
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    throw configError(`${path}.enabled`, `${JSON.stringify(enabled)} must be true or false`)
  }
  for (const cause of failOpen ?? []) {
    if (cause !== 'error' && cause !== 'timeout') {
      throw configError(`${path}.failOpen`, `'${cause}' must be 'error' or 'timeout'`)
    }
  }
  const times = { timeoutMs: hooks?.timeoutMs, ...prefixed(hooks?.timeouts) }
  for (const [key, value] of Object.entries(times)) {
    if (value === undefined) continue
    if (!Number.isInteger(value) || value < 1 || value > MAX_HANDLER_TIMEOUT_MS) {
      throw configError(
        `${path}.hooks.${key}`,
        `${value} must be a whole number of milliseconds from 1 to ${MAX_HANDLER_TIMEOUT_MS}`,
      )
    }
  }
  checkEvents(path, hooks?.timeouts)
}

function checkEvents(path: string, timeouts: Readonly<Record<string, number>> = {}): void {
  const known = [...EVENTS, ...FOREIGN_EVENTS]
  for (const event of Object.keys(timeouts)) {
    if (known.includes(event)) continue
    const meant = closest(event, known)
    const advice = meant === undefined ? `known are ${EVENTS.join(', ')}` : `did you mean ${meant}?`
    throw configError(`${path}.hooks.timeouts`, `${quoted(event)} is no event; ${advice}`)
  }
}

const prefixed = (timeouts: Readonly<Record<string, number>> = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(timeouts).map(([event, ms]) => [`timeouts.${event}`, ms]))
