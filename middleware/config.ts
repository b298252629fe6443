import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, extname, isAbsolute, join, resolve, win32 } from 'node:path'
import JSON5 from 'json5'
import type { ApprovalQueue } from '../lib/approval/queue.ts'
import { configError, isToolwareError } from '../lib/errors.ts'
import type { IntakeLimits } from '../lib/params.ts'
import { pathProblem } from '../lib/path-problem.ts'
import type { ToolwareOptions } from '../lib/settings.ts'
import { Toolware } from '../lib/toolware.ts'
import type { Approver, HookSource } from '../lib/types.ts'
import { configNotices, parseConfig, type ToolwareConfig } from './config-schema.ts'
import type { ApprovalsSection } from './config-sections.ts'
import { type CreateHooksOptions, createHooks } from './create-hooks.ts'
import type { ToolingSection } from './hooks/autonomy.ts'

export {
  configNotices,
  configSchema,
  hasPolicy,
  parseConfig,
  type ToolwareConfig,
} from './config-schema.ts'

/**
 * Reads a configuration: JSON5, or a TypeScript or JavaScript module whose default export, or export `config`, it
 * is. Paths that are relative to the file come back absolute.
 *
 * @throws {ToolwareError} `CONFIG`, with file, key and value on one line.
 */
export async function loadConfig(file: string): Promise<ToolwareConfig> {
  const unreadable = pathProblem(file, 'file', 'a configuration file')
  if (unreadable !== undefined) throw configError(file, unreadable)
  const value = MODULES.has(extname(file)) ? await readModule(file) : await readJson(file)
  try {
    return resolvePaths(parseConfig(value), dirname(resolve(file)))
  } catch (error) {
    throw inFile(file, error)
  }
}

const MODULES = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'])

/** The same error, with the file in front. */
export function inFile(file: string, error: unknown): unknown {
  if (!isToolwareError(error, 'CONFIG')) return error
  return configError(file, error.message, error)
}

async function readJson(file: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw configError(file, `cannot be read: ${said(error)}`, error)
  }
  const json = text.replace(/^\ufeff/, '')
  if (json.trim() === '') {
    throw configError(file, 'is empty; a configuration without policies is {}')
  }
  try {
    return JSON5.parse(json)
  } catch (error) {
    throw configError(file, `is no JSON5: ${said(error).replace(/^JSON5: /, '')}`, error)
  }
}

async function readModule(file: string): Promise<unknown> {
  let module: unknown
  try {
    // Loaded when it is wanted: most configurations are JSON5, and a TypeScript loader is heavy.
    const { loadModule } = await import('../lib/load-module.ts')
    module = await loadModule(resolve(file))
  } catch (error) {
    throw configError(file, `cannot be loaded: ${said(error)}`, error)
  }
  const exported = module as { default?: unknown; config?: unknown }
  // Only what the file itself exports: the loader adds a default of its own.
  const name = (['default', 'config'] as const).find((key) => Object.hasOwn(exported, key))
  const value = name && exported[name]
  if (value === undefined) throw configError(file, 'exports no configuration; export it as default')
  return value
}

function said(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/\s*\n\s*/g, ' ')
}

function resolvePaths(config: ToolwareConfig, folder: string): ToolwareConfig {
  const from = (path: string): string => resolve(folder, expandHome(path))
  const { tooling, audit, plugins, approvals } = config
  const root = tooling?.workspaceRoot
  const store = approvals?.store
  return {
    ...config,
    // A root of another platform is judged by its spelling.
    ...(root &&
      !isForeign(root, tooling) && { tooling: { ...tooling, workspaceRoot: from(root) } }),
    ...(audit?.file && { audit: { ...audit, file: from(audit.file) } }),
    ...(plugins?.load?.paths && {
      plugins: { ...plugins, load: { ...plugins.load, paths: plugins.load.paths.map(from) } },
    }),
    ...(typeof store === 'object' && {
      approvals: { ...approvals, store: { sqlite: from(store.sqlite) } },
    }),
  }
}

