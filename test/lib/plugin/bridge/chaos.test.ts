import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { BridgedPlugin } from '../../../../lib/plugin/bridge/bridged-plugin.ts'
import { Toolware } from '../../../../lib/toolware.ts'
import type { Outcome } from '../../../../lib/types.ts'
import { isAlive, RecordingLog, started } from '../../../helpers/bridge.ts'

const PLUGINS = 10
const CALLS = 10_000
const AT_ONCE = 32
const KILL_EVERY_MS = 100

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Memory in use after everything that can go is gone. */
function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}

it('settles 10 000 calls once each while its ten plugins are killed at random', async () => {
  const plugins: BridgedPlugin[] = []
  for (let i = 0; i < PLUGINS; i++) {
    const bridge = { backoffMs: 10, maxRestarts: 1_000_000 }
    const { plugin, log } = await started(['good.mjs'], { id: `p${i}`, bridge })
    // The log would be the largest thing in memory.
    log.info = log.debug = log.warn = log.error = () => {}
    plugins.push(plugin)
  }
  const quiet = new RecordingLog()
  quiet.info = quiet.debug = quiet.warn = quiet.error = () => {}
  const app = new Toolware({ log: quiet })
  // One plugin a call: with all ten in a row, hardly any call would find all of them running.
  for (const [i, { hook }] of plugins.entries()) app.use(hook, { tools: [`tool-${i}`] })

  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', onUnhandled)

  const pids = new Set<number>()
  let kills = 0
  const killer = setInterval(() => {
    for (const plugin of plugins) pids.add(plugin.health().pid ?? 0)
    const { pid } = plugins[Math.floor(Math.random() * PLUGINS)]?.health() ?? {}
    if (pid === undefined) return
    try {
      process.kill(pid, 'SIGKILL')
      kills += 1
    } catch {
      // It is gone already, and the host is about to hear of it.
    }
  }, KILL_EVERY_MS)

  const runs = new Uint8Array(CALLS)
  const settled = new Uint8Array(CALLS)
  const counts: Record<string, number> = {}
  let next = 0
  let early = 0
  async function caller(): Promise<void> {
    while (next < CALLS) {
      const index = next++
      if (index === CALLS / 5) early = heapUsed()
      const toolName = `tool-${index % PLUGINS}`
      const params = { index, text: index % 7 === 0 ? 'forbidden' : 'fine' }
      const outcome: Outcome = await app.execute({ toolName, params }, () => {
        runs[index] = (runs[index] ?? 0) + 1
        return 'done'
      })
      settled[index] = (settled[index] ?? 0) + 1
      const kind = outcome.status === 'blocked' ? outcome.code : outcome.status
      counts[kind] = (counts[kind] ?? 0) + 1
      // A call that may not run must not have run, and one that completed ran once.
      if (outcome.status === 'completed' && runs[index] !== 1)
        throw new Error(`${index} did not run`)
      if (outcome.status === 'blocked' && runs[index] !== 0) throw new Error(`${index} ran`)
      if (params.text === 'forbidden' && outcome.status === 'completed') throw new Error('let pass')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, caller))
  const growth = heapUsed() - early
  clearInterval(killer)
  await Promise.all(plugins.map((plugin) => plugin.close()))
  await app.close()
  process.off('unhandledRejection', onUnhandled)

  expect(settled.every((times) => times === 1)).toBe(true)
  expect(Object.keys(counts).sort()).toEqual(['DENIED', 'PLUGIN_UNAVAILABLE', 'completed'])
  expect(counts.completed).toBeGreaterThan(CALLS / 100)
  expect(kills).toBeGreaterThan(3)
  expect(plugins.reduce((sum, plugin) => sum + plugin.health().restarts, 0)).toBeGreaterThan(0)
  expect(plugins.every((plugin) => plugin.health().pending === 0)).toBe(true)
  expect(unhandled).toEqual([])
  expect(growth).toBeLessThan(8 * 1024 * 1024)
  for (const pid of pids) expect(await isAlive(pid)).toBe(false)
}, 120_000)
