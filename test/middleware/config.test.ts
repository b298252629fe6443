import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../lib/approval/memory-store.ts'
import { ApprovalQueue } from '../../lib/approval/queue.ts'
import {
  hasPolicy,
  loadConfig,
  parseConfig,
  type ToolwareConfig,
  toolwareFromConfig,
} from '../../middleware/config.ts'
import { recordingLogger } from '../helpers/hook-context.ts'
import { tempDir } from '../helpers/temp.ts'

async function load(
  text: string,
  name = 'c.json5',
): Promise<{ dir: string; config: ToolwareConfig }> {
  const dir = tempDir()
  mkdirSync(join(dir, 'ws'))
  writeFileSync(join(dir, name), text)
  return { dir, config: await loadConfig(join(dir, name)) }
}
const { log } = recordingLogger()

/** The message of a configuration that is refused, by the schema or by a hook. */
async function problem(text: string): Promise<string> {
  try {
    toolwareFromConfig((await load(text)).config, { log })
  } catch (error) {
    return (error as Error).message.replace(/^.*\/(?=c\.json5)/, '')
  }
  return 'accepted'
}

describe('loadConfig()', () => {
  it('reads JSON5, with or without a byte order mark', async () => {
    expect((await load('\ufeff{ tooling: { allowShell: false, }, // off\n}')).config).toEqual({
      tooling: { allowShell: false },
    })
  })

  it('takes an example of every section', async () => {
    const text = `{
      tooling: { autonomyMode: 'full', workspaceOnly: true, workspaceRoot: 'ws', forbiddenPathGlobs: [], allowShell: true,
                 allowedShellCommandGlobs: ['*'], caseInsensitivePaths: false, strictArguments: true,
                 allowHardLinkWrites: false, platform: 'posix' },
      tools: { my_tool: { access: 'read', paths: ['file'] } },
      contract: { maxToolCalls: 100, allowedPaths: ['src'], scopedCapabilities: [{ toolName: 'git', allowedPaths: ['src'] }] },
      contracts: { 'session-id': { maxToolCalls: 5 } },
      semanticKernel: { allowedTools: ['sk_*', 'semantic_kernel'], deniedTools: [], perSenderPerToolPerMinute: { 'sk_*': 30 } },
      rateLimits: [{ tools: ['web_*'], per: ['sender'], limit: 30, windowMs: 60000 }],
      plugins: { mode: 'full', load: { paths: ['p'] }, allow: [], deny: [], strict: false, watch: false,
                 entries: { id: { enabled: true, config: { a: 1 }, failOpen: ['timeout'], hooks: { timeouts: {} }, bridge: {} } } },
      approvals: { mode: 'hold', timeoutMs: 120000, store: { sqlite: 'approvals.db' } },
      audit: { file: 'audit.jsonl', chain: true, fsync: false, bodies: 'none', failOpen: [] },
      limits: { beforeTimeoutMs: 15000, afterTimeoutMs: 5000, toolTimeoutMs: 0, maxDepth: 64, maxNodes: 100000, maxBytes: 16777216 },
      state: { redis: 'redis://127.0.0.1:6379' },
    }`
    const { dir, config } = await load(text)
    expect(config).toMatchObject({
      tooling: { workspaceRoot: join(dir, 'ws') },
      plugins: { load: { paths: [join(dir, 'p')] } },
      approvals: { store: { sqlite: join(dir, 'approvals.db') } },
      audit: { file: join(dir, 'audit.jsonl') },
      // Relative to workspaceRoot, so left as they are.
      contract: { allowedPaths: ['src'] },
    })
  })

  it('takes ~/ as HOME and leaves the root of another platform alone', async () => {
    expect((await load("{ audit: { file: '~/a.jsonl' } }")).config.audit?.file).toBe(
      join(homedir(), 'a.jsonl'),
    )
    const other = await load("{ tooling: { workspaceRoot: 'C:\\\\ws', platform: 'win32' } }")
    expect(other.config.tooling?.workspaceRoot).toBe('C:\\ws')
  })

  it('reads a TypeScript module', async () => {
    const text = 'const n: number = 3\nexport const config = { contract: { maxToolCalls: n } }\n'
    expect((await load(text, 'c.ts')).config).toEqual({ contract: { maxToolCalls: 3 } })
    await expect(load('export const other = 1', 'c.ts')).rejects.toThrow(
      /c\.ts: exports no configuration; export it as default$/,
    )
    await expect(load('throw new Error("no\\nway")', 'c.ts')).rejects.toThrow(
      /c\.ts: cannot be loaded: no way$/,
    )
  })

  it.each([
    [
      '{ tooling: { autonomyMode: "read-only" } }',
      'tooling.autonomyMode: must be full, supervised or readonly; got "read-only"',
    ],
    [
      '{ tooling: { workspaceonly: true } }',
      'tooling.workspaceonly: there is no such key; did you mean workspaceOnly?',
    ],
    [
      '{ colour: 1 }',
      'colour: there is no such key; known here are tooling, tools, contract, contracts, semanticKernel, rateLimits, plugins, approvals, audit, limits, state, telemetry, agents, bindings',
    ],
    [
      '{ rateLimits: [{ limit: 1 }, { limit: 1, pre: [] }] }',
      'rateLimits[1].pre: there is no such key; did you mean per?',
    ],
    [
      '{ plugins: { entries: { "my plugin": { enable: true } } } }',
      'plugins.entries["my plugin"].enable: there is no such key; did you mean enabled?',
    ],
    ['{ tooling: null }', 'tooling: must be an object; got null'],
    ['{ contract: { maxToolCalls: "3" } }', /^contract\.maxToolCalls: .*"3"$/],
    ['{ contract: { maxToolCalls: 0 } }', /^contract\.maxToolCalls: must be positive.*got 0$/],
    ['{ rateLimits: [{}] }', 'rateLimits[0].limit: is missing; it must be a number'],
    [
      '{ rateLimits: [{ limit: 1.5 }] }',
      'rateLimits[0].limit: must be a positive whole number; leave it out for no limit; got 1.5',
    ],
    [
      '{ semanticKernel: { perSenderPerToolPerMinute: { "sk_*": -1 } } }',
      /^semanticKernel\.perSenderPerToolPerMinute\["sk_\*"\]: must be a positive whole number/,
    ],
    [
      '{ audit: { bodies: "some" } }',
      'audit.bodies: must be one of none, arguments, results, all; got "some"',
    ],
    [
      '{ approvals: { timeoutMs: 600001 } }',
      'approvals.timeoutMs: must be at most 600000; got 600001',
    ],
    [
      '{ approvals: { store: "disk" } }',
      'approvals.store: must be memory, redis or { sqlite: FILE }; got "disk"',
    ],
    [
      '{ state: { redis: "here" } }',
      'state.redis: must be a URL such as redis://127.0.0.1:6379; got "here"',
    ],
    [
      '{ tools: { t: { access: "look" } } }',
      'tools.t.access: must be read, write or exec; got "look"',
    ],
    ['{ tooling: { workspaceOnly: true } }', /^tooling\.workspaceRoot: /],
    ['{ tooling: { workspaceRoot: "nope" } }', /^tooling\.workspaceRoot: /],
    [
      '{ tooling: { forbiddenPathGlobs: ["a["] } }',
      /^tooling\.forbiddenPathGlobs\[0\]: the pattern "a\[" /,
    ],
    ['{ contract: { allowedPaths: [" "] } }', /^contract\.allowedPaths\[0\]: /],
    ['{ contracts: { s1: { allowedPaths: ["a", " b"] } } }', /^contracts\.s1\.allowedPaths\[1\]: /],
    [
      '{ contracts: { "s 1": { examples: { allow: [], deny: [{ toolName: "a" }] } } } }',
      /^contracts\["s 1"\]\.examples\.deny\[0\]: the call of a is judged allow/,
    ],
    [
      '{ rateLimits: [{ tools: ["a b"], limit: 1 }] }',
      /^rateLimits\[0\]\.tools\[0\]: "a b" can match no tool/,
    ],
    ['{ "__proto__": {} }', '__proto__: there is no such key; remove it'],
    [
      '{ contracts: { "__proto__": { maxToolCalls: 1 } } }',
      'contracts.__proto__: there is no such key; remove it',
    ],
    ['', 'is empty; a configuration without policies is {}'],
    ['\ufeff \n', 'is empty; a configuration without policies is {}'],
    ['// {}', 'is no JSON5: invalid end of input at 1:6'],
    ['{ tooling: }', "is no JSON5: invalid character '}' at 1:12"],
    ['[]', 'configuration: must be an object; got []'],
  ])('refuses %s', async (text, message) => {
    const said = (await problem(text)).replace(/^c\.json5: /, '')
    if (typeof message === 'string') expect(said).toBe(message)
    else expect(said).toMatch(message)
    expect(said).not.toContain('\n')
  })

  it('names the file that is not there', async () => {
    await expect(loadConfig('/nowhere/c.json5')).rejects.toMatchObject({
      code: 'CONFIG',
      message: '/nowhere/c.json5: there is no such file; name a configuration file',
    })
  })

  it('holds sections to their examples', async () => {
    const limit = (deny: number) =>
      `{ rateLimits: [{ limit: 2, examples: { allow: [${'{ toolName: "a" },'.repeat(2)}], deny: [${'{ toolName: "a" },'.repeat(deny)}] } }] }`
    expect(await problem(limit(1))).toBe('accepted')
    expect(
      await problem('{ rateLimits: [{ limit: 1, examples: { deny: [{ toolName: "a" }] } }] }'),
    ).toBe('rateLimits[0].examples.deny[0]: the call of a is judged allow')
    expect(
      await problem(
        '{ semanticKernel: { deniedTools: ["sk_a"], examples: { allow: [{ toolName: "sk_a" }] } } }',
      ),
    ).toMatch(/^semanticKernel\.examples\.allow\[0\]: the call of sk_a is judged deny/)
    expect(
      await problem(
        '{ tooling: { autonomyMode: "readonly", examples: { allow: [{ toolName: "shell" }] } } }',
      ),
    ).toMatch(/^tooling\.examples\.allow\[0\]: /)
  })
})

