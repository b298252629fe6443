import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { quoted } from '../errors.ts'
import type { FailureCause } from '../types.ts'
import { type Checked, refuse } from './problem.ts'

/** Manifest file names, in the order they are looked for in a plugin's folder. */
export const MANIFEST_FILES = ['toolware.plugin.json', 'openclaw.plugin.json'] as const

const MAX_MANIFEST_BYTES = 1024 * 1024
const ID = /^[A-Za-z0-9@][A-Za-z0-9@._/-]{0,127}$/
const EVENT = /^[a-z][a-z0-9_]*(?::(?:[a-z][a-z0-9_]*|\*))?$/

/** Where a plugin's code runs: in a child process behind the bridge, or in this process. */
export type PluginRuntime = 'process' | 'inline'

/** What a plugin says about itself before any of its code runs. */
export interface PluginManifest {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly version?: string | undefined
  readonly kind?: string | undefined
  /** Relative to {@link PluginManifest.folder}. Unset: the usual file names are tried. */
  readonly entry?: string | undefined
  /** `inline` unless given. */
  readonly runtime: PluginRuntime
  /**
   * Events the plugin may register for; `tool:*` covers `tool:before` and `tool:after`. A `process` plugin
   * with our manifest that lists none may register for none. Undefined elsewhere: not limited.
   */
  readonly eventSubscriptions?: readonly string[] | undefined
  /** Normalised: trimmed, lower case, sorted, once each. Undefined means not limited. */
  readonly capabilities?: readonly string[] | undefined
  readonly contracts: PluginContracts
  /** JSON Schema of `entries.<id>.config`. */
  readonly configSchema?: Readonly<Record<string, unknown>> | undefined
  /** Overruled by `entries.<id>.failOpen`. */
  readonly failOpen?: readonly FailureCause[] | undefined
  /** The manifest, or the lone entry file. */
  readonly file: string
  readonly folder: string
}

/** Names a plugin claims up front. */
export interface PluginContracts {
  readonly trustedToolPolicies: readonly string[]
}

const KEYS = [
  'id',
  'name',
  'description',
  'version',
  'kind',
  'entry',
  'runtime',
  'eventSubscriptions',
  'capabilities',
  'contracts',
  'configSchema',
  'failOpen',
  '$schema',
]

/**
 * Reads the manifest of a plugin's folder. `toolware.plugin.json` wins over `openclaw.plugin.json`.
 *
 * @returns undefined when the folder has neither; a problem `invalid_manifest` when it cannot be used.
 */
export async function readManifest(folder: string): Promise<Checked<PluginManifest> | undefined> {
  for (const name of MANIFEST_FILES) {
    const file = join(folder, name)
    try {
      const what = await stat(file)
      if (!what.isFile()) return refuse('invalid_manifest', 'is no file', file)
      const { size } = what
      if (size > MAX_MANIFEST_BYTES) {
        return refuse('invalid_manifest', `${size} bytes are more than a manifest may have`, file)
      }
      return parseManifest(await readFile(file, 'utf8'), file)
    } catch (error) {
      if (isMissing(error)) continue
      return refuse('invalid_manifest', `cannot be read: ${messageOf(error)}`, file)
    }
  }
  return undefined
}

/** The manifest of a file that has none: its base name is its id. */
export function implicitManifest(entryFile: string): PluginManifest {
  const name = basename(entryFile)
  return {
    id: name.replace(/\.[^.]+$/, ''),
    entry: name,
    runtime: 'inline',
    contracts: { trustedToolPolicies: [] },
    file: entryFile,
    folder: dirname(entryFile),
  }
}

