import type { ToolHook } from '../types.ts'
import type { BridgeHealth } from './bridge/health.ts'
import type { Diagnostic } from './diagnostic.ts'
import type { Candidate } from './discovery.ts'
import type { Registrations } from './registry.ts'
import type { PluginDefinition } from './types.ts'

/** Where a plugin comes from: from code, or from a file. */
export type Origin =
  | { readonly kind: 'bundled'; readonly definition: PluginDefinition }
  | ({ readonly kind: 'inline' | 'process' } & Candidate)

/** A plugin behind the bridge, as far as the host deals with it. */
export interface BridgedHandle {
  readonly hook: ToolHook
  health(): BridgeHealth
  reload(): Promise<void>
  close(): Promise<void>
}

/** A plugin that runs. Replaced as a whole by a reload. */
export interface Instance {
  readonly id: string
  readonly origin: Origin
  readonly name: string | undefined
  readonly version: string | undefined
  readonly registrations: Registrations
  readonly bridged: BridgedHandle | undefined
  readonly diagnostics: readonly Diagnostic[]
}

export const NOTHING: Registrations = Object.freeze({
  handlers: [],
  hooks: [],
  policies: [],
  commands: [],
})