function isForeign(root: string, tooling: ToolingSection | undefined): boolean {
  const own = process.platform === 'win32' ? 'win32' : 'posix'
  if (tooling?.platform === undefined || tooling.platform === own) return false
  return tooling.platform === 'win32' ? win32.isAbsolute(root) : isAbsolute(root)
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
}

/** What {@link toolwareFromConfig} takes beside the configuration: options of `Toolware`, and parts that it cannot make itself. */
export interface FromConfigOptions
  extends Omit<ToolwareOptions, 'intake' | 'beforeTimeoutMs' | 'afterTimeoutMs' | 'toolTimeoutMs'> {
  /** A plugin host that has loaded; required when the configuration has `plugins`. */
  readonly plugins?: HookSource | undefined
  /** Where limits are counted; required when the configuration has `state.redis`. Default: memory. */
  readonly state?: CreateHooksOptions['state']
  /** Only judges: opens no audit file, asks nobody, counts in memory. Default false. */
  readonly judgeOnly?: boolean | undefined
}

/**
 * A pipeline with the hooks and limits that a configuration describes. Your own hooks come after: `app.use(...)`.
 *
 * @throws {ToolwareError} `CONFIG` with the path of the key that is wrong, or that needs a part which `options` does not bring.
 * @example const app = toolwareFromConfig(await loadConfig('toolware.json5'))
 */
export function toolwareFromConfig(
  config: ToolwareConfig,
  options: FromConfigOptions = {},
): Toolware {
  const { plugins, state, judgeOnly = false, ...rest } = options
  const parsed = parseConfig(config)
  requireParts(parsed, options)
  const { beforeTimeoutMs, afterTimeoutMs, toolTimeoutMs, ...bounds } = parsed.limits ?? {}
  // What a parsed section does not have is not there at all, so no bound is set to undefined.
  const intake = bounds as Partial<IntakeLimits>
  // Where people are asked, audit records say how long they took.
  const timing = rest.timing ?? (rest.approvals ? 'hooks' : true)
  const app = new Toolware({
    ...rest,
    timing,
    beforeTimeoutMs,
    afterTimeoutMs,
    toolTimeoutMs,
    intake,
  })
  for (const notice of configNotices(parsed)) app.log.warn({}, notice)
  for (const hook of createHooks(parsed, { clock: app.clock, state, judgeOnly })) app.use(hook)
  if (plugins) app.use(plugins)
  return app
}

/** What a configuration asks for and this function cannot make alone is an error, never left out in silence. */
function requireParts(config: ToolwareConfig, options: FromConfigOptions): void {
  const { plugins, approvals, state, telemetry } = config
  if (plugins && !options.plugins) {
    throw configError('plugins', 'needs a plugin host; pass one that has loaded as options.plugins')
  }
  if (telemetry) throw configError('telemetry', 'is not in this build; remove the section')
  if (options.judgeOnly) return
  if (approvals && !options.approvals) {
    throw configError(
      'approvals',
      'needs somebody who asks people; pass an ApprovalQueue as options.approvals',
    )
  }
  if (approvals && options.approvals) requireAgreement(approvals, options.approvals)
  if (state?.redis !== undefined && !options.state) {
    throw configError(
      'state.redis',
      'needs a store; pass options.state, or remove it to count in memory',
    )
  }
}

/** A queue that was made otherwise than the section says would leave the section without effect. */
function requireAgreement(section: ApprovalsSection, approver: Approver): void {
  const { settings } = approver as Approver & Partial<Pick<ApprovalQueue, 'settings'>>
  // Somebody else's approver: what it does with the section is its host's business.
  if (settings === undefined) return
  for (const key of ['mode', 'timeoutMs'] as const) {
    const wanted = section[key]
    if (wanted !== undefined && wanted !== settings[key]) {
      throw configError(
        `approvals.${key}`,
        `${JSON.stringify(wanted)} is not what options.approvals was made with (${JSON.stringify(settings[key])}); pass ${key} to its ApprovalQueue`,
      )
    }
  }
  const { store = 'memory' } = section
  if (store !== 'memory' && !settings.durable) {
    throw configError(
      'approvals.store',
      `${JSON.stringify(store)} outlives the process, and the store of options.approvals does not; pass such a store to its ApprovalQueue`,
    )
  }
}
