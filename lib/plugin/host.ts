import { configError, isToolwareError, quoted, ToolwareError } from '../errors.ts'
import { faultText } from '../fault-text.ts'
import { type OptionNames, vetNames } from '../known-options.ts'
import { defaultLogger } from '../logger.ts'
import { type Catalogue, catalogue, type ToolDeclarations } from '../policy/catalogue.ts'
import { readOptions } from '../read-options.ts'
import { persistToolResult, writeMessage } from '../transcript/chain.ts'
import { stripDetails } from '../transcript/strip-details.ts'
import type { TranscriptContext, TranscriptMessage } from '../transcript/types.ts'
import type { AnyHook, Logger } from '../types.ts'
import { approveCommand, type Resolver } from './approve-command.ts'
import {
  type CommandFacts,
  type CommandOutcome,
  type RunCommandOptions,
  runCommand,
} from './commands.ts'
import { type PluginsConfig, pluginsSection } from './config.ts'
import type { Diagnostic } from './diagnostic.ts'
import { Fleet } from './fleet.ts'
import { hooksOf } from './hooks-of.ts'
import type { EventName } from './names.ts'
import type { PluginProblemCode } from './problem.ts'
import { type Command, type Handler, handlersOf } from './registry.ts'
import type { PluginReport } from './report.ts'
import type { StartBridged } from './start.ts'
import type { PluginDefinition } from './types.ts'

/** What stands for a plugin behind the bridge. The bridge is loaded when the first plugin needs it. */
function startBridged(baseDir: string): StartBridged {
  return async ({ manifest, entryFile }, { entry, log, report }) => {
    const { createBridgedPlugin } = await import('./bridge/create.ts')
    const plugin = createBridgedPlugin({
      manifest,
      entryPath: entryFile,
      entry,
      log,
      configFolder: baseDir,
    })
    try {
      await plugin.start()
    } catch (error) {
      report('error', problemOf(error), faultText(error))
    }
    return plugin
  }
}

/** The code of a report for a process that did not start. */
function problemOf(error: unknown): PluginProblemCode {
  const problem = isToolwareError(error) ? error.details?.problem : undefined
  return problem === 'undeclared_registration' ? problem : 'start_failed'
}

/** Plugins in code are the program's own: what is wrong with one is said to it at once. */
function vetBundled(bundled: readonly PluginDefinition[]): void {
  bundled.forEach((plugin, index) => {
    const { id, register, activate } = plugin ?? {}
    const where = `bundled[${index}]`
    if (typeof id !== 'string' || id.trim() === '') {
      throw configError(`${where}.id`, `must be a text, not ${quoted(id)}`)
    }
    if (typeof register !== 'function' && typeof activate !== 'function') {
      throw configError(where, `plugin ${quoted(id)} must have register(api) or activate(api)`)
    }
    const first = bundled.findIndex((other) => other?.id === id)
    if (first < index) {
      throw configError(`${where}.id`, `${quoted(id)} is the id of bundled[${first}]; take another`)
    }
  })
}

/** What a {@link PluginHost} is made from. */
export interface PluginHostOptions {
  /** The `plugins` section of the configuration. */
  readonly config?: PluginsConfig | undefined
  /** Plugins given in code. They come first, and their trusted policies need no declaration. */
  readonly bundled?: readonly PluginDefinition[] | undefined
  /** Default: warnings and worse to stderr. */
  readonly log?: Logger | undefined
  /** What relative paths start from. Default: the working directory. */
  readonly baseDir?: string | undefined
  /** Tools as the operator declares them: `resolve_exec_env` fires for those that execute. */
  readonly tools?: ToolDeclarations | undefined
  /** An `ApprovalQueue`: makes `/approve <id> <decision>` a command of the host. */
  readonly approvals?: Resolver | undefined
}

const NAMES: OptionNames<PluginHostOptions> = {
  config: true,
  bundled: true,
  log: true,
  baseDir: true,
  tools: true,
  approvals: true,
}

/**
 * Finds, loads and reloads plugins, and yields their hooks for a pipeline.
 *
 * @example
 * const host = new PluginHost({ config: { load: { paths: ['policies'] } } })
 * const app = new Toolware().use(await host.load())
 */
export class PluginHost {
  readonly #fleet: Fleet
  readonly #log: Logger
  readonly #tools: Catalogue
  readonly #hostCommands: readonly Command[]
  readonly #listeners = new Set<() => void>()
  #hooks: readonly AnyHook[] | undefined
  #loading: Promise<this> | undefined
  #closing: Promise<void> | undefined

