import { afterEach, describe, expect, it, vi } from 'vitest'
import type { PluginApi } from '../../../lib/plugin/types.ts'
import type { DenyVerdict, RewriteVerdict } from '../../../lib/types.ts'
import { quietApp } from '../../helpers/call.ts'
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'
import { askRing, bundledHost, deferred, definitions, loadHost } from '../../helpers/plugins.ts'

afterEach(() => vi.useRealTimers())

const FAILED = 'Tool call blocked because before_tool_call hook failed'
const call = (params: Record<string, unknown> = { command: 'ls' }) =>
  hookContext({ toolName: 'exec', params })

describe('order (rules 1 to 4)', () => {
  it('runs handlers of all plugins by priority, ties in order of registration (rule 1)', async () => {
    const seen: string[] = []
    const note = (name: string) => () => void seen.push(name)
    const { host } = await bundledHost(
      (api) => {
        api.on('before_tool_call', note('a0'))
        api.on('before_tool_call', note('a-5'), { priority: -5 })
        api.on('before_tool_call', note('a10'), { priority: 10 })
      },
      (api) => {
        api.on('before_tool_call', note('b10'), { priority: 10 })
        api.on('before_tool_call', note('b0'), { priority: 0 })
      },
    )
    await askRing(host, call())
    expect(seen).toEqual(['a10', 'b10', 'a0', 'b0', 'a-5'])
  })

  it('runs them one after another (rule 2)', async () => {
    const first = deferred()
    const seen: string[] = []
    const { host } = await bundledHost((api) => {
      api.on('before_tool_call', async () => {
        seen.push('first begins')
        await first.promise
        seen.push('first ends')
      })
      api.on('before_tool_call', () => void seen.push('second'))
    })
    const answer = askRing(host, call())
    await Promise.resolve()
    expect(seen).toEqual(['first begins'])
    first.resolve()
    await answer
    expect(seen).toEqual(['first begins', 'first ends', 'second'])
  })

  it('answers at once, without a promise, when every handler does', async () => {
    const { host } = await bundledHost((api) => api.on('before_tool_call', () => ({ block: true })))
    const ring = host.hooks()[0] as { before(ctx: unknown): unknown }
    expect(ring.before(call())).toMatchObject({ kind: 'deny' })
  })

  it('hears no opinion in nothing, null and {} (rule 3)', async () => {
    const { host } = await bundledHost((api) => {
      api.on('before_tool_call', () => undefined)
      api.on('before_tool_call', () => null)
      api.on('before_tool_call', async () => ({}))
    })
    expect(await askRing(host, call())).toBeUndefined()
  })

  it('calls only the handlers whose matcher has the tool, whatever its case (rules 14, 17, BR-017)', async () => {
    const seen: string[] = []
    const { host } = await bundledHost((api) => {
      api.on('before_tool_call', () => void seen.push('exec'), { matcher: [' EXEC '] })
      api.on('before_tool_call', () => void seen.push('exec2'), { matcher: ['exec2'] })
      api.on('before_tool_call', () => void seen.push('all'))
    })
    await askRing(host, hookContext({ toolName: 'Exec' }))
    await askRing(host, hookContext({ toolName: 'exec_command' }))
    expect(seen).toEqual(['exec', 'all', 'all'])
  })
})

function unreadable(): object {
  const ownKeys = (): never => {
    throw Object.create(null)
  }
  return new Proxy({}, { ownKeys })
}

