import { types } from 'node:util'
import { closest } from '../closest.ts'
import { entryOf, NO_POSITION } from '../entry.ts'
import { quoted } from '../errors.ts'
import type { AnyHook } from '../types.ts'
import { MAX_HANDLER_TIMEOUT_MS, type PluginEntryConfig } from './config.ts'
import type { Report } from './diagnostic.ts'
import { coversEvent, type PluginManifest } from './manifest.ts'
import { parseMatcher } from './matcher.ts'
import { EVENTS, type EventName, FOREIGN_EVENTS, TRANSLATIONS } from './names.ts'
import type { Handler, Registrations } from './registry.ts'
import type {
  CommandDefinition,
  HandlerOptions,
  PluginHandlers,
  TrustedToolPolicy,
} from './types.ts'

const DEFAULT_TIMEOUT_MS = 15_000
const OBSERVER_TIMEOUT_MS = 30_000
const OBSERVERS: readonly EventName[] = ['after_tool_call', 'tool:after']
const SYNCHRONOUS: readonly EventName[] = ['tool_result_persist', 'before_message_write']
const WITHOUT_MATCHER: readonly EventName[] = ['resolve_exec_env', ...SYNCHRONOUS]
const COMMAND_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/

/** What the registrar knows about the plugin that registers. */
export interface Registrant {
  readonly id: string
  /** Missing for a bundled plugin, which may register whatever it likes. */
  readonly manifest: PluginManifest | undefined
  readonly entry: PluginEntryConfig
  readonly report: Report
}

/** Takes the registrations of one instance of a plugin. Misuse throws, so that `register` fails as a whole. */
export class Registrar {
  readonly #plugin: Registrant
  readonly #taken: Registrations = { handlers: [], hooks: [], policies: [], commands: [] }
  #over = false

  constructor(plugin: Registrant) {
    this.#plugin = plugin
  }

  /** Closes the book and returns what is in it. */
  finish(): Registrations {
    this.#over = true
    return this.#taken
  }

  on<E extends EventName>(event: E, run: PluginHandlers[E], options: HandlerOptions = {}): void {
    this.#assertOpen(`on('${String(event)}')`)
    const { id, entry, report } = this.#plugin
    if (typeof event !== 'string') {
      throw new TypeError(`api.on: the event must be the name of one, not ${quoted(event)}`)
    }
    if (typeof options !== 'object' || options === null) {
      throw new TypeError(
        `api.on: the options of '${event}' must be an object, not ${quoted(options)}`,
      )
    }
    if (typeof run !== 'function') {
      throw new TypeError(`api.on: the handler of '${event}' must be a function, not ${typeof run}`)
    }
    if (FOREIGN_EVENTS.includes(event)) {
      const message = `'${event}' is an event of OpenClaw that never fires here`
      report('warn', 'event_never_fires', message)
      return
    }
    if (!EVENTS.includes(event)) throw unknownEvent(event)
    this.#declared(event)
    if (SYNCHRONOUS.includes(event) && types.isAsyncFunction(run)) {
      const message = `the handler of '${event}' is async; this event is synchronous and a promise is ignored`
      report('warn', 'async_handler', message)
    }
    if (options.matcher !== undefined && WITHOUT_MATCHER.includes(event)) {
      report('warn', 'option_ignored', `'${event}' has no use for a matcher`)
    }
    const handler: Handler<E> = {
      pluginId: id,
      event,
      run,
      matcher: WITHOUT_MATCHER.includes(event) ? undefined : parseMatcher(options.matcher),
      priority: priorityOf(event, options.priority),
      timeoutMs: this.#timeout(event, options.timeoutMs),
      once: options.once === true,
      failOpen: entry.failOpen ?? [],
    }
    this.#taken.handlers.push(handler as unknown as Handler)
  }

  registerHook(hook: AnyHook | string | readonly string[]): void {
    this.#assertOpen('registerHook')
    if (typeof hook === 'string' || Array.isArray(hook)) {
      const message = `registerHook('${hook}', handler) is for OpenClaw's internal events, which never fire here; give api.on one of ${EVENTS.join(', ')}`
      this.#plugin.report('warn', 'event_never_fires', message)
      return
    }
    const candidate = hook as AnyHook
    // What the pipeline would refuse later, this plugin alone answers for now.
    entryOf(candidate, NO_POSITION)
    this.#declared('hooks')
    this.#taken.hooks.push(candidate)
  }

