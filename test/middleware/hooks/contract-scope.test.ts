import { linkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { LimitState } from '../../../lib/state/memory.ts'
import { Toolware } from '../../../lib/toolware.ts'
import type { HookContext, Outcome, Params } from '../../../lib/types.ts'
import {
  type ContractPolicy,
  type ContractScopeOptions,
  contractScope,
  contractSection,
} from '../../../middleware/hooks/contract-scope.ts'
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'
import { workspace } from '../../helpers/workspace.ts'

const tree = workspace()
afterAll(() => tree.remove())

const base = { text: '', durationMs: 0 } as const
const ran: Outcome = { ...base, status: 'completed', failed: false, executed: true, result: '' }
const stopped: Outcome = {
  ...base,
  status: 'blocked',
  failed: true,
  executed: false,
  code: 'DENIED',
  by: 'x',
}

function judge(
  policy: ContractPolicy,
  toolName: string,
  params: Params = {},
  more: ContractScopeOptions = {},
): string {
  const { check } = contractScope({ policy, workspaceRoot: tree.ws, home: tree.home, ...more })
  const opinion = check(hookContext({ toolName, params }))
  if (opinion === null) return 'allow'
  return typeof opinion === 'object' && opinion.kind === 'deny'
    ? `${opinion.rule} | ${opinion.reason}`
    : 'other'
}

describe('contractScope() paths', () => {
  const src: ContractPolicy = { allowedPaths: ['src'] }

  it('looks under every name of a tool that nobody declared, when strict', () => {
    const call = { subject: '/etc/passwd' }
    expect(judge(src, 'my_tool', call)).toBe('allow')
    expect(judge(src, 'my_tool', call, { strictArguments: true })).toMatch(
      /^allowedPaths \| subject/,
    )
    const inside = { subject: `${tree.ws}/src/x`, 'a.b': 1 }
    expect(judge(src, 'my_tool', inside, { strictArguments: true })).toBe('allow')
  })

  it('refuses to write through one of several names of a file, when told', () => {
    tree.write('ws/src/one')
    linkSync(join(tree.ws, 'src/one'), join(tree.ws, 'src/two'))
    const more = { allowHardLinkWrites: false }
    expect(judge(src, 'write_file', { path: 'src/two' })).toBe('allow')
    expect(judge(src, 'write_file', { path: 'src/two' }, more)).toMatch(
      /^allowHardLinkWrites \| path/,
    )
    expect(judge(src, 'read_file', { path: 'src/two' }, more)).toBe('allow')
  })

  it.each<[ContractPolicy, string, Params]>([
    [{}, 'write_file', { path: '/etc/x' }],
    [{ scopedCapabilities: [{ toolName: 'shell' }] }, 'write_file', { path: '/etc/x' }],
    [src, 'read_file', { path: 'src/x' }],
    [src, 'glob', { pattern: '**/*.ts', path: 'src' }],
    [src, 'glob', { pattern: 'src/**' }],
    [src, 'grep', { pattern: 'x', path: 'src' }],
    [src, 'web_search', { query: 'src' }],
    [src, 'my_tool', { x: 1 }],
    [src, 'my_tool', { path: 'src/x' }],
    [src, 'process', { action: 'list' }],
    [src, 'git', { subcommand: 'status', cwd: 'src' }],
    [src, 'apply_patch', { patch: '--- a/src/x\n+++ b/src/x\n' }],
    [
      {
        scopedCapabilities: [
          { toolName: 'read_file', allowedPaths: ['docs'] },
          { toolName: 'read_file', allowedPaths: ['src'] },
        ],
      },
      'read_file',
      { path: 'src/x' },
    ],
    [
      { ...src, scopedCapabilities: [{ toolName: 'shell' }] },
      'shell',
      { command: 'cat /etc/passwd' },
    ],
    [{ ...src, scopedCapabilities: [{ toolName: 'read_file' }] }, 'read_file', { path: '/etc/x' }],
    [
      {
        ...src,
        scopedCapabilities: [
          { toolName: 'read_file' },
          { toolName: 'read_file', allowedPaths: ['docs'] },
        ],
      },
      'read_file',
      { path: '/etc/x' },
    ],
    [
      { scopedCapabilities: [{ toolName: 'process', allowedPaths: ['src'] }] },
      'process',
      { action: 'Start', working_directory: 'src/new' },
    ],
  ])('%j allows %s %j', (policy, tool, params) => {
    expect(judge(policy, tool, params)).toBe('allow')
  })

  it.each<[ContractPolicy, string, Params, RegExp]>([
    [
      src,
      'read_file',
      { path: 'docs/a.md' },
      /^allowedPaths \| path: it leads outside the allowed paths/,
    ],
    [src, 'read_file', { path: 'src-evil/x' }, /^allowedPaths/],
    [src, 'read_file', {}, /^arguments/],
    [src, 'grep', { pattern: 'x' }, /^allowedPaths/],
    [src, 'list_directory', {}, /^allowedPaths/],
    [src, 'glob', { pattern: '**/*.ts' }, /^allowedPaths/],
    [src, 'glob', { pattern: '**/*.ts', path: 'docs' }, /^allowedPaths/],
    [src, 'READ_FILE', { path: 'docs/a.md' }, /^allowedPaths/],
    [src, 'my_tool', { path: 'docs/a.md' }, /^allowedPaths/],
    [src, 'shell', { command: 'ls src' }, /^scopedCapabilities \| this contract grants paths only/],
    [src, 'code_exec', { code: '1' }, /^scopedCapabilities/],
    [src, 'run_task', { id: 'x' }, /^scopedCapabilities/],
    [src, 'process', {}, /^scopedCapabilities/],
    [src, 'process', { command: 'ls', cwd: 'src' }, /^scopedCapabilities/],
    [src, 'process', { action: 'send-keys', keys: ['rm x'], cwd: 'src' }, /^scopedCapabilities/],
    [src, 'my_tool', { cwd: 'src', steps: [{ command: 'ls' }] }, /^scopedCapabilities/],
    [src, 'my_tool', { command: 'ls' }, /^scopedCapabilities/],
    [src, 'git', { subcommand: 'status' }, /^allowedPaths/],
    [
      src,
      'git',
      { subcommand: 'diff', args: '--no-index ../a.txt x', cwd: 'src' },
      /^allowedPaths/,
    ],
    [
      { ...src, scopedCapabilities: [{ toolName: 'shell', allowedPaths: ['src'] }] },
      'shell',
      { command: 'ls' },
      /^scopedCapabilities/,
    ],
    [
      { ...src, scopedCapabilities: [{ toolName: 'read_file', allowedPaths: ['docs'] }] },
      'read_file',
      { path: 'src/x' },
      /^scopedCapabilities: read_file/,
    ],
    [
      { ...src, scopedCapabilities: [{ toolName: 'shell' }] },
      'Shell',
      { command: 'ls' },
      /^scopedCapabilities/,
    ],
    [
      { scopedCapabilities: [{ toolName: 'File_Read', allowedPaths: ['src'] }] },
      'file_read',
      { path: 'src/x' },
      /^scopedCapabilities \| this contract grants file_read no paths/,
    ],
    [{ allowedPaths: [] }, 'read_file', { path: 'a.txt' }, /^allowedPaths/],
    [{ allowedPaths: ['*'] }, 'read_file', { path: 'a.txt' }, /^allowedPaths/],
  ])('%j denies %s %j', (policy, tool, params, wanted) => {
    expect(judge(policy, tool, params)).toMatch(wanted)
  })

  it('gives each session its own contract', () => {
    const contracts = new Map<string | undefined, ContractPolicy>([
      ['narrow', { allowedPaths: ['src'] }],
      ['wide', {}],
    ])
    const { check } = contractScope({
      policyFor: (id) => contracts.get(id),
      workspaceRoot: tree.ws,
    })
    const call = (sessionId?: string) =>
      check(hookContext({ sessionId, toolName: 'read_file', params: { path: 'docs/a.md' } }))
    expect(call('narrow')).toMatchObject({ kind: 'deny' })
    expect([call('wide'), call('other'), call()]).toEqual([null, null, null])
  })
})

describe('contractScope() counts', () => {
  function setup(more: Partial<ContractScopeOptions> = {}) {
    const clock = { now: 0 }
    const hook = contractScope({ policy: { maxToolCalls: 2 }, clock: () => clock.now, ...more })
    const call = (facts: Partial<HookContext> = {}, outcome: Outcome = ran): unknown => {
      const ctx = hookContext(facts)
      const answer = hook.before(ctx)
      if (answer === undefined && outcome.executed) hook.after(ctx, outcome)
      else hook.skipped(ctx, stopped)
      return answer ?? 'ran'
    }
    return { hook, clock, call }
  }
  const refused = expect.objectContaining({ kind: 'deny', code: 'LIMIT_EXCEEDED' })

  it('lets exactly so many calls of a session start', () => {
    const { call } = setup()
    const one = { sessionId: 'one' }
    expect([call(one), call(one), call(one), call({ sessionId: 'two' })]).toEqual([
      'ran',
      'ran',
      refused,
      'ran',
    ])
  })

  it('tells the model what to do, and the operator the rule', () => {
    const { call } = setup({ policy: { maxToolCalls: 1 } })
    call()
    expect(call()).toMatchObject({
      reason: 'the session has used up its one tool call; finish with what you have',
      rule: 'maxToolCalls: 1',
    })
  })

  it('counts nothing in check, which may run again', () => {
    const { hook, call } = setup()
    for (let i = 0; i < 10; i++) expect(hook.check(hookContext())).toBeNull()
    expect([call(), call(), call()]).toEqual(['ran', 'ran', refused])
  })

  it('takes the slot before anything is awaited, so that parallel calls cannot pass together', () => {
    const { hook } = setup()
    const answers = Array.from({ length: 5 }, () => hook.before(hookContext()))
    expect(answers).toEqual([undefined, undefined, refused, refused, refused])
  })

  it('gives the slot of a call back that never started', () => {
    const { call } = setup()
    expect([call({}, stopped), call({}, stopped), call(), call(), call()]).toEqual([
      'ran',
      'ran',
      'ran',
      'ran',
      refused,
    ])
  })

  it('lets a refused call give nothing back', () => {
    const { call } = setup()
    expect([call(), call(), call(), call()]).toEqual(['ran', 'ran', refused, refused])
  })

  it('takes one slot for a call that comes back under its id', () => {
    const { hook, call } = setup()
    const ctx = hookContext()
    expect([hook.before(ctx), hook.before({ ...ctx, resumed: true })]).toEqual([
      undefined,
      undefined,
    ])
    expect([call(), call()]).toEqual(['ran', refused])
  })

  it('counts all calls without a session together', () => {
    const { call } = setup()
    expect([call({ senderId: 'a' }), call({ senderId: 'b' }), call({ senderId: 'c' })]).toEqual([
      'ran',
      'ran',
      refused,
    ])
    expect(call({ sessionId: '' })).toBe('ran')
  })

  it('starts anew after 24 idle hours', () => {
    const { call, clock } = setup()
    call()
    call()
    clock.now = 24 * 60 * 60 * 1000 - 1
    expect(call()).toEqual(refused)
    clock.now += 24 * 60 * 60 * 1000
    expect(call()).toBe('ran')
  })

  it('counts nothing under a contract without a limit', () => {
    const { call } = setup({ policy: {} })
    for (let i = 0; i < 50; i++) expect(call()).toBe('ran')
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
  ])('blocks when its state %s, unless told otherwise', async (_, take) => {
    const state: LimitState = { take, giveBack: () => {}, settle: () => {} }
    const { hook } = setup({ state })
    expect(await hook.before(hookContext())).toMatchObject({
      kind: 'deny',
      code: 'STATE_UNAVAILABLE',
    })
    const { log, lines } = recordingLogger()
    const open = setup({ state, failOpen: ['error'] })
    expect(await open.hook.before(hookContext({ log }))).toBeUndefined()
    expect(lines).toMatchObject([{ level: 'warn' }])
  })

  it('waits for a state that answers later', async () => {
    const answers = [{ ok: true } as const, { ok: false, retryAfterMs: undefined } as const]
    const state: LimitState = {
      take: async () => answers.shift() ?? { ok: true },
      giveBack: () => {},
      settle: () => {},
    }
    const { hook } = setup({ state })
    expect(await hook.before(hookContext())).toBeUndefined()
    expect(await hook.before(hookContext())).toEqual(refused)
  })
})

describe('contractScope() configuration', () => {
  it.each<[unknown, string | RegExp]>([
    [
      { maxToolCalls: 0 },
      'contract.maxToolCalls: must be positive; leave it out for no limit; got 0',
    ],
    [{ maxToolCalls: -1 }, /^contract\.maxToolCalls: must be positive/],
    [{ maxToolCalls: 1.5 }, /^contract\.maxToolCalls: must be a positive whole number/],
    [{ maxToolCalls: '3' }, /^contract\.maxToolCalls: must be a positive whole number.*got "3"$/],
    [{ allowedPaths: [' '] }, /^contract\.allowedPaths\[0\]: must not be blank/],
    [
      { allowedPaths: ['a '] },
      /^contract\.allowedPaths\[0\]: must not be blank, nor begin or end with a blank; got "a "$/,
    ],
    [{ allowedPaths: 'src' }, /^contract\.allowedPaths: /],
    [{ scopedCapabilities: [{ tool: 'x' }] }, /^contract\.scopedCapabilities\[0\]/],
    [{ maxCalls: 3 }, 'contract.maxCalls: there is no such key; did you mean maxToolCalls?'],
  ])('refuses %j', (policy, message) => {
    // Wrong on purpose, as a configuration file could be.
    expect(() => contractScope({ policy: policy as ContractPolicy })).toThrow(message)
  })

  it('holds its examples', () => {
    const examples = { deny: [{ toolName: 'read_file', params: { path: 'src/x' } }] }
    expect(() =>
      contractScope({ policy: { allowedPaths: ['src'], examples }, workspaceRoot: tree.ws }),
    ).toThrow('contract.examples.deny[0]: the call of read_file is judged allow')
  })
})

describe('contractSection', () => {
  it('knows every setting of its interface', () => {
    const all: Required<ContractPolicy> = {
      maxToolCalls: 1,
      allowedPaths: ['src'],
      scopedCapabilities: [{ toolName: 'x', allowedPaths: ['y'] }],
      examples: { allow: [], deny: [] },
    }
    expect(contractSection.parse(all)).toEqual(all)
  })
})

describe('contractScope() in a pipeline', () => {
  it('gives a slot back when a hook further in denies, and keeps it when the tool fails', async () => {
    const app = new Toolware({ log: recordingLogger().log })
    app.use(contractScope({ policy: { maxToolCalls: 2 } }))
    app.use({ name: 'no-b', check: ({ toolName }) => toolName !== 'b' })
    const call = async (toolName: string) =>
      (
        await app.execute({ toolName }, () => {
          if (toolName === 'f') throw new Error('x')
        })
      ).status
    expect(await call('b')).toBe('blocked')
    expect(await call('f')).toBe('failed')
    expect(await Promise.all([call('a'), call('a'), call('a')])).toEqual([
      'completed',
      'blocked',
      'blocked',
    ])
    await app.close()
  })
})