describe('the event (rules 21, 22, 44, 45)', () => {
  it('is a copy of its own of the params as they entered, not of earlier rewrites (rule 21)', async () => {
    const seen: unknown[] = []
    const ctx = call({ command: 'ls', deep: { list: [1] } })
    const { host } = await bundledHost((api) => {
      api.on('before_tool_call', (event) => {
        seen.push(structuredClone(event.params))
        event.params.command = 'mutated'
        ;(event.params.deep as { list: number[] }).list.push(2)
        return { params: { command: 'rewritten' } }
      })
      api.on('before_tool_call', (event) => void seen.push(event.params))
    })
    const answer = (await askRing(host, ctx)) as RewriteVerdict
    const original = { command: 'ls', deep: { list: [1] } }
    expect(seen).toEqual([original, original])
    expect(answer.params).toEqual({ ...original, command: 'rewritten' })
    expect(ctx.params).toEqual(original)
  })

  it('copies params only for handlers that look at them, and once for each', async () => {
    const copy = vi.spyOn(globalThis, 'structuredClone')
    const { host } = await bundledHost((api) => {
      for (let i = 0; i < 5; i++) api.on('before_tool_call', (event) => void event.toolName)
      api.on('before_tool_call', (event) => void [event.params, event.params])
    })
    copy.mockClear()
    await askRing(host, call())
    expect(copy.mock.calls).toHaveLength(1)
    copy.mockRestore()
  })

  it('blocks when the params cannot be copied, and only for handlers that look at them (rule 22)', async () => {
    const trusted = hookContext({ toolName: 'exec', params: { run: () => 1 } })
    const looks = await bundledHost((api) =>
      api.on('before_tool_call', (event) => void event.params),
    )
    expect(await askRing(looks.host, trusted)).toMatchObject({
      code: 'HOOK_FAILED',
      reason: FAILED,
    })
    const blind = await bundledHost((api) => api.on('before_tool_call', () => {}))
    expect(await askRing(blind.host, trusted)).toBeUndefined()
  })

  it('has only the facts that are known, frozen where they are objects (rules 44, 45)', async () => {
    const seen: unknown[][] = []
    const { host } = await bundledHost((api) =>
      api.on('before_tool_call', (event, ctx) => void seen.push([event, ctx])),
    )
    await askRing(host, call())
    const trace = { traceId: 't' }
    await askRing(
      host,
      hookContext({
        toolName: 'exec',
        toolKind: 'code_mode_exec',
        toolInputKind: 'javascript',
        derivedPaths: ['a.txt'],
        runId: 'r',
        toolCallId: 'c',
        agentId: 'main',
        sessionKey: 'k',
        sessionId: 's',
        channelId: 'ch',
        messageProvider: 'discord',
        requester: { channel: 'discord', roleIds: ['x'] },
        trace,
      }),
    )
    const [bare, full] = seen as [
      [object, object],
      [Record<string, unknown>, Record<string, unknown>],
    ]
    expect(Object.keys(bare[0])).toEqual(['toolName', 'params'])
    expect(Object.keys(bare[1]).sort()).toEqual(['abortSignal', 'getSessionExtension', 'toolName'])
    expect(full[0]).toEqual({
      toolName: 'exec',
      params: {},
      toolKind: 'code_mode_exec',
      toolInputKind: 'javascript',
      derivedPaths: ['a.txt'],
      runId: 'r',
      toolCallId: 'c',
    })
    expect(full[1]).toMatchObject({
      agentId: 'main',
      sessionKey: 'k',
      sessionId: 's',
      channelId: 'ch',
      messageProvider: 'discord',
      requester: { channel: 'discord', roleIds: ['x'] },
      trace: { traceId: 't' },
    })
    expect(Object.isFrozen(full[0]['derivedPaths'])).toBe(true)
    expect(Object.isFrozen(full[1]['trace'])).toBe(true)
    expect(full[1]['trace']).not.toBe(trace)
    expect(Object.isFrozen(full[1]['requester'])).toBe(true)
  })

  it('never makes a requester up from other facts', async () => {
    let requester: unknown = 'not called'
    const { host } = await bundledHost((api) =>
      api.on('before_tool_call', (_event, ctx) => {
        requester = ctx.requester
      }),
    )
    await askRing(host, hookContext({ senderId: 'u1', channelId: 'discord' }))
    expect(requester).toBeUndefined()
  })
})

