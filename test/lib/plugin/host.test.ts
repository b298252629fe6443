import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { PluginsConfig } from '../../../lib/plugin/config.ts'
import { PluginHost } from '../../../lib/plugin/host.ts'
import { definePlugin, definePluginEntry } from '../../../lib/plugin/sdk.ts'
import { Toolware } from '../../../lib/toolware.ts'
import { parseConfig } from '../../../middleware/config.ts'
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'
import { askRing, deferred, definitions, loadHost, namesOf } from '../../helpers/plugins.ts'
import { tempDir } from '../../helpers/temp.ts'

const BLOCKS = (reason: string): string =>
  `export default { id: 'p', register(api) { api.on('before_tool_call', () => ({ block: true, blockReason: '${reason}' })) } }`

function files(content: Record<string, string>): string {
  const folder = tempDir()
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

async function loadFiles(content: Record<string, string>, config: PluginsConfig = {}) {
  const baseDir = files(content)
  const loaded = await loadHost({ baseDir, config: { load: { paths: ['.'] }, ...config } })
  return { ...loaded, baseDir }
}

const states = (host: PluginHost) =>
  Object.fromEntries(
    host
      .reports()
      .map(({ id, state, diagnostics }) => [id, [state, ...diagnostics.map(({ code }) => code)]]),
  )

describe('loading plugin files', () => {
  it.each([
    [
      'definePluginEntry',
      "import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry'\nexport default definePluginEntry({ id: 'p', register(api) { api.on('tool:before', () => true) } })",
    ],
    [
      'definePlugin',
      "import { definePlugin } from 'toolware/plugin'\nexport default definePlugin({ id: 'p', register(api) { api.on('tool:before', () => true) } })",
    ],
    ['register', "export default { id: 'p', register(api) { api.on('tool:before', () => true) } }"],
    ['activate', "export default { id: 'p', activate(api) { api.on('tool:before', () => true) } }"],
    ['a function', "export default (api) => api.on('tool:before', () => true)"],
    [
      'a named register',
      "export const id = 'p'; export const register = (api) => api.on('tool:before', () => true)",
    ],
    [
      'the words of toolware',
      "import { deny } from 'toolware'\nexport default (api) => api.registerHook({ name: 'plugin:p', check: () => deny('no') })",
    ],
  ])('takes %s', async (_what, code) => {
    const { host } = await loadFiles({ 'p.mjs': code })
    expect(host.diagnostics()).toEqual([])
    expect(namesOf(host.hooks())).toEqual(['plugin:p'])
  })

  it('takes CommonJS, and TypeScript with its imports', async () => {
    const { host } = await loadFiles(
      {
        'c.cjs':
          "const { definePluginEntry } = require('openclaw/plugin-sdk/plugin-entry')\nmodule.exports = definePluginEntry({ id: 'c', register() {} })",
        'f.cjs': 'module.exports = (api) => { api.logger.info("hi") }',
        't.ts':
          "import { word } from './lib/word.ts'\nexport default function (api: { on(e: string, h: () => unknown): void }): void { api.on('before_tool_call', () => ({ block: true, blockReason: word })) }",
        'lib/word.ts': "export const word: string = 'typed'",
      },
      { load: { paths: ['c.cjs', 'f.cjs', 't.ts'] } },
    )
    expect(host.diagnostics()).toEqual([])
    expect(await askRing(host, hookContext())).toMatchObject({ reason: 'typed' })
  })

  it('reports every plugin that is wrong and stops nobody else', async () => {
    const { host, lines } = await loadFiles({
      'a-syntax.mjs': 'export default {',
      'b-throws.mjs': "throw new Error('at load')",
      'c-nothing.mjs': 'export const x = 1',
      'd-id.mjs': "export default { id: 'other', register() {} }",
      'e-register.mjs': "export default () => { throw new Error('at register') }",
      'f-event.mjs': "export default (api) => api.on('tool:befor', () => true)",
      'g-import.mjs': "import 'no-such-package-at-all'",
      'p.mjs': BLOCKS('fine'),
    })
    expect(states(host)).toEqual({
      'a-syntax': ['refused', 'load_failed'],
      'b-throws': ['refused', 'load_failed'],
      'c-nothing': ['refused', 'invalid_plugin_export'],
      'd-id': ['refused', 'id_mismatch'],
      'e-register': ['refused', 'register_failed'],
      'f-event': ['refused', 'register_failed'],
      'g-import': ['refused', 'load_failed'],
      p: ['loaded'],
    })
    expect(await askRing(host, hookContext())).toMatchObject({ reason: 'fine' })
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(7)
    expect(host.diagnostics()[0]?.path).toContain('a-syntax.mjs')
  })

  it('is no source of hooks, and writes nothing, before it is loaded and after that failed', async () => {
    const baseDir = files({ 'a.mjs': '}', 'p.mjs': BLOCKS('x') })
    const config = { load: { paths: ['.'] }, strict: true }
    const { log } = recordingLogger()
    const host = new PluginHost({ baseDir, config, log })
    const app = new Toolware({ log }).use(host)
    const uses = [
      () => host.hooks(),
      () => host.persistToolResult({ content: 'secret' }),
      () => host.writeMessage({ content: 'secret' }),
    ]
    const refused = expect.objectContaining({ code: 'CONFIG' })
    for (const use of uses) expect(use).toThrow(refused)
    // A pipeline that looks while the host is at it has nothing to keep.
    const looks: Array<Promise<unknown>> = []
    host.onChange(() => looks.push(app.execute({ toolName: 'x' }, () => 1)))
    await expect(host.load()).rejects.toEqual(refused)
    await Promise.allSettled(looks)
    for (const use of uses) expect(use).toThrow(refused)
    await expect(app.execute({ toolName: 'x' }, () => 1)).rejects.toEqual(refused)
  })

  it('makes errors fatal under strict, all of them in one message', async () => {
    const baseDir = files({ 'a.mjs': 'export const x = 1', 'b.mjs': '}' })
    const host = new PluginHost({
      baseDir,
      config: { load: { paths: ['.'] }, strict: true },
      log: quiet(),
    })
    await expect(host.load()).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(
        /^plugins\.strict: a: invalid_plugin_export: .*; b: load_failed: /s,
      ),
    })
  })

  it('does not make a switched-off plugin or a warning fatal', async () => {
    const { host } = await loadFiles(
      { 'off.mjs': '}', 'warns.mjs': "export default (api) => api.on('agent_end', () => {})" },
      { strict: true, deny: ['off'] },
    )
    expect(states(host)).toEqual({
      off: ['off', 'operator_blocked'],
      warns: ['loaded', 'event_never_fires'],
    })
  })
})