  /** @throws {ToolwareError} `CONFIG` for a wrong value, with the key's path. */
  constructor(options: PluginHostOptions = {}) {
    vetNames(options, NAMES, 'PluginHost')
    const { config = {}, bundled = [], log, baseDir = process.cwd(), tools, approvals } = options
    readOptions(pluginsSection, config, 'plugins')
    vetBundled(bundled)
    this.#log = log ?? defaultLogger()
    this.#tools = catalogue(tools)
    this.#hostCommands = approvals
      ? [{ pluginId: 'toolware', definition: approveCommand(approvals) }]
      : []
    this.#fleet = new Fleet({
      config,
      bundled,
      baseDir,
      log: this.#log,
      hostCommands: this.#hostCommands,
      startBridged: startBridged(baseDir),
      changed: () => this.#changed(),
    })
  }

  /**
   * Loads all plugins, once; later calls wait for the same. A plugin that cannot be loaded is reported and stops nobody.
   *
   * @throws {ToolwareError} `CONFIG` under `strict`, when any plugin has an error.
   */
  load(): Promise<this> {
    this.#loading ??= this.#fleet.load().then(
      () => this,
      (error: unknown) => {
        // What could be loaded is no pipeline: gates are missing.
        this.#tell(undefined)
        throw error
      },
    )
    return this.#loading
  }

  /**
   * The hooks of all plugins, in the order in which they belong into a pipeline. The same list until a plugin is
   * reloaded; {@link PluginHost.onChange} tells of that.
   *
   * @throws {ToolwareError} `CONFIG` before {@link PluginHost.load} is done, and after it failed: a pipeline without its
   *   gates would be open.
   */
  hooks(): readonly AnyHook[] {
    return this.#loaded('hooks')
  }

  /** Tells when {@link PluginHost.hooks} gives another list. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** What was found, loaded, refused and why, one entry a plugin. */
  reports(): PluginReport[] {
    return this.#fleet.reports()
  }

  /** All lines of all reports. */
  diagnostics(): Diagnostic[] {
    return this.reports().flatMap((report) => report.diagnostics)
  }

  /**
   * Reads a plugin's files again and puts the new instance in place of the old one, in one step. Calls that have begun
   * keep the old one. Finds a plugin that was added since, too.
   *
   * @throws {ToolwareError} `CONFIG` when there is no such plugin or it cannot be loaded; the old instance then stays.
   */
  async reload(id: string): Promise<PluginReport> {
    await this.load()
    return this.#fleet.reload(id)
  }

  /**
   * What is written of a tool's result, after the `tool_result_persist` handlers. Synchronous.
   *
   * @throws {ToolwareError} `CONFIG` when there are no hooks either: what handlers redact would be written.
   */
  persistToolResult(message: TranscriptMessage, ctx: TranscriptContext = {}): TranscriptMessage {
    this.#loaded('persistToolResult')
    const handlers = this.#handlersOf('tool_result_persist')
    return persistToolResult(handlers, message, ctx, this.#log)
  }

  /**
   * What is written of a message, after the `before_message_write` handlers; undefined when one blocks it.
   *
   * @throws {ToolwareError} `CONFIG`, as {@link PluginHost.persistToolResult} does.
   */
  writeMessage(
    message: TranscriptMessage,
    ctx: TranscriptContext = {},
  ): TranscriptMessage | undefined {
    this.#loaded('writeMessage')
    const handlers = this.#handlersOf('before_message_write')
    return writeMessage(handlers, message, ctx, this.#log)
  }

  /** The messages without `details`, for the model. */
  stripDetails<M extends object>(messages: readonly M[]): M[] {
    return stripDetails(messages)
  }

  /** Runs the command that a person typed, if a plugin has it. Never rejects. */
  runCommand(
    text: string,
    facts: CommandFacts = {},
    options: RunCommandOptions = {},
  ): Promise<CommandOutcome> {
    const commands = this.#fleet.instances.flatMap(({ registrations }) => registrations.commands)
    return runCommand([...this.#hostCommands, ...commands], text, facts, options, this.#log)
  }

  /** Stops watching and ends bridged plugins. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#fleet.close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #loaded(what: string): readonly AnyHook[] {
    if (this.#hooks !== undefined) return this.#hooks
    throw new ToolwareError('CONFIG', `plugins: await host.load() before host.${what}()`)
  }

  #changed(): void {
    this.#tell(Object.freeze(hooksOf(this.#fleet.instances, this.#tools)))
  }

  #tell(hooks: readonly AnyHook[] | undefined): void {
    this.#hooks = hooks
    for (const listener of this.#listeners) {
      try {
        listener()
      } catch (error) {
        this.#log.error({ err: error }, 'plugins: a listener of onChange failed')
      }
    }
  }

  #handlersOf<E extends EventName>(event: E): Handler<E>[] {
    return handlersOf(
      this.#fleet.instances.map(({ registrations }) => registrations),
      event,
    )
  }
}
