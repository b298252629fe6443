import type { AnyHook, FailureCause } from '../types.ts'
import type { EventName } from './names.ts'
import type { CommandDefinition, PluginHandlers, TrustedToolPolicy } from './types.ts'

/** One handler that a plugin registered for an event. */
export interface Handler<E extends EventName = EventName> {
  readonly pluginId: string
  readonly event: E
  readonly run: PluginHandlers[E]
  /** Undefined matches every tool. */
  readonly matcher: ReadonlySet<string> | undefined
  readonly priority: number
  readonly timeoutMs: number
  readonly once: boolean
  /** Causes on which the operator lets the call go on without this handler. */
  readonly failOpen: readonly FailureCause[]
}

/** One trusted policy that a plugin registered. */
export interface Policy {
  readonly pluginId: string
  readonly policy: TrustedToolPolicy
  readonly matcher: ReadonlySet<string> | undefined
  readonly timeoutMs: number
}

/** One command that a plugin registered. */
export interface Command {
  readonly pluginId: string
  readonly definition: CommandDefinition
}

/** All that one instance of a plugin registered. Complete, and never changed, once `register` is over. */
export interface Registrations {
  readonly handlers: Handler[]
  readonly hooks: AnyHook[]
  readonly policies: Policy[]
  readonly commands: Command[]
}

/** The handlers of one event over all plugins: higher priority first, ties in order of registration. */
export function handlersOf<E extends EventName>(
  plugins: readonly Registrations[],
  event: E,
): Handler<E>[] {
  return plugins
    .flatMap((plugin) => plugin.handlers)
    .filter((handler): handler is Handler<E> => handler.event === event)
    .sort((a, b) => b.priority - a.priority)
}

/** Whether a handler or policy is for this tool; `folded` is the tool's folded name. */
export const matches = (
  { matcher }: { readonly matcher: ReadonlySet<string> | undefined },
  folded: string,
): boolean => matcher === undefined || matcher.has(folded)
