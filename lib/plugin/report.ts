import type { BridgeHealth } from './bridge/health.ts'
import type { PluginsConfig } from './config.ts'
import { type Diagnostic, line } from './diagnostic.ts'
import type { Instance, Origin } from './instance.ts'
import type { Command } from './registry.ts'

/** What `toolware plugins` shows of one plugin. */
export interface PluginReport {
  readonly id: string
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** `refused`: it has an error. `off`: the operator keeps it out. */
  readonly state: 'loaded' | 'refused' | 'off'
  readonly kind?: Origin['kind'] | undefined
  /** Its file, or `bundled`. */
  readonly source?: string | undefined
  readonly events: readonly string[]
  readonly hooks: readonly string[]
  readonly policies: readonly string[]
  readonly commands: readonly string[]
  /** Of a bridged plugin: its state, restarts and the like. */
  readonly health?: BridgeHealth | undefined
  readonly diagnostics: readonly Diagnostic[]
}

export function reportOf(instance: Instance): PluginReport {
  const { id, name, version, origin, registrations, bridged, diagnostics } = instance
  const health = bridged?.health()
  const events = health?.eventSubscriptions ?? registrations.handlers.map(({ event }) => event)
  return {
    id,
    name,
    version,
    state: 'loaded',
    kind: origin.kind,
    source: sourceOf(origin),
    events: [...new Set(events)],
    hooks: registrations.hooks.map((hook) => hook.name),
    policies: registrations.policies.map(({ policy }) => policy.id),
    commands: registrations.commands.map(({ definition }) => definition.name),
    ...(health && { health }),
    diagnostics,
  }
}

/** The report of a plugin that does not run. */
export function absent(
  id: string,
  state: 'refused' | 'off',
  diagnostics: readonly Diagnostic[],
  origin?: Origin,
): PluginReport {
  return {
    id,
    state,
    kind: origin?.kind,
    source: origin && sourceOf(origin),
    events: [],
    hooks: [],
    policies: [],
    commands: [],
    diagnostics,
  }
}

export const sourceOf = (origin: Origin): string =>
  origin.kind === 'bundled' ? 'bundled' : origin.entryFile

/** Why the operator keeps a plugin out, or undefined. `deny` beats `allow`, and both beat `entries`. */
export function keptOut(config: PluginsConfig, id: string): string | undefined {
  if (config.deny?.includes(id)) return 'plugins.deny names it'
  if (config.allow !== undefined && config.allow.length > 0 && !config.allow.includes(id)) {
    return 'plugins.allow names others'
  }
  const enabled = config.entries?.[id]?.enabled
  return enabled === false ? `plugins.entries.${id}.enabled is false` : undefined
}

/** The first with a command keeps it: the host, then plugins in load order. */
export function duplicateCommands(
  hostCommands: readonly Command[],
  instances: readonly Instance[],
): Diagnostic[] {
  const owners = new Map(
    hostCommands.map(({ definition }) => [definition.name.toLowerCase(), 'the host']),
  )
  const found: Diagnostic[] = []
  for (const { pluginId, definition } of instances.flatMap((it) => it.registrations.commands)) {
    const owner = owners.get(definition.name.toLowerCase())
    if (owner === undefined) owners.set(definition.name.toLowerCase(), `plugin ${pluginId}`)
    else {
      const message = `/${definition.name} is a command of ${owner} already; that one counts`
      found.push(line('error', pluginId, 'duplicate_command', message))
    }
  }
  return found
}