/** Checks a manifest's text. Unknown keys are refused in ours and left alone in OpenClaw's. */
export function parseManifest(text: string, file: string): Checked<PluginManifest> {
  const bad = (key: string, value: unknown, right: string) =>
    refuse('invalid_manifest', `${key}: ${quoted(value)} ${right}`, file)
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return refuse('invalid_manifest', `is not JSON: ${messageOf(error)}`, file)
  }
  if (!isRecord(json)) return refuse('invalid_manifest', 'must be a JSON object', file)
  const ours = basename(file) === MANIFEST_FILES[0]

  if (ours) {
    const unknown = Object.keys(json).find((key) => !KEYS.includes(key))
    if (unknown !== undefined) {
      return bad(unknown, json[unknown], `is under an unknown key; known are ${KEYS.join(', ')}`)
    }
  }
  const { id, entry, runtime = 'inline', contracts, configSchema, failOpen } = json
  if (typeof id !== 'string' || !ID.test(id)) {
    return bad('id', id, 'is no plugin id: up to 128 letters, digits and @ . _ / -')
  }
  for (const key of ['name', 'description', 'version', 'kind'] as const) {
    if (json[key] !== undefined && typeof json[key] !== 'string') {
      return bad(key, json[key], 'must be a text')
    }
  }
  if (entry !== undefined && (typeof entry !== 'string' || entry.trim() === '')) {
    return bad('entry', entry, "must be a file in the plugin's folder")
  }
  if (runtime !== 'process' && runtime !== 'inline') {
    return bad('runtime', runtime, "must be 'process' or 'inline'")
  }
  const events = json.eventSubscriptions
  if (events !== undefined && !isListOf(events, (event) => EVENT.test(event))) {
    return bad('eventSubscriptions', events, 'must list events such as tool:before and tool:*')
  }
  const capabilities = json.capabilities
  if (capabilities !== undefined && !isListOf(capabilities, (name) => name.trim() !== '')) {
    return bad('capabilities', capabilities, 'must be a list of names')
  }
  const policies = isRecord(contracts) ? (contracts.trustedToolPolicies ?? []) : []
  if (contracts !== undefined && !isRecord(contracts)) {
    return bad('contracts', contracts, 'must be an object')
  }
  if (!isListOf(policies, (policy) => policy.trim() !== '')) {
    return bad('contracts.trustedToolPolicies', policies, 'must be a list of policy ids')
  }
  if (configSchema !== undefined && !isRecord(configSchema)) {
    return bad('configSchema', configSchema, 'must be a JSON Schema object')
  }
  if (failOpen !== undefined && !isListOf(failOpen, isFailureCause)) {
    return bad('failOpen', failOpen, "must be a list of 'error' and 'timeout'")
  }
  return {
    value: {
      id,
      name: textOf(json.name),
      description: textOf(json.description),
      version: textOf(json.version),
      kind: textOf(json.kind),
      entry: textOf(entry),
      runtime,
      eventSubscriptions: events ?? (ours && runtime === 'process' ? [] : undefined),
      capabilities: capabilities && normaliseCapabilities(capabilities),
      contracts: { trustedToolPolicies: policies },
      configSchema,
      failOpen: failOpen as readonly FailureCause[] | undefined,
      file,
      folder: dirname(file),
    },
  }
}

/** Trims, lower-cases and sorts capability names, once each. */
export function normaliseCapabilities(capabilities: readonly string[]): string[] {
  return [...new Set(capabilities.map((name) => name.trim().toLowerCase()))].sort()
}

/**
 * Which of a plugin's capabilities `plugins.mode` forbids: all of an in-process plugin under `restricted`,
 * nothing otherwise. Bridged plugins may always run.
 */
export function blockedCapabilities(
  mode: 'full' | 'restricted',
  runtime: PluginRuntime,
  capabilities: readonly string[],
): string[] {
  return mode === 'restricted' && runtime === 'inline' ? normaliseCapabilities(capabilities) : []
}

/** Whether a list of declared events covers one; `tool:*` covers every `tool:` event. Undefined covers all. */
export function coversEvent(declared: readonly string[] | undefined, event: string): boolean {
  if (declared === undefined || declared.includes(event)) return true
  const family = event.slice(0, event.indexOf(':') + 1)
  if (family === '') return false
  if (event === `${family}*`) {
    return declared.includes(`${family}before`) && declared.includes(`${family}after`)
  }
  return declared.includes(`${family}*`)
}

const isFailureCause = (cause: string): boolean => cause === 'error' || cause === 'timeout'

function isListOf(value: unknown, accepts: (item: string) => boolean): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && accepts(item))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** What a failed read says. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Whether a read failed because nothing is there. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
