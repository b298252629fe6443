import type { PluginHost } from '../lib/plugin/index.ts'
import type { Logger } from '../lib/types.ts'
import type { ReadyConfig } from './config-options.ts'

/** How {@link loadPlugins} treats plugins that are wrong. */
export interface LoadPluginsOptions {
  /** Loads what can be loaded, also when the configuration is strict, and logs nothing. Default false. */
  readonly lenient?: boolean | undefined
}

const ignore = (): void => undefined
const SILENT: Logger = Object.freeze({ debug: ignore, info: ignore, warn: ignore, error: ignore })

/** A host with the plugins of the configuration, loaded; undefined when there are none. */
export async function loadPlugins(
  ready: ReadyConfig,
  { lenient = false }: LoadPluginsOptions = {},
): Promise<PluginHost | undefined> {
  const { plugins, tools } = ready.config
  if (plugins === undefined) return undefined
  // Loaded when it is wanted, since most runs have no plugins and the loader is heavy.
  const { PluginHost } = await import('../lib/plugin/index.ts')
  try {
    const own = lenient
      ? { config: { ...plugins, strict: false }, log: SILENT }
      : { config: plugins }
    return await new PluginHost({ ...own, baseDir: ready.folder, tools }).load()
  } catch (error) {
    throw ready.explainError(error)
  }
}
