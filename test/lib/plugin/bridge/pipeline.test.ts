import { spawn } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PluginsConfig } from '../../../../lib/plugin/config.ts'
import { PluginHost } from '../../../../lib/plugin/host.ts'
import { Toolware } from '../../../../lib/toolware.ts'
import { rewrite } from '../../../../lib/verdict.ts'
import { fixture, RecordingLog, started, until } from '../../../helpers/bridge.ts'
import { jitiLoader } from '../../../helpers/loader.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolware-pipeline-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A plugin's folder with our manifest. */
function pluginFolder(id: string, entry: string, manifest: object = {}): string {
  const path = join(folder, id)
  mkdirSync(path)
  cpSync(fixture(`entries/${entry}`), join(path, 'index.mjs'))
  const own = { id, entry: 'index.mjs', runtime: 'process', eventSubscriptions: ['tool:*'] }
  writeFileSync(join(path, 'toolware.plugin.json'), JSON.stringify({ ...own, ...manifest }))
  return path
}

async function using(
  config: PluginsConfig,
  run: (app: Toolware, host: PluginHost, log: RecordingLog) => Promise<void>,
): Promise<void> {
  const log = new RecordingLog()
  const host = new PluginHost({ config, log, baseDir: folder })
  const app = new Toolware({ log })
  try {
    await host.load()
    for (const hook of host.hooks()) app.use(hook)
    await run(app, host, log)
  } finally {
    await app.close()
    await host.close()
  }
}

const PATIENT = { startTimeoutMs: 60_000 }
const tool = () => 'done'