describe('allow, deny and entries (rule 104)', () => {
  const all = { 'alpha.mjs': 'export default () => {}', 'beta.mjs': 'export default () => {}' }

  it.each([
    [{ allow: ['alpha'] }, ['alpha']],
    [{ allow: [] }, ['alpha', 'beta']],
    [{ deny: ['alpha'] }, ['beta']],
    [{ allow: ['alpha'], deny: ['alpha'] }, []],
    [{ deny: ['alpha'], entries: { alpha: { enabled: true } } }, ['beta']],
    [{ entries: { alpha: { enabled: false } } }, ['beta']],
    [{ allow: ['ALPHA'] }, []],
    [{}, ['alpha', 'beta']],
  ] satisfies Array<[PluginsConfig, string[]]>)('%j leaves %j', async (config, expected) => {
    const { host } = await loadFiles(all, config)
    const loaded = host.reports().filter(({ state }) => state === 'loaded')
    expect(loaded.map(({ id }) => id)).toEqual(expected)
    expect(host.reports()).toHaveLength(2)
  })

  it('goes for bundled plugins, too, and their ids cannot be taken', async () => {
    const baseDir = files({ 'a.mjs': BLOCKS('impostor') })
    const { host } = await loadHost({
      baseDir,
      config: { load: { paths: ['.'] }, deny: ['b'] },
      bundled: definitions([() => {}, () => {}]),
    })
    expect(host.reports().map(({ id, state, kind }) => [id, state, kind])).toEqual([
      ['a', 'loaded', 'bundled'],
      ['a', 'refused', undefined],
      ['b', 'off', 'bundled'],
    ])
  })
})

describe("mode 'restricted'", () => {
  it('keeps in-process plugins out and says why', async () => {
    const { host } = await loadFiles({ 'p.mjs': BLOCKS('x') }, { mode: 'restricted' })
    expect(states(host)).toEqual({ p: ['refused', 'mode_restricted'] })
    expect(host.hooks()).toEqual([])
  })
})

