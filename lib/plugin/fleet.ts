import { isDeepStrictEqual } from 'node:util'
import { closePart } from '../closing.ts'
import { ToolwareError } from '../errors.ts'
import { faultText } from '../fault-text.ts'
import type { Logger } from '../types.ts'
import type { PluginsConfig } from './config.ts'
import { type Diagnostic, line } from './diagnostic.ts'
import { discover } from './discovery.ts'
import type { BridgedHandle, Instance, Origin } from './instance.ts'
import type { Command } from './registry.ts'
import { absent, duplicateCommands, keptOut, type PluginReport, reportOf } from './report.ts'
import { type StartBridged, startPlugin } from './start.ts'
import type { PluginDefinition } from './types.ts'
import { type Watcher, watchFiles } from './watch.ts'

/** What a {@link Fleet} is made from. */
export interface FleetOptions {
  readonly config: PluginsConfig
  readonly bundled: readonly PluginDefinition[]
  readonly log: Logger
  readonly baseDir: string
  readonly startBridged: StartBridged
  /** Commands that are taken already. */
  readonly hostCommands: readonly Command[]
  /** Told when the instances are others than before. */
  readonly changed: () => void
}

/** Keeps the plugins that run: finds them, starts them, swaps them one by one, and knows what became of the others. */
export class Fleet {
  readonly #options: FleetOptions
  /** In load order. Replaced as a whole, never changed. */
  #instances: ReadonlyMap<string, Instance> = new Map()
  #absent: readonly PluginReport[] = []
  /** The load and reloads, one after another. */
  #queue: Promise<unknown> = Promise.resolve()
  /** Replaced instances with hooks to close: calls that have begun may still use them, so they are closed last. */
  readonly #retired: Instance[] = []
  #watcher: Watcher | undefined
  #closed = false

  constructor(options: FleetOptions) {
    this.#options = options
  }

