/** A host to be killed: starts one plugin, tells the pid of its child, and asks it once when told to. */
import { createBridgedPlugin } from '../../lib/plugin/bridge/create.ts'
import { implicitManifest } from '../../lib/plugin/manifest.ts'

const [entryPath = '', ask] = process.argv.slice(2)
const quiet = () => {}
const plugin = createBridgedPlugin({
  manifest: implicitManifest(entryPath),
  entryPath,
  entry: { bridge: { startTimeoutMs: 60_000 } },
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
})
await plugin.start()
process.stdout.write(`${plugin.health().pid}\n`)
if (ask === 'ask') {
  const { context } = await import('./bridge-context.ts')
  void plugin.hook.check?.(context())
}
if (ask !== 'leave') setInterval(() => {}, 1000)