describe('merging (rules 23 to 30, 37)', () => {
  const ring = (...results: unknown[]) =>
    bundledHost((api) => {
      for (const result of results) api.on('before_tool_call', () => result as object)
    })

  it('merges params over the original, per key the last wins (rules 23, 37; design 16)', async () => {
    const { host } = await ring({ params: { a: 1, b: 1 } }, { params: { b: 2, c: 2 } }, {})
    const answer = (await askRing(host, call({ a: 0, z: 0 }))) as RewriteVerdict
    expect(answer.params).toEqual({ a: 1, b: 2, c: 2, z: 0 })
  })

  it('lets a handler change a key and another add one: no opinion resets a rewrite (BR-049)', async () => {
    const { host } = await ring({ params: { command: 'timeout 5 x' } }, undefined)
    const answer = (await askRing(host, call({ command: 'x' }))) as RewriteVerdict
    expect(answer.params).toEqual({ command: 'timeout 5 x' })
  })

  it('ends the chain at a block and says whose it was (rules 24, 25)', async () => {
    const later = vi.fn()
    const { host } = await bundledHost(
      (api) => api.on('before_tool_call', () => ({ block: true, blockReason: 'no' })),
      (api) => api.on('before_tool_call', later),
    )
    expect(await askRing(host, call())).toMatchObject({
      kind: 'deny',
      reason: 'no',
      rule: 'plugin:a',
      details: { pluginId: 'a' },
    })
    expect(later).not.toHaveBeenCalled()
  })

  it('gives a block without a reason the usual one (rule 40)', async () => {
    const { host } = await ring({ block: true })
    expect(await askRing(host, call())).toMatchObject({
      reason: 'Tool call blocked by plugin hook',
    })
  })

  it('never undoes a block by block: false, whatever the order (rule 24)', async () => {
    const { host } = await ring(
      { block: false },
      { block: true, blockReason: 'no' },
      { block: false },
    )
    expect(await askRing(host, call())).toMatchObject({ kind: 'deny', reason: 'no' })
  })

  it('keeps the first of two blocks of one priority, and never reaches a handler that would throw (T10)', async () => {
    const { host } = await bundledHost((api) => {
      api.on('before_tool_call', () => ({ block: true, blockReason: 'first' }))
      api.on('before_tool_call', () => ({ block: true, blockReason: 'second' }))
      api.on('before_tool_call', () => {
        throw new Error('unreachable')
      })
    })
    expect(await askRing(host, call())).toMatchObject({ reason: 'first' })
  })

  it('keeps the first question and stamps its plugin (rule 26)', async () => {
    const { host } = await bundledHost(
      (api) =>
        api.on('before_tool_call', () => ({
          requireApproval: { title: 'one', description: 'd', pluginId: 'spoofed' },
        })),
      (api) =>
        api.on('before_tool_call', () => ({ requireApproval: { title: 'two', description: 'd' } })),
    )
    expect(await askRing(host, call())).toMatchObject({
      kind: 'ask',
      request: { title: 'one', asker: 'plugin:a' },
    })
  })

  it('freezes the params at the first question: later params and later mutation have no effect (rule 27)', async () => {
    const returned = { command: 'asked', deep: { n: 1 } }
    const { host } = await bundledHost((api) => {
      api.on('before_tool_call', () => ({ params: { first: true } }))
      api.on('before_tool_call', () => ({
        params: returned,
        requireApproval: { title: 't', description: 'd' },
      }))
      api.on('before_tool_call', async () => {
        returned.command = 'mutated'
        returned.deep.n = 2
        return { params: { command: 'late', more: true } }
      })
    })
    const answer = (await askRing(host, call({ command: 'ls' }))) as RewriteVerdict
    expect(answer.kind).toBe('rewrite')
    expect(answer.params).toEqual({ command: 'asked', deep: { n: 1 }, first: true })
    expect(answer.ask?.request.title).toBe('t')
  })

  it('blocks when the params that were asked about cannot be copied (rule 28)', async () => {
    const later = vi.fn()
    const { host } = await bundledHost((api) => {
      api.on('before_tool_call', () => ({
        params: { run: () => 1 },
        requireApproval: { title: 't', description: 'd' },
      }))
      api.on('before_tool_call', later)
    })
    expect(await askRing(host, call())).toMatchObject({ code: 'HOOK_BAD_ANSWER', reason: FAILED })
    expect(later).not.toHaveBeenCalled()
  })

  it.each([
    ['blocks', () => ({ block: true }), 'DENIED'],
    ['answers badly', () => ({ blocked: true }), 'HOOK_BAD_ANSWER'],
    ['answers with what cannot be read', unreadable, 'HOOK_BAD_ANSWER'],
    ['fails', () => Promise.reject(new Error('no')), 'HOOK_FAILED'],
  ] as const)(
    'tells whoever asked, once, that nobody will decide, when a later one %s (rules 29, 62)',
    async (_what, later, code) => {
      const told: string[] = []
      const { host } = await bundledHost((api) => {
        api.on('before_tool_call', () => ({
          requireApproval: { title: '?', onResolution: (resolution) => told.push(resolution) },
        }))
        api.on('before_tool_call', later as () => object)
      })
      const app = quietApp().use(host)
      expect(await app.execute({ toolName: 'exec' }, () => 1)).toMatchObject({ code })
      expect(told).toEqual(['cancelled'])
      await app.explain({ toolName: 'exec' })
      expect(told).toEqual(['cancelled'])
    },
  )

  it('lets a later handler block after a question (rules 29, 30)', async () => {
    const { host } = await ring(
      { requireApproval: { title: 't', description: 'd' } },
      { block: true, blockReason: 'never', params: { x: 1 } },
      { block: false },
    )
    expect(await askRing(host, call())).toMatchObject({ kind: 'deny', reason: 'never' })
  })

  it('refuses a question without a title', async () => {
    const { host } = await ring({ requireApproval: { description: 'd' } })
    expect(await askRing(host, call())).toMatchObject({ code: 'HOOK_BAD_ANSWER' })
  })

  it.each([[true], ['deny'], [{ blocked: true }], [{ block: 'yes' }]])(
    'blocks on the answer %j, which is none',
    async (answer) => {
      const { host } = await ring(answer)
      const { log, lines } = recordingLogger()
      const denied = await askRing(host, { ...call(), log })
      expect(denied).toMatchObject({ code: 'HOOK_BAD_ANSWER', reason: FAILED })
      expect(lines[0]?.message).toMatch(/^before_tool_call of plugin a .*; the call is blocked$/)
    },
  )
})

