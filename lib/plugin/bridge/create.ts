import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readOptions } from '../../read-options.ts'
import type { Logger } from '../../types.ts'
import type { PluginEntryConfig } from '../config.ts'
import type { PluginManifest } from '../manifest.ts'
import { BridgedPlugin } from './bridged-plugin.ts'
import type { ChildCommand } from './child.ts'
import { childEnvironment } from './environment.ts'
import { type BridgeConfig, bridgeLimits, bridgeSection } from './options.ts'
import { PluginLog } from './plugin-log.ts'
import { type InitParams, PROTOCOL_VERSION } from './protocol.ts'

/** What `plugins.entries.<id>` says to a bridged plugin. `bridge.beforeTimeoutMs` wins over the times of `hooks`. */
export type BridgedEntry = Omit<PluginEntryConfig, 'enabled'>

/** What {@link createBridgedPlugin} takes. */
export interface CreateOptions {
  readonly manifest: PluginManifest
  /** The plugin's entry file, absolute and known to lie in its folder. */
  readonly entryPath: string
  readonly entry?: BridgedEntry | undefined
  readonly log: Logger
  /** Where the relative file names in `bridge.command` are looked for. Default: the working directory. */
  readonly configFolder?: string | undefined
  readonly clock?: (() => number) | undefined
}

/**
 * Makes the stand-in for a plugin in a child process. Nothing is started before `start()`.
 *
 * @throws {ToolwareError} `CONFIG` for a value under `bridge` that cannot be used.
 */
export function createBridgedPlugin(options: CreateOptions): BridgedPlugin {
  const { manifest, entryPath, entry = {}, log, clock = Date.now } = options
  const { id } = manifest
  const { bridge = {} } = entry
  const path = `plugins.entries.${id}.bridge`
  const { dialect = 'toolware' } = bridge
  const { timeoutMs, timeouts = {} } = entry.hooks ?? {}
  const beforeTimeoutMs = timeouts['tool:before'] ?? timeouts['tool:*'] ?? timeoutMs
  const settings = readOptions(bridgeSection, { beforeTimeoutMs, ...bridge }, path)
  const { config = {} } = entry
  const { eventSubscriptions, capabilities, file: manifestPath } = manifest
  const shared = { entryPath, pluginId: id, config }
  const ours: InitParams = {
    protocolVersion: PROTOCOL_VERSION,
    ...shared,
    manifestPath,
    eventSubscriptions,
    capabilities,
  }
  return new BridgedPlugin({
    id,
    command: commandOf(options, bridge),
    dialect,
    init: dialect === 'toolware' ? ours : { ...shared, transport: { mode: 'stdio' } },
    declared: eventSubscriptions,
    capabilities,
    failOpen: entry.failOpen ?? manifest.failOpen ?? ['timeout'],
    limits: bridgeLimits(settings),
    log: new PluginLog(log, id, clock),
    clock,
  })
}

function commandOf(options: CreateOptions, bridge: BridgeConfig): ChildCommand {
  const { entryPath, configFolder = process.cwd() } = options
  const absolute = (file: string) => (isAbsolute(file) ? file : join(configFolder, file))
  const folder = bridge.cwd === undefined ? dirname(entryPath) : absolute(bridge.cwd)
  const env = childEnvironment(process.env, bridge.env)
  const { memoryLimitMb } = bridge
  const heap = memoryLimitMb === undefined ? [] : [`--max-old-space-size=${memoryLimitMb}`]
  const [file, ...args] = bridge.command ?? []
  if (file === undefined) {
    return { file: process.execPath, args: [...heap, ...runnerArguments()], folder, env }
  }
  if (heap.length > 0) env.NODE_OPTIONS = [env.NODE_OPTIONS, ...heap].filter(Boolean).join(' ')
  return {
    file: file === 'node' ? process.execPath : file,
    args: args.map((arg) => {
      const named = !arg.startsWith('-') && !isAbsolute(arg) && !existsSync(join(folder, arg))
      return named && existsSync(absolute(arg)) ? absolute(arg) : arg
    }),
    folder,
    env,
  }
}

/** Our runner; from source it needs a loader for TypeScript. */
function runnerArguments(): string[] {
  const self = fileURLToPath(import.meta.url)
  if (!self.endsWith('.ts')) return [join(dirname(self), 'runner.js')]
  const jiti = dirname(createRequire(import.meta.url).resolve('jiti/package.json'))
  const loader = pathToFileURL(join(jiti, 'lib', 'jiti-register.mjs')).href
  return ['--import', loader, join(dirname(self), 'runner.ts')]
}
