import { describe, expect, it } from 'vitest'
import type { BridgedPlugin } from '../../../../lib/plugin/bridge/bridged-plugin.ts'
import { createBridgedPlugin } from '../../../../lib/plugin/bridge/create.ts'
import { implicitManifest } from '../../../../lib/plugin/manifest.ts'
import {
  completed,
  context,
  fixture,
  isAlive,
  judge,
  RecordingLog,
  until,
} from '../../../helpers/bridge.ts'

function theirs(...options: string[]): { plugin: BridgedPlugin; log: RecordingLog } {
  const log = new RecordingLog()
  const entryPath = fixture('entries/their-policy.mjs')
  const plugin = createBridgedPlugin({
    manifest: { ...implicitManifest(entryPath), id: 'p' },
    entryPath,
    entry: {
      config: { denied: 'shell' },
      bridge: {
        command: ['node', '../openclaw-net-bridge.mjs', ...options],
        dialect: 'openclaw-net',
        startTimeoutMs: 60_000,
      },
    },
    log,
  })
  return { plugin, log }
}

describe.each([
  ['camelCase', []],
  ['PascalCase', ['pascal']],
])("a bridge of the first seed's host, answering in %s", (_, options) => {
  it('is started as the bridge of a plugin, judges, hears of results, and leaves when told', async () => {
    const { plugin, log } = theirs(...options)
    await plugin.start()
    const { pid = 0, eventSubscriptions } = plugin.health()
    expect(eventSubscriptions).toEqual(['tool:before', 'tool:*', 'tool:after'])
    expect(await judge(plugin, { toolName: 'shell' })).toMatchObject({ kind: 'deny' })
    expect(await judge(plugin, { toolName: 'read_file' })).toBeNull()
    plugin.hook.after?.(context({ toolName: 'read_file' }), completed('text'))
    await log.line(({ message }) => message === 'read_file took 12.5 ms: text false')
    await plugin.close()
    expect(await isAlive(pid)).toBe(false)
    expect(plugin.health()).toMatchObject({ late: 0, noise: 0, badAnswers: 0, timeouts: 0 })
  })

  it('hears of tool:* by that name, since it looks handlers up by exact names', async () => {
    const { plugin } = theirs(...options)
    await plugin.start()
    expect(await judge(plugin, { params: { path: 'secret' } })).toMatchObject({ kind: 'deny' })
    await plugin.close()
  })
})

describe('the wire of that dialect', () => {
  it('has text ids and no version', async () => {
    const program = `
      process.stdin.once('data', (line) => {
        process.stderr.write(line)
        const { id } = JSON.parse(line)
        process.stdout.write(JSON.stringify({ id, result: { eventSubscriptions: [] } }) + '\\n')
      }).on('end', () => process.exit(0))`
    const log = new RecordingLog()
    const entryPath = fixture('good.mjs')
    const plugin = createBridgedPlugin({
      manifest: { ...implicitManifest(entryPath), id: 'p' },
      entryPath,
      entry: {
        config: { a: 1 },
        bridge: { command: ['node', '-e', program], dialect: 'openclaw-net' },
      },
      log,
    })
    await plugin.start()
    await until(() => plugin.health().stderrLines.length > 0)
    expect(JSON.parse(plugin.health().stderrLines[0] ?? '')).toEqual({
      method: 'init',
      id: '1',
      params: { entryPath, pluginId: 'p', config: { a: 1 }, transport: { mode: 'stdio' } },
    })
    expect(await judge(plugin)).toBeNull()
    await plugin.close()
  })
})