describe('what a manifest declares', () => {
  const plugin = (manifest: object, body: string) => ({
    'p/toolware.plugin.json': JSON.stringify({ id: 'p', entry: 'index.mjs', ...manifest }),
    'p/index.mjs': `export default (api) => { ${body} }`,
  })

  it.each([
    [{ eventSubscriptions: ['tool:*'] }, "api.on('tool:before', () => true)", ['loaded']],
    [
      { eventSubscriptions: ['before_tool_call'] },
      "api.on('before_tool_call', () => {})",
      ['loaded'],
    ],
    [
      { eventSubscriptions: ['tool:after'] },
      "api.on('tool:before', () => true)",
      ['refused', 'undeclared_registration', 'register_failed'],
    ],
    [{}, "api.on('before_tool_call', () => {})", ['loaded']],
    [
      { eventSubscriptions: [] },
      "api.on('before_tool_call', () => {})",
      ['refused', 'undeclared_registration', 'register_failed'],
    ],
    [{ capabilities: ['hooks'] }, "api.registerHook({ name: 'x', check: () => true })", ['loaded']],
    [
      { capabilities: [' Commands '] },
      "api.registerHook({ name: 'x', check: () => true })",
      ['refused', 'undeclared_registration', 'register_failed'],
    ],
    [
      { capabilities: ['hooks'] },
      "api.registerCommand({ name: 'x', description: '', handler() {} })",
      ['refused', 'undeclared_registration', 'register_failed'],
    ],
  ])('%j and %s: %j', async (manifest, body, expected) => {
    const { host } = await loadFiles(plugin(manifest, body))
    expect(states(host)).toEqual({ p: expected })
  })
})

describe('host.hooks()', () => {
  it('is refused before load(), since a pipeline without its gates would be open', () => {
    expect(() => new PluginHost({ log: quiet() }).hooks()).toThrow(/await host\.load\(\)/)
  })

  it('gives trusted policies, plugin:<id>, registerHook hooks and the ring, in this order', async () => {
    const everything = (
      api: Parameters<ReturnType<typeof definitions>[0]['register'] & object>[0],
    ) => {
      api.on('before_tool_call', () => {})
      api.registerHook({ name: `own of ${api.id}`, check: () => true })
      api.on('tool:before', () => true)
      api.registerTrustedToolPolicy({ id: 'p', description: 'd', evaluate: () => undefined })
    }
    const { host } = await loadHost({ bundled: definitions([everything, everything]) })
    expect(namesOf(host.hooks())).toEqual([
      'policy:a/p',
      'policy:b/p',
      'plugin:a',
      'plugin:b',
      'own of a',
      'own of b',
      'before_tool_call',
    ])
    expect(host.hooks()).toBe(host.hooks())
  })

  it('loads once', async () => {
    const register = vi.fn()
    const { host } = await loadHost({ bundled: definitions([register]) })
    await Promise.all([host.load(), host.load()])
    expect(register).toHaveBeenCalledTimes(1)
  })
})

