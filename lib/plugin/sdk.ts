import type { PluginApi, PluginDefinition } from './types.ts'

/** A plugin that came out of {@link definePlugin}: `register` is there. */
export type DefinedPlugin = PluginDefinition & { register(api: PluginApi): unknown }

function define(caller: string, plugin: DefinedPlugin): DefinedPlugin {
  if (typeof plugin !== 'object' || plugin === null) {
    throw new TypeError(`${caller}: takes an object with id and register(api), not ${plugin}`)
  }
  if (typeof plugin.id !== 'string' || plugin.id.trim() === '') {
    throw new TypeError(`${caller}: id must be a text, not ${JSON.stringify(plugin.id)}`)
  }
  if (typeof plugin.register !== 'function') {
    throw new TypeError(
      `${caller}: register must be a function (api) => void (plugin ${plugin.id})`,
    )
  }
  return plugin
}

/**
 * Gives a plugin its types and checks its shape. In a file of its own, make it the default export.
 *
 * @throws {TypeError} when `id` or `register` is missing.
 * @example
 * export default definePlugin({
 *   id: 'no-deploys',
 *   register(api) {
 *     api.on('before_tool_call', () => ({ block: true, blockReason: 'not today' }), { matcher: ['deploy'] })
 *   },
 * })
 */
export function definePlugin(plugin: DefinedPlugin): DefinedPlugin {
  return define('definePlugin', plugin)
}

/**
 * The same under the name that OpenClaw's plugin files import from `openclaw/plugin-sdk/plugin-entry`.
 *
 * @throws {TypeError} when `id` or `register` is missing.
 */
export function definePluginEntry(plugin: DefinedPlugin): DefinedPlugin {
  return define('definePluginEntry', plugin)
}
