import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PluginsConfig } from '../../../lib/plugin/config.ts'
import { checkPluginConfig } from '../../../lib/plugin/config-schema.ts'
import { blockedCapabilities } from '../../../lib/plugin/manifest.ts'
import { Toolware } from '../../../lib/toolware.ts'
import type { ToolHook } from '../../../lib/types.ts'
import { fixture } from '../../helpers/bridge.ts'
import { quietLog } from '../../helpers/call.ts'
import { hookContext } from '../../helpers/hook-context.ts'
import { bundledHost, loadHost, namesOf } from '../../helpers/plugins.ts'
import { tempDir } from '../../helpers/temp.ts'

interface Case {
  readonly name: string
  readonly config: Record<string, unknown>
  readonly call: Record<string, unknown>
  readonly expect: Record<string, unknown>
}

const CASES = JSON.parse(
  readFileSync(new URL('../../cases/plugin-host.json', import.meta.url), 'utf8'),
) as Case[]

function files(content: Record<string, string>): string {
  const folder = tempDir()
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

async function load(content: Record<string, string>, config: PluginsConfig = {}) {
  const baseDir = files(content)
  const loaded = await loadHost({ baseDir, config: { load: { paths: ['.'] }, ...config } })
  return { ...loaded, baseDir }
}

const loaded = (host: { reports(): Array<{ id: string; state: string }> }): string[] =>
  host.reports().flatMap(({ id, state }) => (state === 'loaded' ? [id] : []))

/** How each case of the first seed's program is put to ours. */
const RUN: Record<string, (it: Case) => Promise<Record<string, unknown>>> = {
  async 'allow restricts'({ config, call }) {
    const plugins = (call['ids'] as string[]).map((id) => [`${id}.mjs`, 'export default () => {}'])
    const { host } = await load(
      Object.fromEntries(plugins) as Record<string, string>,
      config as PluginsConfig,
    )
    return { enabled: loaded(host) }
  },
  async 'entry disabled'(it) {
    return (await RUN['allow restricts']?.(it)) ?? {}
  },
  // There are no slots here: who must not load is named in `deny`.
  async 'slot none'() {
    const manifest = JSON.stringify({ id: 'mem-a', kind: 'memory', entry: 'index.mjs' })
    const content = { 'm/toolware.plugin.json': manifest, 'm/index.mjs': 'export default () => {}' }
    const { host } = await load(content, { deny: ['mem-a'] })
    return { enabled: loaded(host) }
  },
  async 'entry outside root'({ config }) {
    const { host } = await load({ 'p/package.json': JSON.stringify(config['package.json']) })
    return { plugins: loaded(host).length, code: host.diagnostics()[0]?.code }
  },
  async 'no entry file'({ config }) {
    const { host } = await load({ 'p/openclaw.plugin.json': JSON.stringify(config['manifest']) })
    return { plugins: loaded(host).length, code: host.diagnostics()[0]?.code }
  },
  async 'unsupported schema keyword'({ config }) {
    const manifest = JSON.stringify({ id: 'p', configSchema: config['configSchema'] })
    const { host } = await load({
      'p/openclaw.plugin.json': manifest,
      'p/index.mjs': 'export default () => {}',
    })
    expect(
      checkPluginConfig(config['configSchema'] as object as Record<string, unknown>),
    ).toHaveLength(1)
    return { loaded: loaded(host).length > 0, code: host.diagnostics()[0]?.code }
  },
  async 'bridge hooks under AOT'({ call }) {
    return {
      blocked: blockedCapabilities('restricted', 'process', call['capabilities'] as string[]),
    }
  },
  async 'native under AOT'({ call }) {
    return {
      blocked: blockedCapabilities('restricted', 'inline', call['capabilities'] as string[]),
    }
  },
  async 'anything under JIT'({ call }) {
    return { blocked: blockedCapabilities('full', 'inline', call['capabilities'] as string[]) }
  },
}

describe("cases of the first seed's plugin host", () => {
  it.each(CASES.map((it) => [it.name, it] as const))('%s', async (name, it) => {
    expect(await RUN[name]?.(it)).toEqual(it.expect)
  })
})

describe('plugins behind the bridge in the host', () => {
  const process = {
    'p/toolware.plugin.json': JSON.stringify({
      id: 'p',
      entry: 'index.mjs',
      runtime: 'process',
      eventSubscriptions: ['tool:before'],
    }),
    'p/index.mjs': `export default (api) => api.on('tool:before', (ctx) => ctx.toolName !== 'deploy')`,
  }

  it("loads also under mode 'restricted', judges calls, and ends with the host", async () => {
    const { host } = await load(
      { ...process, 'inline.mjs': "export default (api) => api.on('tool:before', () => false)" },
      { mode: 'restricted' },
    )
    expect(host.reports().map(({ id, kind, state }) => [id, kind, state])).toEqual([
      ['p', 'process', 'loaded'],
      ['inline', 'inline', 'refused'],
    ])
    expect(host.reports()[0]).toMatchObject({ events: ['tool:before'], health: { state: 'up' } })
    const app = new Toolware({ log: quietLog() }).use(host)
    expect(await app.execute({ toolName: 'read' }, () => 'x')).toMatchObject({
      status: 'completed',
    })
    expect(await app.execute({ toolName: 'deploy' }, () => 'x')).toMatchObject({
      status: 'blocked',
      by: 'plugin:p',
    })
    await app.close()
    expect(host.reports()[0]).toMatchObject({ health: { state: 'closed' } })
  })

  it('swaps the child on reload, and the hook in the pipeline stays', async () => {
    const { host } = await load(process)
    const [hook] = host.hooks()
    const health = () => host.reports()[0]?.health as { pid: number } | undefined
    const before = health()?.pid
    await host.reload('p')
    expect(health()?.pid).not.toBe(before)
    expect(host.hooks()[0]).toBe(hook)
  })

  it('starts another child when the manifest was edited, and ends the old one', async () => {
    const { host, baseDir } = await load(process)
    const old = host.hooks()[0] as ToolHook
    const manifest = JSON.parse(process['p/toolware.plugin.json']) as object
    writeFileSync(
      join(baseDir, 'p/toolware.plugin.json'),
      JSON.stringify({ ...manifest, version: '2', failOpen: [] }),
    )
    expect(await host.reload('p')).toMatchObject({ version: '2', health: { state: 'up' } })
    expect(host.hooks()[0]).not.toBe(old)
    expect(await old.check?.(hookContext())).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
  })

  it('stands between trusted policies and registerHook hooks, in load order with in-process plugin hooks', async () => {
    const { host } = await load({
      ...process,
      'a.mjs': "export default (api) => api.on('tool:before', () => true)",
      'z.mjs':
        "export default (api) => { api.registerHook({ name: 'own', check: () => true }); api.on('tool:before', () => true) }",
    })
    expect(namesOf(host.hooks())).toEqual(['plugin:a', 'plugin:p', 'plugin:z', 'own'])
  })

  it('goes behind the bridge when the operator says so, and denies while its program cannot start', async () => {
    const { host } = await load(
      { 'p.mjs': 'export default () => {}' },
      {
        entries: {
          p: { bridge: { command: ['/no/such/program'], maxRestarts: 0, stopTimeoutMs: 300 } },
        },
      },
    )
    expect(host.diagnostics()).toMatchObject([{ level: 'error', code: 'start_failed' }])
    const app = new Toolware({ log: quietLog() }).use(host)
    expect(await app.execute({ toolName: 'read' }, () => 'x')).toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      by: 'plugin:p',
    })
  })

  it('refuses a plugin whose config does not fit its schema, in both runtimes', async () => {
    const configSchema = {
      type: 'object',
      required: ['limit'],
      properties: { limit: { type: 'integer' } },
    }
    for (const runtime of ['inline', 'process']) {
      const manifest = JSON.stringify({ id: 'p', entry: 'index.mjs', runtime, configSchema })
      const { host } = await load(
        { 'p/toolware.plugin.json': manifest, 'p/index.mjs': 'export default () => {}' },
        { entries: { p: { config: { limit: 'many' } } } },
      )
      expect(host.reports()).toMatchObject([{ state: 'refused' }])
      expect(host.diagnostics()).toMatchObject([{ code: 'config_type_mismatch' }])
    }
  })

  it('takes a program that is the bridge itself', async () => {
    const { host } = await load(
      { 'p.mjs': 'export default () => {}' },
      {
        entries: { p: { bridge: { command: ['node', fixture('good.mjs')], stopTimeoutMs: 300 } } },
      },
    )
    const app = new Toolware({ log: quietLog() }).use(host)
    expect(await app.execute({ toolName: 'deploy' }, () => 'x')).toMatchObject({
      reason: expect.stringContaining('not on Fridays'),
    })
  })
})

describe('many calls, many plugins', () => {
  it('keeps 1 000 parallel calls apart', async () => {
    const { host } = await bundledHost(
      (api) =>
        api.on('before_tool_call', async ({ params }) => {
          await Promise.resolve()
          return Number(params['n']) % 3 === 0
            ? { block: true, blockReason: `no ${params['n']}` }
            : undefined
        }),
      (api) =>
        api.on('before_tool_call', ({ params }) => ({
          params: { twice: Number(params['n']) * 2 },
        })),
    )
    const app = new Toolware({ log: quietLog() }).use(host)
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, (_, n) =>
        app.execute({ toolName: 't', params: { n } }, async (params) => params),
      ),
    )
    outcomes.forEach((outcome, n) => {
      expect(outcome).toMatchObject(
        n % 3 === 0 ? { status: 'blocked', reason: `no ${n}` } : { result: { n, twice: n * 2 } },
      )
    })
  })
})
