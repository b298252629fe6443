import { PluginHost } from '../lib/plugin/index.ts'
import type { ReadyConfig } from './config-options.ts'

/** A host with the plugins of the configuration, loaded; undefined when there are none. */
export async function loadPlugins(ready: ReadyConfig): Promise<PluginHost | undefined> {
  const { plugins, tools } = ready.config
  if (plugins === undefined) return undefined
  try {
    return await new PluginHost({ config: plugins, baseDir: ready.folder, tools }).load()
  } catch (error) {
    throw ready.explainError(error)
  }
}
