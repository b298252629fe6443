import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBridgedPlugin } from '../../../../lib/plugin/bridge/create.ts'
import { implicitManifest } from '../../../../lib/plugin/manifest.ts'
import type { Logger } from '../../../../lib/types.ts'
import { fixture, judge, started, until } from '../../../helpers/bridge.ts'

let unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => unhandled.push(reason)
beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', onUnhandled)
  process.on('uncaughtException', onUnhandled)
})
afterEach(() => {
  process.off('unhandledRejection', onUnhandled)
  process.off('uncaughtException', onUnhandled)
})

describe('a child that closes its input while 5 MB are on their way', () => {
  it('rejects nothing and throws nothing; the call is denied', async () => {
    const { plugin } = await started(['closes-input.mjs'], { bridge: { maxRestarts: 0 } })
    const argumentsJson = JSON.stringify({ text: 'x'.repeat(5_000_000) })
    expect(await judge(plugin, { argumentsJson })).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
    expect(unhandled).toEqual([])
  })
})

describe('a log that throws', () => {
  it('gives up quietly: the plugin is judged, restarted and closed all the same', async () => {
    const broken = () => {
      throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
    }
    const log: Logger = { debug: broken, info: broken, warn: broken, error: broken }
    const entryPath = fixture('good.mjs')
    const plugin = createBridgedPlugin({
      manifest: { ...implicitManifest(entryPath), id: 'p' },
      entryPath,
      entry: { bridge: { command: ['node', fixture('noisy.mjs')], backoffMs: 20 } },
      log,
    })
    await plugin.start()
    expect(await judge(plugin)).toBeNull()
    process.kill(plugin.health().pid ?? 0, 'SIGKILL')
    await until(() => plugin.health().restarts === 1 && plugin.health().state === 'up')
    expect(await judge(plugin)).toBeNull()
    await plugin.close()
    expect(unhandled).toEqual([])
  })
})