describe('failures and time (rules 6 to 8, 11, 31, 33)', () => {
  const failing = (register: (api: PluginApi) => void, options = {}) =>
    loadHost({ bundled: definitions([register]), ...options })

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
    [
      'answers with a thenable that throws',
      () =>
        JSON.parse('{}', () => ({
          // biome-ignore lint/suspicious/noThenProperty: what a bad promise library may give
          then: () => {
            throw new Error('boom')
          },
        })),
    ],
  ])('blocks when a handler %s (rules 4, 11, 31, BR-034)', async (_how, handler) => {
    const { host } = await failing((api) => api.on('before_tool_call', handler))
    const { log, lines } = recordingLogger()
    expect(await askRing(host, { ...call(), log })).toMatchObject({
      kind: 'deny',
      code: 'HOOK_FAILED',
      reason: FAILED,
    })
    expect(lines).toEqual([
      {
        level: 'warn',
        fields: { pluginId: 'a', cause: 'error' },
        message: 'before_tool_call of plugin a failed: boom; the call is blocked',
      },
    ])
  })

  it('logs the fault in one line, without secrets (rule 33)', async () => {
    const { host } = await failing((api) =>
      api.on('before_tool_call', () => {
        throw new Error('one\n\ttwo sk-abcdefghijklmnopqrstuvwxyz123456')
      }),
    )
    const { log, lines } = recordingLogger()
    await askRing(host, { ...call(), log })
    expect(lines[0]?.message).toContain('one two')
    expect(lines[0]?.message).not.toMatch(/\n|sk-abcdef/)
  })

  it('gives a handler 15 000 ms, not one less, then blocks as timed out (section 2, T1, BR-040)', async () => {
    vi.useFakeTimers()
    const { host } = await failing((api) => api.on('before_tool_call', () => new Promise(() => {})))
    let answer: unknown
    void askRing(host, call()).then((value) => {
      answer = value
    })
    await vi.advanceTimersByTimeAsync(14_999)
    expect(answer).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(answer).toMatchObject({ kind: 'deny', code: 'HOOK_TIMEOUT', reason: FAILED })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives every handler its own time', async () => {
    vi.useFakeTimers()
    const { host } = await failing((api) => {
      for (let i = 0; i < 3; i++) {
        api.on('before_tool_call', () => new Promise((resolve) => setTimeout(resolve, 14_000)))
      }
    })
    const answer = askRing(host, call())
    await vi.advanceTimersByTimeAsync(42_000)
    expect(await answer).toBeUndefined()
  })

  it.each([
    [
      'the event of the operator',
      { timeouts: { before_tool_call: 300 }, timeoutMs: 400 },
      500,
      300,
    ],
    ['the operator', { timeoutMs: 400 }, 500, 400],
    ['the plugin', undefined, 500, 500],
    ['the default, for no duration', undefined, -1, 15_000],
    ['the default, for Infinity', undefined, Number.POSITIVE_INFINITY, 15_000],
    ['the default', undefined, undefined, 15_000],
  ])('takes the time of %s (rules 6, 7)', async (_who, hooks, timeoutMs, expected) => {
    vi.useFakeTimers()
    const { host } = await failing(
      (api) =>
        api.on(
          'before_tool_call',
          () => new Promise(() => {}),
          timeoutMs === undefined ? {} : { timeoutMs },
        ),
      { config: { entries: { a: hooks === undefined ? {} : { hooks } } } },
    )
    let answer: unknown
    void askRing(host, call()).then((value) => {
      answer = value
    })
    await vi.advanceTimersByTimeAsync(expected - 1)
    expect(answer).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(answer).toMatchObject({ code: 'HOOK_TIMEOUT' })
  })

  it("fires the handler's own signal when its time is up, and not the next one's (rule 8: better)", async () => {
    vi.useFakeTimers()
    const signals: AbortSignal[] = []
    const { host } = await failing(
      (api) => {
        api.on('before_tool_call', (_event, ctx) => {
          signals.push(ctx.abortSignal)
          return new Promise(() => {})
        })
        api.on('before_tool_call', (_event, ctx) => void signals.push(ctx.abortSignal))
      },
      { config: { entries: { a: { failOpen: ['timeout'] } } } },
    )
    const answer = askRing(host, call())
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await answer).toBeUndefined()
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false])
    expect(signals[0]?.reason).toMatchObject({ message: 'timed out after 15000ms' })
  })

  it("fires the handler's signal on the call's abort and leaves no listener or timer behind", async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const aborted = deferred<unknown>()
    const { host } = await failing((api) =>
      api.on('before_tool_call', async (_event, ctx) => {
        await Promise.resolve()
        ctx.abortSignal.addEventListener('abort', () => aborted.resolve(ctx.abortSignal.reason))
        await new Promise(() => {})
      }),
    )
    const answer = askRing(host, { ...call(), signal: controller.signal })
    await Promise.resolve()
    await Promise.resolve()
    controller.abort('stop')
    expect(await aborted.promise).toBe('stop')
    await answer
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ignores what a handler says after its time (rule 8)', async () => {
    vi.useFakeTimers()
    const late = deferred<object>()
    const { host } = await failing((api) => api.on('before_tool_call', () => late.promise), {
      config: { entries: { a: { failOpen: ['timeout'] } } },
    })
    const answer = askRing(host, call())
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await answer).toBeUndefined()
    late.reject(new Error('late'))
    await vi.runAllTimersAsync()
  })

  it('goes on without a failing handler only where the operator says so (rule 32)', async () => {
    const register = (api: PluginApi): void => {
      api.on('before_tool_call', () => {
        throw new Error('boom')
      })
      api.on('before_tool_call', () => ({ params: { kept: true } }))
    }
    const closed = await failing(register, {
      config: { entries: { a: { failOpen: ['timeout'] } } },
    })
    expect(((await askRing(closed.host, call())) as DenyVerdict).code).toBe('HOOK_FAILED')
    const open = await failing(register, { config: { entries: { a: { failOpen: ['error'] } } } })
    const { log, lines } = recordingLogger()
    expect(await askRing(open.host, { ...call({}), log })).toMatchObject({ params: { kept: true } })
    expect(lines[0]?.message).toContain('goes on without it, as failOpen says')
  })

  it('never fails open on a bad answer', async () => {
    const { host } = await failing(
      (api) => api.on('before_tool_call', () => true as unknown as object),
      {
        config: { entries: { a: { failOpen: ['error', 'timeout'] } } },
      },
    )
    expect(await askRing(host, call())).toMatchObject({ code: 'HOOK_BAD_ANSWER' })
  })
})