describe('toolwareFromConfig()', () => {
  const call = (toolName: string) => ({ toolName, params: {}, sessionId: 's' })
  const tool = () => 'ran'

  it('makes a pipeline of the hooks that are configured, and counts in its clock', async () => {
    let now = 0
    const app = toolwareFromConfig(
      { rateLimits: [{ limit: 1 }], contracts: { s: { maxToolCalls: 2 } } },
      { log, clock: () => now },
    )
    const run = async (): Promise<string> => {
      const outcome = await app.execute(call('a'), tool)
      return outcome.failed ? `${outcome.code} ${outcome.by}` : outcome.text
    }
    expect([await run(), await run()]).toEqual(['ran', 'RATE_LIMITED RateLimit'])
    now = 60_000
    expect(await run()).toBe('ran')
    now = 120_000
    expect(await run()).toBe('LIMIT_EXCEEDED ContractScope')
  })

  it('holds parallel calls to a limit', async () => {
    const app = toolwareFromConfig({ contract: { maxToolCalls: 3 } }, { log })
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => app.execute(call('a'), async () => 'ran')),
    )
    expect(outcomes.filter(({ status }) => status === 'completed')).toHaveLength(3)
  })

  it('passes limits on to the pipeline', async () => {
    const app = toolwareFromConfig({ limits: { maxDepth: 2, toolTimeoutMs: 5 } }, { log })
    expect(
      await app.execute({ toolName: 'a', params: { a: { b: { c: 1 } } } }, tool),
    ).toMatchObject({ code: 'BAD_ARGUMENTS' })
    expect(await app.execute(call('a'), () => new Promise(() => {}))).toMatchObject({
      code: 'TOOL_TIMEOUT',
    })
  })

  it('warns about sections that belong to the host', () => {
    const { log, lines } = recordingLogger()
    toolwareFromConfig({ agents: {}, bindings: [] }, { log })
    expect(lines.map(({ message }) => message)).toEqual([
      'the section agents belongs to the host and is ignored here',
      'the section bindings belongs to the host and is ignored here',
    ])
  })

  it.each([
    [{ plugins: {} }, 'plugins: needs a plugin host; pass one that has loaded as options.plugins'],
    [
      { approvals: {} },
      'approvals: needs somebody who asks people; pass an ApprovalQueue as options.approvals',
    ],
    [
      { state: { redis: 'redis://h' } },
      'state.redis: needs a store; pass options.state, or remove it to count in memory',
    ],
    [{ telemetry: {} }, 'telemetry: is not in this build; remove the section'],
  ] as const)('refuses %j without the part that it needs', (config, message) => {
    expect(() => toolwareFromConfig(config, { log })).toThrow(
      expect.objectContaining({ code: 'CONFIG', message }),
    )
  })

  it.each([
    [{ mode: 'defer' }, {}, 'approvals.mode: "defer" is not what options.approvals was made with'],
    [
      { timeoutMs: 5000 },
      {},
      'approvals.timeoutMs: 5000 is not what options.approvals was made with (120000)',
    ],
    [{ store: { sqlite: 'a.db' } }, {}, 'approvals.store: {"sqlite":"a.db"} outlives the process'],
    [{}, { mode: 'defer', timeoutMs: 5 }, undefined],
    [{ mode: 'hold', timeoutMs: 5, store: 'memory' }, { timeoutMs: 5 }, undefined],
    [{ store: 'redis' }, { store: { ...memoryStore(), durable: true } }, undefined],
  ] as const)('holds approvals %j against a queue made with %j', (approvals, options, message) => {
    const queue = new ApprovalQueue(options)
    const make = () => toolwareFromConfig({ approvals }, { log, approvals: queue })
    if (message === undefined) expect(make).not.toThrow()
    else expect(make).toThrow(message)
  })

  it('takes an approver of the host, whatever the section says', () => {
    const approver = { decide: () => ({ resolution: 'deny', approvalId: 'a' }) as const }
    const config = { approvals: { mode: 'defer', store: 'redis' } } as const
    expect(() => toolwareFromConfig(config, { log, approvals: approver })).not.toThrow()
  })

  it('opens and asks for nothing when it only judges', () => {
    const dir = tempDir()
    const config = {
      approvals: {},
      state: { redis: 'redis://h' },
      audit: { file: join(dir, 'x/audit.jsonl') },
    }
    expect(() => toolwareFromConfig(config, { log, judgeOnly: true })).not.toThrow()
    expect(() => writeFileSync(join(dir, 'x/audit.jsonl'), '')).toThrow(/ENOENT/)
  })

  it('takes the hooks of a plugin host, also after it changed', async () => {
    let denied = false
    let changed = (): void => {}
    const plugins = {
      hooks: () => [{ name: 'plugin:p', check: () => !denied || false }].slice(0, denied ? 1 : 0),
      onChange: (listener: () => void) => {
        changed = listener
      },
    }
    const app = toolwareFromConfig({ plugins: {} }, { log, plugins })
    expect((await app.execute(call('a'), tool)).status).toBe('completed')
    denied = true
    changed()
    expect(await app.execute(call('a'), tool)).toMatchObject({ status: 'blocked', by: 'plugin:p' })
  })
})

describe('hasPolicy()', () => {
  it('is true when anything can be denied, asked about or limited', () => {
    const none: unknown[] = [
      {},
      { tooling: {} },
      {
        tooling: {
          autonomyMode: 'full',
          allowShell: true,
          allowedShellCommandGlobs: ['*'],
          forbiddenPathGlobs: [],
          workspaceRoot: '.',
        },
      },
      { contract: {} },
      { contracts: {} },
      { rateLimits: [] },
      { audit: {} },
      { tools: {} },
    ]
    const some: unknown[] = [
      { tooling: { allowShell: false } },
      { tooling: { autonomyMode: 'supervised' } },
      { tooling: { allowedShellCommandGlobs: [] } },
      { tooling: { forbiddenPathGlobs: ['.env'] } },
      { contract: { maxToolCalls: 1 } },
      { contracts: { s: { allowedPaths: [] } } },
      { semanticKernel: {} },
      { rateLimits: [{ limit: 1 }] },
      { plugins: {} },
    ]
    expect(none.map((config) => hasPolicy(parseConfig(config)))).toEqual(none.map(() => false))
    expect(some.map((config) => hasPolicy(parseConfig(config)))).toEqual(some.map(() => true))
  })
})
