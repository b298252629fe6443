/** Asks a silent plugin with an hour of patience, gives up, and has nothing else to do. */
import { createBridgedPlugin } from '../../lib/plugin/bridge/create.ts'
import { implicitManifest } from '../../lib/plugin/manifest.ts'
import { Toolware } from '../../lib/toolware.ts'

const [program = ''] = process.argv.slice(2)
const quiet = () => {}
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const plugin = createBridgedPlugin({
  manifest: implicitManifest(program),
  entryPath: program,
  entry: {
    bridge: { command: ['node', program], beforeTimeoutMs: 3_600_000, startTimeoutMs: 60_000 },
  },
  log,
})
await plugin.start()
const app = new Toolware({ log }).use(plugin.hook)
const controller = new AbortController()
const call = app.execute({ toolName: 'a', signal: controller.signal }, quiet)
setTimeout(() => controller.abort(), 10)
const { status } = await call
const aborted = performance.now()
process.on('exit', () => {
  process.stdout.write(`${status} ${Math.round(performance.now() - aborted)}\n`)
})