describe('host.reload() (rule 105)', () => {
  it('swaps an edited plugin in one step and tells; hooks in use stay what they were (O13)', async () => {
    const { host, baseDir } = await loadFiles({
      'p.mjs': BLOCKS('old'),
      'q.mjs': 'export default () => {}',
    })
    const before = host.hooks()
    const changed = vi.fn()
    const stop = host.onChange(changed)
    writeFileSync(join(baseDir, 'p.mjs'), BLOCKS('new'))
    expect(await host.reload('p')).toMatchObject({ id: 'p', state: 'loaded' })
    expect(changed).toHaveBeenCalledTimes(1)
    expect(host.hooks()).not.toBe(before)
    expect(await askRing(host, hookContext())).toMatchObject({ reason: 'new' })
    const old = before[0] as { before(ctx: unknown): unknown }
    expect(old.before(hookContext())).toMatchObject({ reason: 'old' })
    expect(host.reports().map(({ id }) => id)).toEqual(['p', 'q'])
    stop()
    await host.reload('p')
    expect(changed).toHaveBeenCalledTimes(1)
  })

  it('sees edited files that the plugin imports', async () => {
    const { host, baseDir } = await loadFiles(
      {
        'p.ts':
          "import { reason } from './lib/reason.ts'\nexport default (api: any) => api.on('before_tool_call', () => ({ block: true, blockReason: reason }))",
        'lib/reason.ts': "export const reason = 'old'",
      },
      { load: { paths: ['p.ts'] } },
    )
    writeFileSync(join(baseDir, 'lib/reason.ts'), "export const reason = 'new'")
    await host.reload('p')
    expect(await askRing(host, hookContext())).toMatchObject({ reason: 'new' })
  })

  it('keeps the old instance when the new one cannot be loaded', async () => {
    const { host, baseDir } = await loadFiles({ 'p.mjs': BLOCKS('old') })
    const hooks = host.hooks()
    writeFileSync(join(baseDir, 'p.mjs'), 'export default {')
    await expect(host.reload('p')).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(
        /^plugins: cannot reload 'p': cannot be loaded: .*the instance before it stays in service$/s,
      ),
    })
    expect(host.hooks()).toBe(hooks)
    expect(await askRing(host, hookContext())).toMatchObject({ reason: 'old' })
  })

  it('says which plugins there are when asked for another', async () => {
    const { host } = await loadFiles({ 'p.mjs': BLOCKS('x') })
    await expect(host.reload('q')).rejects.toThrow(
      "cannot reload 'q': there is no plugin 'q'; known are p",
    )
  })

  it('takes a plugin that was broken or not there before', async () => {
    const { host, baseDir } = await loadFiles({ 'p.mjs': '}' })
    writeFileSync(join(baseDir, 'p.mjs'), BLOCKS('mended'))
    writeFileSync(join(baseDir, 'q.mjs'), 'export default () => {}')
    await host.reload('p')
    await host.reload('q')
    expect(states(host)).toEqual({ p: ['loaded'], q: ['loaded'] })
  })

  it('does not load what the operator keeps out', async () => {
    const { host } = await loadFiles({ 'p.mjs': BLOCKS('x') }, { deny: ['p'] })
    await expect(host.reload('p')).rejects.toThrow('plugins.deny names it')
  })

  it('takes reloads one after another', async () => {
    const { host, baseDir } = await loadFiles({ 'p.mjs': BLOCKS('one') })
    const first = host.reload('p')
    writeFileSync(join(baseDir, 'p.mjs'), BLOCKS('two'))
    await Promise.all([first, host.reload('p')])
    expect(await askRing(host, hookContext())).toMatchObject({ reason: 'two' })
  })

  it('survives a listener that throws', async () => {
    const { host, lines } = await loadFiles({ 'p.mjs': BLOCKS('x') })
    const other = vi.fn()
    host.onChange(() => {
      throw new Error('boom')
    })
    host.onChange(other)
    await host.reload('p')
    expect(other).toHaveBeenCalledTimes(1)
    expect(lines.some(({ message }) => message.includes('onChange'))).toBe(true)
  })

  it('closes the hooks that plugins registered, those of replaced instances too, when the host closes', async () => {
    const closed: string[] = []
    let version = 0
    const { host, lines } = await loadHost({
      bundled: [
        {
          id: 'a',
          register(api) {
            const own = `v${++version}`
            api.registerHook({ name: own, check: () => true, close: () => void closed.push(own) })
            api.registerHook({
              name: 'bad',
              check: () => true,
              close: () => Promise.reject(new Error('boom')),
            })
          },
        },
      ],
    })
    await host.reload('a')
    expect(closed).toEqual([])
    await host.close()
    expect(closed).toEqual(['v1', 'v2'])
    const failed = { message: 'close() of hook bad of plugin a failed', fields: { err: 'boom' } }
    expect(lines).toMatchObject([failed, failed])
  })

  it('leaves no process running when it is closed while it loads', async () => {
    const baseDir = files({
      'p/toolware.plugin.json':
        '{ "id": "p", "entry": "p.mjs", "runtime": "process", "eventSubscriptions": ["tool:before"] }',
      'p/p.mjs': "export default (api) => api.on('tool:before', () => true)",
      'q.mjs': 'export default () => globalThis.passGate()',
      'r.mjs': 'export default () => {}',
    })
    const [reached, gate] = [deferred(), deferred()]
    vi.stubGlobal('passGate', () => {
      reached.resolve()
      return gate.promise
    })
    const config = { load: { paths: ['p', 'q.mjs', 'r.mjs'] } }
    const host = new PluginHost({ baseDir, config })
    const loading = host.load()
    await reached.promise
    const closing = host.close()
    gate.resolve()
    await expect(loading).rejects.toThrow('plugins: the host was closed; make another one')
    await closing
    vi.unstubAllGlobals()
    const states = host.reports().map(({ id, health }) => [id, health?.state, health?.pid])
    expect(states).toEqual([
      ['p', 'closed', undefined],
      ['q', undefined, undefined],
    ])
  })

  it('is over after close()', async () => {
    const { host } = await loadFiles({ 'p.mjs': BLOCKS('x') })
    await host.close()
    await host.close()
    await expect(host.reload('p')).rejects.toThrow('after close()')
  })
})

