import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { PluginApi, TrustedToolPolicy } from '../../../lib/plugin/types.ts'
import type { ToolHook } from '../../../lib/types.ts'
import { fixesParams } from '../../../lib/verdict.ts'
import { hookContext } from '../../helpers/hook-context.ts'
import { bundledHost, hookOf, loadHost, namesOf } from '../../helpers/plugins.ts'
import { tempDir } from '../../helpers/temp.ts'

afterEach(() => vi.useRealTimers())

const policy = (
  evaluate: TrustedToolPolicy['evaluate'],
  rest: Partial<TrustedToolPolicy> = {},
): TrustedToolPolicy => ({ id: 'p', description: 'a policy', evaluate, ...rest })

const call = (params: Record<string, unknown> = { command: 'ls' }) =>
  hookContext({ toolName: 'exec', params })

/** What the one policy of a bundled plugin answers. */
async function judge(registered: TrustedToolPolicy, ctx = call()): Promise<unknown> {
  const { host } = await bundledHost((api) => api.registerTrustedToolPolicy(registered))
  return (host.hooks()[0] as ToolHook).before?.(ctx)
}

/** An installed plugin in a folder with a manifest. */
function installed(id: string, declared: string[], code: string): string {
  const folder = join(tempDir(), id)
  mkdirSync(folder)
  const manifest = { id, contracts: { trustedToolPolicies: declared } }
  writeFileSync(join(folder, 'openclaw.plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'index.mjs'), `export function register(api) { ${code} }`)
  return folder
}

const REGISTER = (id: string): string =>
  `api.registerTrustedToolPolicy({ id: '${id}', description: 'd', evaluate() {} });`

describe('what a policy may answer (rule 49)', () => {
  it.each([[undefined], [null], [{}], [{ block: false }], [{ allow: true }]])(
    'goes on after %j',
    async (answer) => {
      expect(await judge(policy(() => answer))).toBeUndefined()
    },
  )

  it('blocks, with its reason or the usual one (rule 40)', async () => {
    expect(await judge(policy(() => ({ allow: false, reason: 'no' })))).toMatchObject({
      kind: 'deny',
      reason: 'no',
      rule: 'plugin:a/p',
      details: { pluginId: 'a', policyId: 'p' },
    })
    expect(await judge(policy(() => ({ block: true })))).toMatchObject({ reason: 'blocked by p' })
  })

  it('replaces the params: a key that is left out is gone (rule 38)', async () => {
    const answer = await judge(
      policy(({ params: { secret: _, ...rest } }) => ({ params: rest })),
      call({ command: 'ls', secret: 'x' }),
    )
    expect(answer).toMatchObject({ kind: 'rewrite', params: { command: 'ls' } })
    expect(Object.keys((answer as { params: object }).params)).toEqual(['command'])
  })

  it('asks in a way that fixes the params', async () => {
    const answer = (await judge(policy(() => ({ requireApproval: { title: 't' } })))) as {
      kind: string
      request: { title: string }
    }
    expect(answer).toMatchObject({ kind: 'ask', request: { title: 't' } })
    expect(fixesParams(answer.request)).toBe('Tool call parameters changed after trusted approval')
  })

  it('is not asked about tools its matcher does not have', async () => {
    const evaluate = vi.fn(() => ({ block: true }))
    expect(await judge(policy(evaluate, { matcher: ['read'] }))).toBeUndefined()
    expect(await judge(policy(evaluate, { matcher: ['EXEC'] }))).toMatchObject({ kind: 'deny' })
    expect(evaluate).toHaveBeenCalledTimes(1)
  })

  it('sees no session extensions (rule 54: different)', async () => {
    let seen: unknown = 'not called'
    const look: TrustedToolPolicy['evaluate'] = (_event, ctx) => {
      seen = ctx.getSessionExtension('x')
    }
    await judge(policy(look))
    expect(seen).toBeUndefined()
  })
})

describe('a policy that fails (rule 50)', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
  ])('blocks when it %s', async (_how, evaluate) => {
    expect(await judge(policy(evaluate))).toMatchObject({
      code: 'HOOK_FAILED',
      reason: 'blocked by p: policy evaluation failed',
    })
  })

  it.each([['yes'], [{ params: [] }], [{ blocked: true }], [{ requireApproval: {} }]])(
    'blocks on %j as unreadable, where the original ignores some (stricter)',
    async (answer) => {
      expect(await judge(policy(() => answer as object))).toMatchObject({
        code: 'HOOK_BAD_ANSWER',
        reason: 'blocked by p: policy decision is unreadable',
      })
    },
  )

  it('has 15 000 ms, where the original waits for ever (P2)', async () => {
    vi.useFakeTimers()
    let answer: unknown
    void judge(policy(() => new Promise(() => {}))).then((value) => {
      answer = value
    })
    await vi.advanceTimersByTimeAsync(14_999)
    expect(answer).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(answer).toMatchObject({ code: 'HOOK_TIMEOUT' })
  })
})

