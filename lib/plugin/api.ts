import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { closest, distance } from '../closest.ts'
import type { Logger } from '../types.ts'
import { FOREIGN_FUNCTIONS, FOREIGN_NAMESPACES, MEMBERS } from './names.ts'
import { type Registrant, Registrar } from './registrar.ts'
import type { Registrations } from './registry.ts'
import type { PluginApi, PluginLogger } from './types.ts'

/** What the API of one plugin is made from. */
export interface ApiOptions extends Registrant {
  readonly name?: string | undefined
  readonly version?: string | undefined
  readonly description?: string | undefined
  /** Its file, or `bundled`. */
  readonly source: string
  readonly rootDir?: string | undefined
  readonly log: Logger
}

const ALL_NAMES = [...MEMBERS, ...FOREIGN_FUNCTIONS, ...FOREIGN_NAMESPACES]

/**
 * Builds the `api` that `register(api)` gets. Members of OpenClaw's API that mean nothing here are there, do nothing
 * and are reported once each; a name that exists in neither system throws when it is read and looks like a slip.
 */
export function createApi(options: ApiOptions): {
  readonly api: PluginApi
  readonly finish: () => Registrations
} {
  const registrar = new Registrar(options)
  const { id, name = id, version, description, source, rootDir, entry, report, log } = options
  const reported = new Set<string>()
  const unavailable = (member: string): undefined => {
    if (reported.has(member)) return
    reported.add(member)
    report(
      'warn',
      'unsupported_registration',
      `api.${member} is not available here and does nothing`,
    )
  }
  const members: Record<string, unknown> = {
    id,
    name,
    version,
    description,
    source,
    rootDir,
    registrationMode: 'full',
    config: Object.freeze({}),
    pluginConfig: deepFreeze(structuredClone(entry.config ?? {})),
    logger: pluginLogger(id, log),
    on: registrar.on.bind(registrar),
    registerHook: registrar.registerHook.bind(registrar),
    registerTrustedToolPolicy: registrar.registerTrustedToolPolicy.bind(registrar),
    registerCommand: registrar.registerCommand.bind(registrar),
    resolvePath: (path: string) =>
      path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : resolve(rootDir ?? '.', path),
  }
  for (const member of FOREIGN_FUNCTIONS) members[member] = () => unavailable(member)
  for (const member of FOREIGN_NAMESPACES) members[member] = hollow(member, unavailable)
  const api = new Proxy(Object.freeze(members), {
    get(target, key, receiver) {
      if (typeof key === 'string' && !(key in target)) assertNoSlip(key)
      return Reflect.get(target, key, receiver) as unknown
    },
  })
  return { api: api as unknown as PluginApi, finish: () => registrar.finish() }
}

/** Feature tests such as `if (api.someFutureThing)` stay possible; a misspelt name does not pass for one. */
function assertNoSlip(key: string): void {
  const meant = closest(key, ALL_NAMES)
  const slip = meant !== undefined && distance(key.toLowerCase(), meant.toLowerCase()) <= 2
  if (!slip && !key.startsWith('register')) return
  throw new TypeError(
    `api.${key} does not exist; ${meant ? `did you mean api.${meant}?` : `known are ${MEMBERS.join(', ')}`}`,
  )
}

/** A namespace whose every member can be read and called, and does nothing. */
function hollow(path: string, touched: (path: string) => undefined): unknown {
  return new Proxy(() => undefined, {
    get(_target, key) {
      if (typeof key === 'symbol' || key === 'then') return undefined
      return hollow(`${path}.${key}`, touched)
    },
    apply: () => touched(path),
  })
}

function pluginLogger(pluginId: string, log: Logger): PluginLogger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => {
    return (message: string, ...details: unknown[]): void => {
      const fields = details.length > 0 ? { pluginId, details } : { pluginId }
      log[level](fields, String(message))
    }
  }
  return Object.freeze({
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  })
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