  registerTrustedToolPolicy(policy: TrustedToolPolicy): void {
    this.#assertOpen('registerTrustedToolPolicy')
    const problem = this.#policyProblem(policy)
    if (problem !== undefined) {
      this.#plugin.report('error', 'policy_refused', problem)
      return
    }
    this.#declared('hooks')
    const { id, description, matcher, timeoutMs } = policy
    this.#taken.policies.push({
      pluginId: this.#plugin.id,
      policy: { id, description, evaluate: (event, ctx) => policy.evaluate(event, ctx) },
      matcher: parseMatcher(matcher),
      timeoutMs: this.#timeout('before_tool_call', timeoutMs),
    })
  }

  #policyProblem(policy: TrustedToolPolicy): string | undefined {
    const { id: pluginId, manifest, entry } = this.#plugin
    const { id, description, evaluate } = policy ?? {}
    if (!isText(id) || !isText(description) || typeof evaluate !== 'function') {
      return 'a trusted tool policy needs id, description and evaluate()'
    }
    if (manifest && !manifest.contracts.trustedToolPolicies.includes(id)) {
      return `the manifest must list '${id}' in contracts.trustedToolPolicies`
    }
    if (manifest && entry.enabled !== true) {
      return `policy '${id}' needs plugins.entries.${pluginId}.enabled: true`
    }
    const taken = this.#taken.policies.some(({ policy }) => policy.id === id)
    return taken ? `policy '${id}' is registered already` : undefined
  }

  registerCommand(command: CommandDefinition): void {
    this.#assertOpen('registerCommand')
    if (typeof command !== 'object' || command === null || !COMMAND_NAME.test(command.name)) {
      throw new TypeError(
        `api.registerCommand: name must be up to 32 letters, digits, - and _, without a slash, not ${JSON.stringify(command?.name)}`,
      )
    }
    const { name } = command
    if (typeof command.handler !== 'function') {
      throw new TypeError(`api.registerCommand: the handler of /${name} must be a function`)
    }
    const folded = name.toLowerCase()
    if (this.#taken.commands.some((taken) => taken.definition.name.toLowerCase() === folded)) {
      throw new TypeError(`api.registerCommand: /${name} is registered already`)
    }
    this.#declared('commands')
    this.#taken.commands.push({ pluginId: this.#plugin.id, definition: command })
  }

  #timeout(event: EventName, wanted: number | undefined): number {
    const { entry, report } = this.#plugin
    const operator = entry.hooks?.timeouts?.[event] ?? entry.hooks?.timeoutMs
    if (operator !== undefined) return operator
    const fallback = OBSERVERS.includes(event) ? OBSERVER_TIMEOUT_MS : DEFAULT_TIMEOUT_MS
    if (wanted === undefined) return fallback
    const isTime = Number.isFinite(wanted) && wanted > 0
    if (isTime && wanted <= MAX_HANDLER_TIMEOUT_MS) return wanted
    // A timer that is asked for more than it can count would fire at once.
    const given = isTime ? MAX_HANDLER_TIMEOUT_MS : fallback
    const problem = isTime ? 'more than a handler can have' : 'no duration'
    const message = `timeoutMs: ${String(wanted)} is ${problem}; '${event}' gets ${given}`
    report('warn', 'option_ignored', message)
    return given
  }

  /** What a manifest does not declare cannot be registered. */
  #declared(what: EventName | 'hooks' | 'commands'): void {
    const { manifest, report } = this.#plugin
    if (!manifest) return
    const capability = what === 'commands' ? 'commands' : 'hooks'
    let missing: string | undefined
    if (manifest.capabilities && !manifest.capabilities.includes(capability)) {
      missing = `capabilities must name '${capability}'`
    } else if (what !== 'hooks' && what !== 'commands') {
      const declared = coversEvent(manifest.eventSubscriptions, what)
      if (!declared) missing = `eventSubscriptions must name '${what}'`
    }
    if (missing === undefined) return
    report('error', 'undeclared_registration', missing, manifest.file)
    throw new TypeError(`${manifest.file}: ${missing}`)
  }

  #assertOpen(what: string): void {
    if (!this.#over) return
    const message = `api.${what} came after register() was over, so it has no effect`
    this.#plugin.report('error', 'late_registration', message)
    throw new TypeError(message)
  }
}

function unknownEvent(event: string): TypeError {
  const translated = Object.hasOwn(TRANSLATIONS, event) ? TRANSLATIONS[event] : undefined
  const known = translated ?? closest(event, [...EVENTS, ...FOREIGN_EVENTS])
  const meant = known ? `did you mean '${known}'?` : `known are ${EVENTS.join(', ')}`
  return new TypeError(`api.on: there is no event '${event}'; ${meant}`)
}

function priorityOf(event: EventName, priority: unknown): number {
  if (priority === undefined) return 0
  if (typeof priority === 'number' && Number.isFinite(priority)) return priority
  throw new TypeError(`api.on: priority of '${event}' must be a number, not ${String(priority)}`)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
