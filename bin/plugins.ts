import type { PluginHost } from '../lib/plugin/index.ts'
import type { ReadyConfig } from './config-options.ts'

/** A host with the plugins of the configuration, loaded; undefined when there are none. */
export async function loadPlugins(ready: ReadyConfig): Promise<PluginHost | undefined> {
  const { plugins, tools } = ready.config
  if (plugins === undefined) return undefined
  // Loaded when it is wanted, since most runs have no plugins and the loader is heavy.
  const { PluginHost } = await import('../lib/plugin/index.ts')
  try {
    return await new PluginHost({ config: plugins, baseDir: ready.folder, tools }).load()
  } catch (error) {
    throw ready.explainError(error)
  }
}