  get instances(): readonly Instance[] {
    return [...this.#instances.values()]
  }

  reports(): PluginReport[] {
    const duplicates = duplicateCommands(this.#options.hostCommands, this.instances)
    const loaded = this.instances.map((instance) => {
      const report = reportOf(instance)
      const extra = duplicates.filter(({ pluginId }) => pluginId === instance.id)
      return { ...report, diagnostics: [...report.diagnostics, ...extra] }
    })
    return [...loaded, ...this.#absent]
  }

  /** @throws {ToolwareError} `CONFIG` under `strict`, when any plugin has an error, and when it was closed meanwhile. */
  async load(): Promise<void> {
    const { strict, watch } = this.#options.config
    await this.#inTurn(() => this.#load())
    if (this.#closed)
      throw new ToolwareError('CONFIG', 'plugins: the host was closed; make another one')
    if (strict) await this.#assertNoErrors()
    if (watch) this.#watch()
  }

  async #load(): Promise<void> {
    const { config } = this.#options
    const { origins, refused } = await this.#find()
    const instances = new Map<string, Instance>()
    const missing = [...refused]
    for (const origin of origins) {
      if (this.#closed) break
      const id = idOf(origin)
      const out = keptOut(config, id)
      if (out !== undefined) {
        missing.push(absent(id, 'off', [line('info', id, 'operator_blocked', out)], origin))
        continue
      }
      const { instance, diagnostics } = await this.#start(origin)
      if (instance) instances.set(id, instance)
      else missing.push(absent(id, 'refused', diagnostics, origin))
    }
    this.#absent = missing
    this.#swap(instances)
  }

  /** @throws {ToolwareError} `CONFIG` when there is no such plugin or it cannot be loaded; the old instance then stays. */
  reload(id: string): Promise<PluginReport> {
    return this.#inTurn(() => this.#reload(id))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work)
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#watcher?.close()
    await this.#queue
    await Promise.all(this.instances.map(({ bridged }) => bridged?.close()))
    const closing = [...this.#retired, ...this.instances].flatMap(({ id, registrations }) =>
      registrations.hooks.map((hook) =>
        closePart(hook, this.#options.log, `hook ${hook.name} of plugin ${id}`),
      ),
    )
    await Promise.all(closing)
  }

  async #find(): Promise<{ origins: Origin[]; refused: PluginReport[] }> {
    const { config, bundled, baseDir } = this.#options
    const found = await discover(config.load?.paths ?? [], baseDir)
    const own = new Set(bundled.map(({ id }) => id))
    const refused = found.refused.map(({ id, problem }) =>
      absent(id, 'refused', [
        this.#tell(line('error', id, problem.code, problem.message, problem.path)),
      ]),
    )
    const origins: Origin[] = bundled.map((definition) => ({ kind: 'bundled', definition }))
    for (const candidate of found.candidates) {
      const { id, runtime } = candidate.manifest
      if (own.has(id)) {
        const message = `'${id}' is the id of a bundled plugin; that one counts`
        const diagnostic = line('error', id, 'duplicate_plugin_id', message, candidate.entryFile)
        refused.push(absent(id, 'refused', [this.#tell(diagnostic)]))
        continue
      }
      const bridged = runtime === 'process' || config.entries?.[id]?.bridge !== undefined
      origins.push({ kind: bridged ? 'process' : 'inline', ...candidate })
    }
    return { origins, refused }
  }

  async #start(origin: Origin): ReturnType<typeof startPlugin> {
    const { config, log, startBridged } = this.#options
    const id = idOf(origin)
    if (config.mode === 'restricted' && origin.kind !== 'process') {
      const message = "plugins.mode 'restricted' lets only plugins with runtime 'process' run"
      return { diagnostics: [this.#tell(line('error', id, 'mode_restricted', message))] }
    }
    return startPlugin(origin, { entry: config.entries?.[id] ?? {}, log, startBridged })
  }

  async #reload(id: string): Promise<PluginReport> {
    if (this.#closed)
      throw new ToolwareError('CONFIG', `plugins: cannot reload '${id}' after close()`)
    const old = this.#instances.get(id)
    const { origins, refused } = await this.#find()
    const origin = origins.find((candidate) => idOf(candidate) === id)
    if (origin === undefined) {
      const said = refused.find((report) => report.id === id)?.diagnostics
      throw this.#failed(id, said, `there is no plugin '${id}'; known are ${this.#known()}`)
    }
    const out = keptOut(this.#options.config, id)
    if (out !== undefined) throw this.#failed(id, undefined, out)
    const next = await (isSameChild(old, origin) ? this.#reloadChild(old) : this.#start(origin))
    if (next.instance === undefined) throw this.#failed(id, next.diagnostics, 'it cannot be loaded')
    this.#absent = this.#absent.filter((report) => report.id !== id)
    this.#swap(new Map(this.#instances).set(id, next.instance))
    if (old?.bridged !== next.instance.bridged) await old?.bridged?.close()
    if (old?.registrations.hooks.some((hook) => hook.close)) this.#retired.push(old)
    return reportOf(next.instance)
  }

  /** A bridged plugin swaps its own child, so that what was asked of the old one is answered. */
  async #reloadChild(old: BridgedInstance): ReturnType<typeof startPlugin> {
    try {
      await old.bridged.reload()
      return { instance: { ...old } }
    } catch (error) {
      return { diagnostics: [line('error', old.id, 'reload_failed', faultText(error))] }
    }
  }

  #failed(id: string, said: readonly Diagnostic[] | undefined, otherwise: string): ToolwareError {
    const why = said?.find(({ level }) => level === 'error')?.message ?? otherwise
    const stays = this.#instances.has(id) ? '; the instance before it stays in service' : ''
    const message = `plugins: cannot reload '${id}': ${why}${stays}`
    return new ToolwareError('CONFIG', message, { details: { pluginId: id } })
  }

  #swap(instances: ReadonlyMap<string, Instance>): void {
    this.#instances = instances
    this.#options.changed()
  }

  async #assertNoErrors(): Promise<void> {
    const errors = this.reports()
      .flatMap(({ diagnostics }) => diagnostics)
      .filter(({ level }) => level === 'error')
    if (errors.length === 0) return
    await this.close()
    const list = errors.map(({ pluginId, code, message }) => `${pluginId}: ${code}: ${message}`)
    throw new ToolwareError('CONFIG', `plugins.strict: ${list.join('; ')}`, {
      details: { diagnostics: errors },
    })
  }

  #watch(): void {
    const files = new Map<string, string>()
    // Those that were refused as well: to mend the file is what their authors do next.
    for (const { id, state, kind, source } of [...this.reports()].reverse()) {
      if (source !== undefined && kind !== 'bundled' && state !== 'off') files.set(id, source)
    }
    const { log } = this.#options
    const failed = (id: string, error: unknown): void =>
      log.warn({ pluginId: id }, `plugin ${id} was not reloaded: ${faultText(error)}`)
    this.#watcher = watchFiles(
      files,
      (id) => void this.reload(id).catch((error: unknown) => failed(id, error)),
      failed,
    )
  }

  #tell(diagnostic: Diagnostic): Diagnostic {
    const { level, pluginId, code, message } = diagnostic
    this.#options.log[level]({ pluginId, code }, `plugin ${pluginId}: ${message}`)
    return diagnostic
  }

  #known(): string {
    return [...this.#instances.keys()].join(', ') || 'none'
  }
}

type BridgedInstance = Instance & { readonly bridged: BridgedHandle }

/** Whether a plugin stays behind the bridge under the manifest it had. */
function isSameChild(old: Instance | undefined, origin: Origin): old is BridgedInstance {
  return (
    old?.bridged !== undefined &&
    old.origin.kind === 'process' &&
    origin.kind === 'process' &&
    isDeepStrictEqual(old.origin, origin)
  )
}

const idOf = (origin: Origin): string =>
  origin.kind === 'bundled' ? origin.definition.id : origin.manifest.id
