import { isDeepStrictEqual } from 'node:util'
import { isToolwareError, ToolDeniedError, ToolwareError } from '../errors.ts'
import { faultText } from '../fault-text.ts'
import { loadModule } from '../load-module.ts'
import type { Logger } from '../types.ts'
import { ask, deny, rewrite } from '../verdict.ts'
import { createApi } from './api.ts'
import type { PluginEntryConfig } from './config.ts'
import type { Diagnostic, DiagnosticCode, Report } from './diagnostic.ts'
import { callHandler, ownSignal } from './handler.ts'
import { type BridgedHandle, type Instance, NOTHING, type Origin } from './instance.ts'
import { definePlugin, definePluginEntry } from './sdk.ts'
import type { PluginApi, PluginDefinition } from './types.ts'

/** For loading a plugin's file, and again for its `register`. */
const START_TIMEOUT_MS = 15_000
const SDK = { definePlugin, definePluginEntry }
/** The names of `toolware` that a plugin needs. The rest would load the whole pipeline into a plugin's process. */
const toolware = { ask, deny, isToolwareError, rewrite, ToolDeniedError, ToolwareError }
/** What a plugin can import wherever its file lies. */
const MODULES = {
  'openclaw/plugin-sdk/plugin-entry': SDK,
  'openclaw/plugin-sdk': SDK,
  'toolware/plugin': SDK,
  toolware,
}

/** What starting a plugin needs beside the plugin. */
export interface StartOptions {
  readonly entry: PluginEntryConfig
  readonly log: Logger
  readonly startBridged: StartBridged
  /** The process ends with the plugin, so its file is never loaded again. Default false. */
  readonly once?: boolean | undefined
}

/** Starts a plugin behind the bridge. Resolves also when the child is down, since its hook then denies. */
export type StartBridged = (
  origin: Origin & { readonly kind: 'process' },
  options: { readonly entry: PluginEntryConfig; readonly log: Logger; readonly report: Report },
) => Promise<BridgedHandle>

/** A running plugin, or why there is none; the diagnostics are told either way. */
export type Started =
  | { readonly instance: Instance; readonly diagnostics?: undefined }
  | { readonly instance?: undefined; readonly diagnostics: readonly Diagnostic[] }

/** Says why a plugin cannot start. */
class Refusal extends Error {
  readonly code: DiagnosticCode

  constructor(code: DiagnosticCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Loads a plugin and lets it register, all or nothing. Never rejects: what is wrong with a plugin is its report. */
export async function startPlugin(origin: Origin, options: StartOptions): Promise<Started> {
  const id = origin.kind === 'bundled' ? origin.definition.id : origin.manifest.id
  const source = origin.kind === 'bundled' ? 'bundled' : origin.entryFile
  const diagnostics: Diagnostic[] = []
  const report: Report = (level, code, message, path) => {
    // A plugin that makes the same mistake with every call has made one.
    const line: Diagnostic = { level, pluginId: id, code, message, path: path ?? source }
    if (diagnostics.some((known) => isDeepStrictEqual(known, line))) return
    diagnostics.push(line)
    const fields = { pluginId: id, code }
    options.log[level](fields, `plugin ${id}: ${message}`)
  }
  try {
    if (!(await configFits(origin, options.entry, report))) return { diagnostics }
    if (origin.kind === 'process') {
      const { entry, log } = options
      const bridged = await options.startBridged(
        { ...origin, kind: 'process' },
        { entry, log, report },
      )
      const { name, version } = origin.manifest
      const registrations = NOTHING
      return { instance: { id, origin, name, version, registrations, bridged, diagnostics } }
    }
    const definition =
      origin.kind === 'bundled'
        ? origin.definition
        : await definitionOf(origin.entryFile, id, options.once)
    const { name, version, description } = definition
    const manifest = origin.kind === 'bundled' ? undefined : origin.manifest
    const { api, finish } = createApi({
      id,
      name: name ?? manifest?.name,
      version: version ?? manifest?.version,
      description: description ?? manifest?.description,
      source,
      rootDir: manifest?.folder,
      manifest,
      entry: options.entry,
      report,
      log: options.log,
    })
    await register(definition, api)
    const registrations = finish()
    return {
      instance: {
        id,
        origin,
        name: api.name,
        version: api.version,
        registrations,
        bridged: undefined,
        diagnostics,
      },
    }
  } catch (error) {
    const code = error instanceof Refusal ? error.code : 'start_failed'
    report('error', code, faultText(error))
    return { diagnostics }
  }
}

/** Checks the operator's config against the manifest's schema, before any code of the plugin runs. */
async function configFits(
  origin: Origin,
  entry: PluginEntryConfig,
  report: Report,
): Promise<boolean> {
  const schema = origin.kind === 'bundled' ? undefined : origin.manifest.configSchema
  if (schema === undefined) return true
  const { checkPluginConfig } = await import('./config-schema.ts')
  const problems = checkPluginConfig(schema, entry.config)
  for (const { code, message, path } of problems) report('error', code, message, path)
  return problems.length === 0
}

async function register(definition: PluginDefinition, api: PluginApi): Promise<void> {
  const run = (): unknown => (definition.register ?? definition.activate)?.call(definition, api)
  const settled = await callHandler(run, { timeoutMs: START_TIMEOUT_MS, own: ownSignal() })
  if (!settled.ok)
    throw new Refusal('register_failed', `register() failed: ${faultText(settled.error)}`)
}

async function definitionOf(
  file: string,
  id: string,
  once: boolean | undefined,
): Promise<PluginDefinition> {
  // A top-level await may never end.
  const load = () => loadModule(file, { modules: MODULES, once })
  const loaded = await callHandler(load, { timeoutMs: START_TIMEOUT_MS, own: ownSignal() })
  if (!loaded.ok) {
    throw new Refusal('load_failed', `cannot be loaded: ${faultText(loaded.error)}`)
  }
  const definition = asDefinition(id, loaded.value)
  if (definition === undefined) {
    throw new Refusal(
      'invalid_plugin_export',
      'must export definePluginEntry(...), an object with register(api) or activate(api), or a function (api) => void',
    )
  }
  if (definition.id !== id) {
    throw new Refusal(
      'id_mismatch',
      `defines the id '${definition.id}', but its file or manifest says '${id}'`,
    )
  }
  return definition
}

/** What a plugin file may export, also behind one or two `default`s, as module systems have it. */
function asDefinition(id: string, exported: unknown, depth = 0): PluginDefinition | undefined {
  if (typeof exported === 'function') {
    return { id, register: (api) => (exported as (api: PluginApi) => unknown)(api) }
  }
  if (typeof exported !== 'object' || exported === null) return undefined
  if ('default' in exported && depth < 2) {
    const inner = asDefinition(id, exported.default, depth + 1)
    if (inner !== undefined) return inner
  }
  const { register, activate } = exported as Partial<PluginDefinition>
  if (typeof register !== 'function' && typeof activate !== 'function') return undefined
  return 'id' in exported ? (exported as PluginDefinition) : { ...exported, id }
}
