import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ExecEnvEvent, PluginApi } from '../../../lib/plugin/types.ts'
import type { HookContext } from '../../../lib/types.ts'
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'
import { bundledHost, hookOf, loadHost } from '../../helpers/plugins.ts'

afterEach(() => vi.useRealTimers())

interface Case {
  readonly id: string
  readonly args: { readonly env: Readonly<Record<string, string>> }
  readonly expect: 'deny' | 'allow'
}

const CASES = JSON.parse(
  readFileSync(new URL('../../cases/exec-env.json', import.meta.url), 'utf8'),
) as Case[]

const call = (facts: Partial<HookContext> = {}) =>
  hookContext({ toolName: 'exec', params: { command: 'ls' }, ...facts })

async function resolve(register: (api: PluginApi) => void, ctx = call()): Promise<unknown> {
  const { host } = await bundledHost(register)
  return hookOf(host).resolveExecEnv?.(ctx)
}

const gives = (env: unknown) => (api: PluginApi) =>
  api.on('resolve_exec_env', () => env as Record<string, string>)

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

describe('resolve_exec_env (P4)', () => {
  it('has the event of the seed: exec, the session, and the host when it is known (rule 80)', async () => {
    const seen: Array<[ExecEnvEvent, object]> = []
    const note = (api: PluginApi): void =>
      api.on('resolve_exec_env', (event, ctx) => void seen.push([event, { ...ctx }]))
    await resolve(note, call({ toolName: 'bash' }))
    await resolve(
      note,
      call({
        execHost: 'node',
        sessionKey: 'k',
        agentId: 'a',
        sessionId: 's',
        channelId: 'c',
        messageProvider: 'm',
      }),
    )
    expect(seen[0]?.[0]).toEqual({ toolName: 'exec' })
    expect(seen[0]?.[1]).toMatchObject({ toolName: 'bash' })
    expect(seen[1]?.[0]).toEqual({ toolName: 'exec', host: 'node', sessionKey: 'k' })
    expect(seen[1]?.[1]).toMatchObject({
      agentId: 'a',
      sessionKey: 'k',
      sessionId: 's',
      channelId: 'c',
      messageProvider: 'm',
    })
  })

  it('fires for tools that execute only, those that the operator declared included (rule 80)', async () => {
    const seen: string[] = []
    const { host } = await loadHost({
      tools: { my_runner: { access: 'exec', command: 'script' } },
      bundled: [
        {
          id: 'a',
          register: (api) =>
            api.on('resolve_exec_env', (_event, ctx) => void seen.push(ctx.toolName)),
        },
      ],
    })
    for (const toolName of ['read', 'write', 'exec', 'my_runner', 'shell', 'search']) {
      await hookOf(host).resolveExecEnv?.(hookContext({ toolName }))
    }
    expect(seen).toEqual(['exec', 'my_runner', 'shell'])
  })

  it('merges in the order of priority, later keys win (rule 81)', async () => {
    const env = await resolve((api) => {
      api.on('resolve_exec_env', () => ({ A: 'low', B: 'low' }))
      api.on('resolve_exec_env', () => ({ A: 'high', C: 'high' }), { priority: 10 })
    })
    expect(env).toEqual({ A: 'low', B: 'low', C: 'high' })
    expect(Object.isFrozen(env)).toBe(true)
  })

  it('leaves a failing handler out, with a warning (rule 81)', async () => {
    vi.useFakeTimers()
    const { log, lines } = recordingLogger()
    const env = resolve((api) => {
      api.on('resolve_exec_env', () => {
        throw new Error('sync')
      })
      api.on('resolve_exec_env', () => Promise.reject(new Error('async')))
      api.on('resolve_exec_env', () => 'A=1' as never)
      api.on('resolve_exec_env', () => new Promise(() => {}))
      api.on('resolve_exec_env', async () => ({ KEPT: '1' }))
    }, call({ log }))
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await env).toEqual({ KEPT: '1' })
    expect(
      lines.map(({ message }) => message.replace(/^resolve_exec_env of plugin a failed: /, '')),
    ).toEqual([
      'sync; its variables are left out',
      'async; its variables are left out',
      'answered with something that is no object of texts; its variables are left out',
      'timed out after 15000ms; its variables are left out',
    ])
  })

  it.each([undefined, null, {}])(
    'gives nothing when handlers give %j (rules 81, 82)',
    async (env) => {
      expect(await resolve(gives(env))).toBeUndefined()
    },
  )

  it.each([
    ['a map', new Map([['A', 'b']])],
    ['entries', [['A', 'b']]],
    ['text', 'A=b'],
    ['an object that cannot be looked at', revoked()],
  ])('says that %s has no variables', async (_what, env) => {
    const { log, lines } = recordingLogger()
    expect(await resolve(gives(env), call({ log }))).toBeUndefined()
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^resolve_exec_env of plugin a failed: .*; its variables are left out$/,
      ),
    ])
  })

  it('gives nothing when the filter leaves nothing (rule 82)', async () => {
    expect(await resolve(gives({ PATH: '/evil' }))).toBeUndefined()
  })

  it.each(['PATH', 'NODE_OPTIONS', 'OPENCLAW_CLI', 'bad-key', 'LD_PRELOAD', '__proto__'])(
    'drops %s and says so in the log (rules 82, 87, T6)',
    async (name) => {
      const { log, lines } = recordingLogger()
      const given = Object.fromEntries([
        [name, 'x'],
        ['KEPT', '1'],
      ])
      expect(await resolve(gives(given), call({ log }))).toEqual({ KEPT: '1' })
      expect(lines[0]?.message).toContain(`left out ${name} (`)
    },
  )

  it('drops what is no text (rule 87)', async () => {
    expect(await resolve(gives({ N: 1, O: {}, U: undefined, T: 't' }))).toEqual({ T: 't' })
  })

  it.each(CASES.map((it) => [Object.keys(it.args.env)[0], it.expect, it] as const))(
    'hostile input: %s: %s',
    async (_name, expected, { args }) => {
      const env = await resolve(gives(args.env))
      expect(env).toEqual(expected === 'allow' ? args.env : undefined)
    },
  )

  it('is no part of a ring without such handlers', async () => {
    const { host } = await bundledHost((api) => api.on('before_tool_call', () => {}))
    expect(hookOf(host).resolveExecEnv).toBeUndefined()
  })
})