describe('a bridged plugin in a pipeline', () => {
  it('denies by its name, and what it denies does not run', async () => {
    const paths = [pluginFolder('wild', 'wildcard.mjs')]
    await using({ load: { paths }, entries: { wild: { bridge: PATIENT } } }, async (app, host) => {
      expect(host.hooks().map(({ name }) => name)).toEqual(['plugin:wild'])
      expect(await app.execute({ toolName: 'deploy' }, tool)).toMatchObject({
        status: 'blocked',
        code: 'DENIED',
        by: 'plugin:wild',
        executed: false,
        text: 'Tool execution denied by hook: plugin:wild',
      })
      expect(await app.execute({ toolName: 'other' }, tool)).toMatchObject({ status: 'completed' })
      expect(host.reports()).toMatchObject([
        { id: 'wild', state: 'loaded', kind: 'process', health: { state: 'up' } },
      ])
    })
  })

  it('may run where mode is restricted, which in-process plugins may not', async () => {
    const paths = [
      pluginFolder('bridged', 'wildcard.mjs'),
      pluginFolder('inline', 'wildcard.mjs', { runtime: 'inline' }),
    ]
    const config: PluginsConfig = {
      mode: 'restricted',
      load: { paths },
      entries: { bridged: { bridge: PATIENT } },
    }
    await using(config, async (_, host) => {
      expect(host.hooks().map(({ name }) => name)).toEqual(['plugin:bridged'])
      expect(host.diagnostics().map(({ pluginId, code }) => [pluginId, code])).toEqual([
        ['inline', 'mode_restricted'],
      ])
    })
  })

  it('with config that its schema refuses is not started', async () => {
    const configSchema = { type: 'object', required: ['limit'] }
    const paths = [pluginFolder('strict', 'wildcard.mjs', { configSchema })]
    await using({ load: { paths } }, async (_, host) => {
      expect(host.hooks()).toEqual([])
      expect(host.diagnostics()).toMatchObject([{ code: 'config_required_missing' }])
    })
  })

  it('with settings that cannot be meant is refused before anything starts', () => {
    const entries = { guard: { bridge: { beforeTimeoutMs: 0 } } }
    expect(() => new PluginHost({ config: { entries } })).toThrow(
      'plugins.entries.guard.bridge.beforeTimeoutMs: must be a whole number, 1 or more; got 0',
    )
  })

  it('that cannot be started denies every call', async () => {
    const paths = [pluginFolder('broken', 'throws.mjs')]
    await using(
      { load: { paths }, entries: { broken: { bridge: PATIENT } } },
      async (app, host) => {
        expect(await app.execute({ toolName: 'other' }, tool)).toMatchObject({
          status: 'blocked',
          code: 'PLUGIN_UNAVAILABLE',
          by: 'plugin:broken',
        })
        expect(host.diagnostics()).toMatchObject([
          { code: 'start_failed', message: expect.stringContaining('no licence') },
        ])
      },
    )
  })

  it("is driven through a bridge of the first seed's host when its entry says so", async () => {
    const path = join(folder, 'theirs')
    mkdirSync(path)
    cpSync(fixture('entries/their-policy.mjs'), join(path, 'index.mjs'))
    writeFileSync(join(path, 'openclaw.plugin.json'), JSON.stringify({ id: 'theirs' }))
    cpSync(fixture('openclaw-net-bridge.mjs'), join(folder, 'their-bridge.mjs'))
    const command = ['node', 'their-bridge.mjs']
    const config: PluginsConfig = {
      load: { paths: ['theirs'] },
      entries: {
        theirs: {
          config: { denied: 'shell' },
          bridge: { command, dialect: 'openclaw-net', ...PATIENT },
        },
      },
    }
    await using(config, async (app) => {
      const statusOf = async (toolName: string) => (await app.execute({ toolName }, tool)).status
      expect([await statusOf('shell'), await statusOf('read_file')]).toEqual([
        'blocked',
        'completed',
      ])
    })
  })

  it('is asked again about params that changed after it answered', async () => {
    const { plugin } = await started(['good.mjs'])
    const app = new Toolware({ log: new RecordingLog() })
    app.use(plugin.hook)
    app.use({ name: 'changes', before: () => rewrite({ path: 'forbidden' }) })
    expect(await app.execute({ toolName: 'read_file', params: { path: 'a' } }, tool)).toMatchObject(
      {
        status: 'blocked',
        by: 'plugin:p',
        reason: 'not on Fridays',
      },
    )
    await app.close()
  })

  it('that hangs lets the call go on, and blocks it with failOpen: []', async () => {
    const bridge = { beforeTimeoutMs: 300 }
    const outcomes = []
    for (const failOpen of [undefined, []]) {
      const { plugin } = await started(['silent.mjs'], { bridge, failOpen })
      const app = new Toolware({ log: new RecordingLog(), beforeTimeoutMs: 50 }).use(plugin.hook)
      const { status, ...rest } = await app.execute({ toolName: 'a' }, tool)
      outcomes.push([status, 'code' in rest ? rest.code : undefined])
      await app.close()
    }
    expect(outcomes).toEqual([
      ['completed', undefined],
      ['blocked', 'HOOK_TIMEOUT'],
    ])
  })

  it('whose handler fails blocks the call, unless failOpen names errors', async () => {
    const text = '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":"boom"}}\n'
    const outcomes = []
    for (const failOpen of [undefined, ['error'] as const]) {
      const { plugin } = await started(['says.mjs', text], { failOpen })
      const app = new Toolware({ log: new RecordingLog() }).use(plugin.hook)
      outcomes.push(await app.execute({ toolName: 'a' }, tool))
      await app.close()
    }
    expect(outcomes).toMatchObject([
      { status: 'blocked', code: 'HOOK_FAILED', by: 'plugin:p' },
      { status: 'completed' },
    ])
  })

  it('never fails open for an answer outside the protocol', async () => {
    const text = '{"jsonrpc":"2.0","id":$ID,"result":{"allow":"yes"}}\n'
    const { plugin } = await started(['says.mjs', text], { failOpen: ['error', 'timeout'] })
    const app = new Toolware({ log: new RecordingLog() }).use(plugin.hook)
    expect(await app.execute({ toolName: 'a' }, tool)).toMatchObject({
      status: 'blocked',
      code: 'PLUGIN_BAD_ANSWER',
    })
    await app.close()
  })
})

describe('the caller giving up while a bridged plugin is thinking', () => {
  it('ends the call as aborted, and leaves no listener on a signal that many calls share', async () => {
    const { plugin } = await started(['silent.mjs'])
    const log = new RecordingLog()
    const app = new Toolware({ log }).use(plugin.hook)
    const { signal, abort } = sessionSignal()
    let ran = 0
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    const calls = Array.from({ length: 50 }, () =>
      app.execute({ toolName: 'a', signal }, () => {
        ran += 1
      }),
    )
    await until(() => plugin.health().pending === 50)
    // Long enough for the bridge to listen by itself.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    abort()
    const outcomes = await Promise.all(calls)
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['aborted']))
    expect(ran).toBe(0)
    await until(() => plugin.health().pending === 0)
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warn)
    expect(warnings).toEqual([])
    expect(plugin.health().timeouts).toBe(0)
    await app.close()
  })

  it('lets the process end at once', async () => {
    const program = fileURLToPath(new URL('../../../helpers/abort-process.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      ['--import', jitiLoader, program, fixture('silent.mjs')],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect(code).toBe(0)
    const [status, ms] = said.trim().split(' ')
    expect(status).toBe('aborted')
    // The plugin had an hour to answer.
    expect(Number(ms)).toBeLessThan(20_000)
    // The program is transpiled first, which a busy machine takes long for.
  }, 90_000)
})

function sessionSignal(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