describe('a plugin file that never ends loading', () => {
  afterEach(() => vi.useRealTimers())

  it('is refused after 15 s, and stops nobody else', async () => {
    const baseDir = files({
      'p.mjs': 'await new Promise(() => {})\nexport default () => {}',
      'q.mjs': 'export default () => {}',
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const loading = loadHost({ baseDir, config: { load: { paths: ['p.mjs', 'q.mjs'] } } })
    await vi.waitUntil(() => vi.getTimerCount() > 0)
    await vi.advanceTimersByTimeAsync(15_000)
    const { host } = await loading
    expect(states(host)).toEqual({ p: ['refused', 'load_failed'], q: ['loaded'] })
    expect(host.diagnostics()[0]?.message).toBe('cannot be loaded: timed out after 15000ms')
  })
})

describe('watch (rule 105: better)', () => {
  it('loads a plugin that was refused, once its file is mended', async () => {
    const { host, baseDir } = await loadFiles({ 'p.mjs': '}' }, { watch: true })
    expect(states(host)).toEqual({ p: ['refused', 'load_failed'] })
    const changed = new Promise<void>((resolve) => host.onChange(resolve))
    writeFileSync(join(baseDir, 'p.mjs'), BLOCKS('mended'))
    await changed
    expect(await askRing(host, hookContext())).toMatchObject({ reason: 'mended' })
  })

  it('reloads a plugin whose file was replaced', async () => {
    const { host, baseDir } = await loadFiles({ 'p.mjs': BLOCKS('old') }, { watch: true })
    const changed = new Promise<void>((resolve) => host.onChange(resolve))
    writeFileSync(join(baseDir, 'p.mjs'), BLOCKS('new'))
    await changed
    expect(await askRing(host, hookContext())).toMatchObject({ reason: 'new' })
  })
})

describe('the configuration of the host', () => {
  it.each<[object, string | RegExp]>([
    [{ mode: 'aot' }, 'plugins.mode: must be one of full, restricted; got "aot"'],
    [{ load: { paths: 'x' } }, 'plugins.load.paths: must be a list; got "x"'],
    [{ allow: [''] }, 'plugins.allow[0]: must not be empty; got ""'],
    [{ allow: [' '] }, 'plugins.allow[0]: must not be blank; got " "'],
    [{ deny: [3] }, 'plugins.deny[0]: must be a text; got 3'],
    [
      { entries: { p: { enabled: 'yes' } } },
      'plugins.entries.p.enabled: must be true or false; got "yes"',
    ],
    [
      { entries: { p: { failOpen: ['always'] } } },
      'plugins.entries.p.failOpen[0]: must be one of error, timeout; got "always"',
    ],
    [
      { entries: { p: { hooks: { timeoutMs: 0 } } } },
      'plugins.entries.p.hooks.timeoutMs: must be a whole number, from 1 to 600000; got 0',
    ],
    [
      { entries: { p: { hooks: { timeouts: { before_tool_call: 600_001 } } } } },
      'plugins.entries.p.hooks.timeouts.before_tool_call: must be a whole number, from 1 to 600000; got 600001',
    ],
    [
      { entries: { p: { hooks: { timeouts: { 'tool:before': 1.5 } } } } },
      'plugins.entries.p.hooks.timeouts["tool:before"]: must be a whole number, from 1 to 600000; got 1.5',
    ],
    [
      { entries: { p: { hooks: { timeouts: { 'tool:befor': 5 } } } } },
      'plugins.entries.p.hooks.timeouts["tool:befor"]: there is no such key; did you mean tool:before?',
    ],
    [
      { entries: { p: { hooks: { timeouts: { zzz: 5 } } } } },
      /^plugins\.entries\.p\.hooks\.timeouts\.zzz: there is no such key; known here are tool:before, .* and \d+ more$/,
    ],
    [{ entrys: {} }, 'plugins.entrys: there is no such key; did you mean entries?'],
    [{ load: { path: [] } }, 'plugins.load.path: there is no such key; did you mean paths?'],
    [
      { entries: { p: { enable: true } } },
      'plugins.entries.p.enable: there is no such key; did you mean enabled?',
    ],
    [
      { entries: { 'my plugin': { failopen: [] } } },
      'plugins.entries["my plugin"].failopen: there is no such key; did you mean failOpen?',
    ],
    [
      { entries: { p: { colour: 1 } } },
      'plugins.entries.p.colour: there is no such key; known here are enabled, config, failOpen, hooks, bridge',
    ],
    [
      { entries: { p: { hooks: { timeout: 5 } } } },
      'plugins.entries.p.hooks.timeout: there is no such key; did you mean timeoutMs?',
    ],
    [
      { entries: { p: { bridge: { comand: ['x'] } } } },
      'plugins.entries.p.bridge.comand: there is no such key; did you mean command?',
    ],
    [
      { entries: { p: { bridge: { maxWaitMs: 0 } } } },
      'plugins.entries.p.bridge.maxWaitMs: must be a whole number, 1 or more; got 0',
    ],
    [{ entries: { p: true } }, 'plugins.entries.p: must be an object; got true'],
  ])('refuses %j, made in code or read from a file', async (config, message) => {
    const inCode = () => new PluginHost({ config: config as PluginsConfig, log: quiet() })
    const inFile = () => parseConfig({ plugins: config })
    for (const make of [inCode, inFile]) {
      expect(make).toThrow(
        expect.objectContaining({
          code: 'CONFIG',
          message: typeof message === 'string' ? message : expect.stringMatching(message),
        }),
      )
    }
  })

  it('takes a configuration with every key', () => {
    const config: Required<PluginsConfig> = {
      mode: 'full',
      load: { paths: ['x'] },
      allow: ['p'],
      deny: [],
      strict: true,
      watch: false,
      entries: {
        p: {
          enabled: true,
          config: { anything: [1] },
          failOpen: ['error', 'timeout'],
          hooks: { timeoutMs: 1, timeouts: { 'tool:before': 600_000, agent_end: 1 } },
          bridge: { command: ['node', 'x.mjs'], env: { A: '1' }, maxRestarts: 0 },
        },
      },
    }
    expect(() => new PluginHost({ config, log: quiet() })).not.toThrow()
    expect(parseConfig({ plugins: config })).toEqual({ plugins: config })
  })
})

describe('definePlugin() and definePluginEntry()', () => {
  it.each([definePlugin, definePluginEntry])(
    'give back what they got and refuse the rest',
    (define) => {
      const plugin = { id: 'p', register() {} }
      expect(define(plugin)).toBe(plugin)
      for (const bad of [
        null,
        'p',
        {},
        { id: '', register() {} },
        { id: 'p' },
        { id: 'p', register: 1 },
      ]) {
        expect(() => define(bad as never)).toThrow(TypeError)
      }
    },
  )
})

function quiet() {
  return { debug() {}, info() {}, warn() {}, error() {} }
}

describe('bundled plugins', () => {
  const register = () => undefined

  it.each([
    [
      [
        { id: 'a', register },
        { id: 'b', register },
        { id: 'a', register },
      ],
      'bundled[2].id: "a" is the id of bundled[0]; take another',
    ],
    [[{ id: 'a' }], 'bundled[0]: plugin "a" must have register(api) or activate(api)'],
    [[{ register }], 'bundled[0].id: must be a text, not undefined'],
    [[{ default: { id: 'a', register } }], 'bundled[0].id: must be a text, not undefined'],
    [[undefined], 'bundled[0].id: must be a text, not undefined'],
  ])('are the business of whoever makes the host: %j', (bundled, message) => {
    expect(() => new PluginHost({ bundled: bundled as never })).toThrow(message)
  })
})

describe('a plugin in its own process that registers what it does not declare', () => {
  it('is reported as that', async () => {
    const init =
      '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"eventSubscriptions":["tool:before"]}}'
    const { host } = await loadFiles(
      {
        'p/toolware.plugin.json':
          '{ "id": "p", "entry": "p.mjs", "runtime": "process", "eventSubscriptions": ["tool:after"] }',
        'p/p.mjs': `console.log('${init}'); process.stdin.on('end', () => process.exit()).resume()`,
      },
      { entries: { p: { bridge: { command: ['node', 'p.mjs'] } } } },
    )
    expect(states(host)).toEqual({ p: ['loaded', 'undeclared_registration'] })
  })
})