describe('registration (rules 46 to 48, 51, T13)', () => {
  const load = (paths: string[], enabled: string[], bundled?: (api: PluginApi) => void) =>
    loadHost({
      config: {
        load: { paths },
        entries: Object.fromEntries(enabled.map((id) => [id, { enabled: true }])),
      },
      ...(bundled && { bundled: [{ id: 'ours', register: bundled }] }),
    })

  it('runs bundled policies first, then installed ones in load order; ids are scoped to plugins', async () => {
    const { host } = await load(
      [installed('z', ['p'], REGISTER('p')), installed('b', ['p'], REGISTER('p'))],
      ['z', 'b'],
      (api) => api.registerTrustedToolPolicy(policy(() => undefined)),
    )
    expect(namesOf(host.hooks())).toEqual(['policy:ours/p', 'policy:z/p', 'policy:b/p'])
    expect(host.diagnostics()).toEqual([])
  })

  it('refuses a policy that the manifest does not list', async () => {
    const { host } = await load([installed('x', ['other'], REGISTER('p'))], ['x'])
    expect(host.hooks()).toEqual([])
    expect(host.diagnostics()).toMatchObject([
      {
        level: 'error',
        code: 'policy_refused',
        message: expect.stringContaining('contracts.trustedToolPolicies'),
      },
    ])
  })

  it('refuses a policy of a plugin that is not explicitly enabled, and takes the rest of it', async () => {
    const code = `${REGISTER('p')} api.on('before_tool_call', () => ({ block: true }))`
    const { host } = await load([installed('x', ['p'], code)], [])
    expect(namesOf(host.hooks())).toEqual(['before_tool_call'])
    expect(host.diagnostics()).toMatchObject([
      {
        code: 'policy_refused',
        message: expect.stringContaining('plugins.entries.x.enabled: true'),
      },
    ])
  })

  it.each([
    [{ description: 'd', evaluate() {} }],
    [{ id: 'p', evaluate() {} }],
    [{ id: 'p', description: 'd' }],
    [undefined],
  ])('refuses %j, which is no policy (rule 47)', async (it) => {
    const { host } = await bundledHost((api) => api.registerTrustedToolPolicy(it as never))
    expect(host.diagnostics()).toMatchObject([
      {
        code: 'policy_refused',
        message: 'a trusted tool policy needs id, description and evaluate()',
      },
    ])
  })

  it('refuses a second policy of the same id in one plugin', async () => {
    const { host } = await bundledHost((api) => {
      api.registerTrustedToolPolicy(policy(() => undefined))
      api.registerTrustedToolPolicy(policy(() => ({ block: true })))
    })
    expect(namesOf(host.hooks())).toEqual(['policy:a/p'])
    expect(host.diagnostics()).toMatchObject([{ code: 'policy_refused' }])
  })

  it('keeps earlier policies when a later plugin fails to register (rule 51)', async () => {
    const { host } = await bundledHost(
      (api) => api.registerTrustedToolPolicy(policy(() => undefined)),
      () => {
        throw new Error('boom')
      },
    )
    expect(namesOf(host.hooks())).toEqual(['policy:a/p'])
    expect(host.diagnostics()).toMatchObject([{ pluginId: 'b', code: 'register_failed' }])
  })

  it('gives every policy a time of its own in the pipeline', async () => {
    const { host } = await bundledHost((api) =>
      api.registerTrustedToolPolicy(policy(() => undefined, { timeoutMs: 200 })),
    )
    expect(hookOf(host, 'policy:a/p').timeoutMs).toBe(1200)
  })
})
