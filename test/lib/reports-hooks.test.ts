import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBridgedPlugin } from '../../lib/plugin/bridge/create.ts'
import { implicitManifest } from '../../lib/plugin/manifest.ts'
import { parseMatcher } from '../../lib/plugin/matcher.ts'
import { Toolware } from '../../lib/toolware.ts'
import type { AnyHook, HookContext, Middleware, Outcome, ToolHook } from '../../lib/types.ts'
import { ask, deny, rewrite } from '../../lib/verdict.ts'
import { fixture, started } from '../helpers/bridge.ts'
import { deferred, never, quietLog } from '../helpers/call.ts'
import { bundledHost } from '../helpers/plugins.ts'
import { settle } from '../helpers/timers.ts'

// Faults that users of such systems have reported, each with what must come of it here.

interface Case {
  readonly id: string
  readonly area: string
  readonly gist: string
}

const CASES = JSON.parse(
  readFileSync(new URL('../cases/reports-hooks.json', import.meta.url), 'utf8'),
) as Case[]
const told = new Set<string>()

/** A test under the words of the report. */
function scenario(id: string, run: () => Promise<void> | void): void {
  told.add(id)
  it(`${id}: ${CASES.find((known) => known.id === id)?.gist}`, run)
}

afterEach(() => vi.useRealTimers())

const appOf = (...items: Array<AnyHook | Middleware>): Toolware => {
  const app = new Toolware({ log: quietLog() })
  for (const item of items) app.use(item)
  return app
}
const tool = () => 'done'

describe('parallel calls', () => {
  scenario('BR-010', async () => {
    const app = appOf({
      name: 'count',
      async before({ state }) {
        const n = (state.get('n') as number | undefined) ?? 0
        await Promise.resolve()
        state.set('n', n + 1)
      },
      after: ({ state }) => void seen.push(state.get('n')),
    })
    const seen: unknown[] = []
    await Promise.all(Array.from({ length: 10 }, () => app.execute({ toolName: 't' }, tool)))
    // A call's state is its own: nothing is lost, because nothing is shared. Limits count atomically elsewhere.
    expect(seen).toEqual(Array.from({ length: 10 }, () => 1))
  })

  scenario('BR-012', async () => {
    const app = appOf(
      { name: 'flag', before: (ctx) => void (ctx.toolName === 'b' && ctx.state.set('skip', true)) },
      { name: 'obey', before: ({ state }) => !state.has('skip') },
    )
    const [a, b] = await Promise.all(['a', 'b'].map((toolName) => app.execute({ toolName }, tool)))
    expect([a?.status, b?.status]).toEqual(['completed', 'blocked'])
  })

  scenario('BR-013', async () => {
    const app = appOf({ name: 'no-2', check: ({ params }) => params['n'] !== 2 })
    const calls = [1, 2, 3].map((n) =>
      app.execute({ toolName: 't', params: { n } }, ({ n: m }) => m),
    )
    const outcomes = await Promise.all(calls)
    expect(outcomes.map(({ status }) => status)).toEqual(['completed', 'blocked', 'completed'])
    expect(outcomes.map((it) => 'result' in it && it.result)).toEqual([1, false, 3])
  })

  scenario('BR-015', async () => {
    // Different on purpose: no batch facts of ours. The host names the turn by `runId`, and hooks count by that.
    const perTurn = new Map<string | undefined, number>()
    const app = appOf({
      name: 'turns',
      before: ({ runId }) => void perTurn.set(runId, (perTurn.get(runId) ?? 0) + 1),
    })
    const turn = app.scope({ runId: 'turn-1' })
    await Promise.all([1, 2, 3].map(() => turn.execute({ toolName: 'read' }, tool)))
    await app.scope({ runId: 'turn-2' }).execute({ toolName: 'read' }, tool)
    expect([...perTurn]).toEqual([
      ['turn-1', 3],
      ['turn-2', 1],
    ])
  })
})

describe('hooks that fire, once, for what they are meant for', () => {
  scenario('BR-016', () => {
    expect(() => parseMatcher(['Bash(git commit*)'])).toThrow(TypeError)
  })

  scenario('BR-017', async () => {
    const after = vi.fn(() => {
      throw new Error('boom')
    })
    const errors = vi.fn()
    const app = appOf().use({ name: 'bash-only', after }, { tools: ['Bash'] })
    app.on('error', errors)
    await app.execute({ toolName: 'Read' }, tool)
    expect([after.mock.calls, errors.mock.calls]).toEqual([[], []])
    await app.execute({ toolName: 'bash' }, tool)
    expect(errors).toHaveBeenCalledTimes(1)
  })

  scenario('BR-019', async () => {
    const seen: Array<string | undefined> = []
    const app = appOf({
      name: 'count',
      check: ({ toolCallId }) => void seen.push(toolCallId) as never,
    })
    const once = app.wrap('t', tool)
    const twice = app.wrap('t', once)
    expect(twice).toBe(once)
    await app.scope({ toolCallId: 'c1' }).execute({ toolName: 't' }, tool)
    await twice({})
    expect(seen).toEqual(['c1', undefined])
  })

  scenario('BR-021', async () => {
    const ran = vi.fn(tool)
    const app = appOf({ name: 'no', check: () => false })
    expect(await app.execute({ toolName: 't' }, ran)).toMatchObject({ status: 'blocked' })
    expect(await app.scope({}).execute({ toolName: 't' }, ran)).toMatchObject({ status: 'blocked' })
    await expect(app.wrap('t', ran)({})).rejects.toMatchObject({ code: 'DENIED' })
    const stream = app.stream({ toolName: 't' }, async function* () {
      yield ran()
    })
    expect(await stream.outcome).toMatchObject({ status: 'blocked' })
    expect(ran).not.toHaveBeenCalled()
  })

  scenario('BR-022', async () => {
    const seen: string[] = []
    const { host } = await bundledHost((api) =>
      api.on('before_tool_call', ({ toolName }) => void seen.push(toolName)),
    )
    const app = appOf().use(host)
    const remote = (params: object) => Promise.resolve(JSON.parse(JSON.stringify(params)) as object)
    await app.wrap('a', tool)({})
    await app.wrap('mcp/server.b', remote)({})
    expect(seen).toEqual(['a', 'mcp/server.b'])
  })

  scenario('BR-024', async () => {
    const seen: string[] = []
    const { host } = await bundledHost((api) => {
      api.on('before_tool_call', () => void seen.push('before_tool_call'))
      api.on('tool:*', ({ phase }) => void seen.push(`tool:${phase}`))
      api.on('after_tool_call', () => void seen.push('after_tool_call'))
    })
    const run = appOf({ name: 'own', check: () => void seen.push('check') as never }).use(host)
    await run.execute({ toolName: 't' }, tool)
    const executed = seen.splice(0)
    const stream = run.stream({ toolName: 't' }, async function* () {
      yield 'done'
    })
    for await (const _ of stream) void _
    await stream.outcome
    expect(seen).toEqual(executed)
    expect(executed).toEqual([
      'check',
      'tool:before',
      'before_tool_call',
      'after_tool_call',
      'tool:after',
    ])
  })

  scenario('BR-025', () => {
    // What a host runs behind our back cannot be caught; what was never wrapped can be told.
    const app = appOf({ name: 'no', check: () => false })
    app.wrap('read', tool)
    expect(app.coverage(['read', 'connector_call']).unwrapped).toEqual(['connector_call'])
  })

  scenario('BR-027', async () => {
    const { host } = await bundledHost((api) => api.on('PreToolUse' as 'tool:before', () => false))
    expect(host.diagnostics()[0]?.message).toContain("did you mean 'before_tool_call'?")
    expect(host.reports()[0]?.state).toBe('refused')
  })

  scenario('BR-028', async () => {
    const plugin = createBridgedPlugin({
      manifest: { ...implicitManifest(fixture('good.mjs')), runtime: 'process' },
      entryPath: fixture('good.mjs'),
      entry: { bridge: { command: ['node', '-e', ''], maxRestarts: 0, stopTimeoutMs: 300 } },
      log: quietLog(),
    })
    await expect(plugin.start()).rejects.toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
    const ran = vi.fn(tool)
    const outcome = await appOf(plugin.hook).execute({ toolName: 'rm' }, ran)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'PLUGIN_UNAVAILABLE' })
    expect(ran).not.toHaveBeenCalled()
    await plugin.close()
  })

  scenario('BR-030', async () => {
    let effects = 0
    const { host } = await bundledHost((api) => api.on('before_tool_call', () => ({ block: true })))
    const outcome = await appOf()
      .use(host)
      .execute({ toolName: 't' }, () => ++effects)
    expect([outcome.status, effects]).toEqual(['blocked', 0])
  })
})

describe('decisions', () => {
  const denies: ToolHook = { name: 'denies', check: () => deny('no') }
  const asks: ToolHook = { name: 'asks', check: () => ask({ title: 'may it?' }) }
  const allows: ToolHook = { name: 'allows', check: () => true }

  scenario('BR-031', async () => {
    for (const order of [
      [asks, denies],
      [denies, asks],
    ]) {
      const decide = vi.fn()
      const app = new Toolware({ log: quietLog(), approvals: { decide } })
      for (const hook of order) app.use(hook)
      expect(await app.execute({ toolName: 'bash' }, tool)).toMatchObject({ code: 'DENIED' })
      expect(decide).not.toHaveBeenCalled()
    }
  })

  scenario('BR-032', async () => {
    for (const order of [
      [allows, denies],
      [denies, allows],
    ]) {
      expect(await appOf(...order).execute({ toolName: 'bash' }, tool)).toMatchObject({
        by: 'denies',
      })
    }
  })

  scenario('BR-034', async () => {
    const app = new Toolware({ log: quietLog(), exposeErrors: true }).use({
      name: 'guard',
      check() {
        throw new Error('violation')
      },
    })
    expect(await app.execute({ toolName: 'rm' }, tool)).toMatchObject({
      status: 'blocked',
      code: 'HOOK_FAILED',
      reason: 'hook failed: violation',
    })
  })

  scenario('BR-035', async () => {
    vi.useFakeTimers()
    const app = new Toolware({ log: quietLog(), beforeTimeoutMs: 50 }).use({
      name: 'hangs',
      before: never,
    })
    const outcome = app.execute({ toolName: 'rm' }, tool)
    await vi.advanceTimersByTimeAsync(200)
    expect(await outcome).toMatchObject({ status: 'blocked', code: 'HOOK_TIMEOUT' })
    vi.useRealTimers()
    const plugin = createBridgedPlugin({
      manifest: { ...implicitManifest(fixture('good.mjs')), runtime: 'process' },
      entryPath: fixture('good.mjs'),
      entry: { bridge: { command: ['/no/such/program'], maxRestarts: 0, stopTimeoutMs: 300 } },
      log: quietLog(),
    })
    await plugin.start().catch(() => undefined)
    expect(await appOf(plugin.hook).execute({ toolName: 'rm' }, tool)).toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
    })
    await plugin.close()
  })

  scenario('BR-037', async () => {
    const { plugin } = await started(['good.mjs'], { bridge: { beforeTimeoutMs: 200 } })
    const outcome = appOf(plugin.hook).execute({ toolName: 'deploy' }, tool)
    // The request is out; now the host is too busy to read the answer in time.
    await new Promise((resolve) => setTimeout(resolve, 0))
    const end = performance.now() + 500
    while (performance.now() < end);
    expect(await outcome).toMatchObject({
      status: 'blocked',
      reason: expect.stringContaining('not on Fridays'),
    })
  })

  scenario('BR-038', async () => {
    const { plugin } = await started(['noisy.mjs'])
    expect(await appOf(plugin.hook).execute({ toolName: 't' }, tool)).toMatchObject({
      status: 'completed',
    })
    const garbage = await started(['garbage.mjs'], { bridge: { beforeTimeoutMs: 300 } })
    const outcome = await appOf(garbage.plugin.hook).execute({ toolName: 't' }, tool)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'PLUGIN_BAD_ANSWER' })
  })

  scenario('BR-040', async () => {
    vi.useFakeTimers()
    const outcome = appOf({ name: 'hangs', before: never }).execute({ toolName: 'a' }, tool)
    await vi.advanceTimersByTimeAsync(16_000)
    expect(await outcome).toMatchObject({ status: 'blocked', code: 'HOOK_TIMEOUT' })
  })

  scenario('BR-041', async () => {
    vi.useFakeTimers()
    const { host } = await bundledHost((api) =>
      api.on(
        'before_tool_call',
        () => new Promise((resolve) => setTimeout(() => resolve({ params: { late: true } }), 150)),
        { timeoutMs: 200 },
      ),
    )
    const app = new Toolware({ log: quietLog(), beforeTimeoutMs: 100 }).use(host)
    const outcome = app.execute({ toolName: 't' }, (params) => params)
    await vi.advanceTimersByTimeAsync(160)
    expect(await outcome).toMatchObject({ status: 'completed', result: { late: true } })
  })

  scenario('BR-042', async () => {
    expect(await appOf(asks).execute({ toolName: 't' }, tool)).toMatchObject({
      status: 'blocked',
      code: 'APPROVAL_UNAVAILABLE',
    })
  })

  scenario('BR-045', async () => {
    const app = appOf({ name: 'first', check: ({ toolCallId }) => toolCallId !== '1' })
    const settled: string[] = []
    app.on('settled', ({ ctx }) => settled.push(ctx.toolCallId ?? ''))
    const outcomes = await Promise.all(
      ['1', '2'].map((toolCallId) => app.execute({ toolName: 't', toolCallId }, tool)),
    )
    expect(settled.sort()).toEqual(['1', '2'])
    expect(outcomes.map(({ failed, text }) => [failed, text !== ''])).toEqual([
      [true, true],
      [false, true],
    ])
  })

  scenario('BR-047', async () => {
    const app = appOf(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        // It is the tool's own error, not a wrapped one.
        if (!(error instanceof RangeError)) throw error
        ctx.result = { code: 'invalid_params' }
      }
    })
    const outcome = await app.execute({ toolName: 't' }, () => {
      throw new RangeError('too far')
    })
    expect(outcome).toMatchObject({ status: 'completed', result: { code: 'invalid_params' } })
  })

  scenario('BR-048', async () => {
    const app = appOf(async () => {})
    const outcome = await app.execute({ toolName: 'list_lights' }, tool)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'SHORT_CIRCUIT', executed: false })
    expect(outcome.text).not.toBe('')
  })
})

describe('rewriting', () => {
  scenario('BR-049', async () => {
    const app = appOf(
      { name: 'h1', before: ({ params }) => rewrite({ cmd: `timeout 5 ${params['cmd']}` }) },
      { name: 'h2', before: () => undefined },
      { name: 'h3', check: () => null },
    )
    const outcome = await app.execute({ toolName: 'bash', params: { cmd: 'x' } }, ({ cmd }) => cmd)
    expect(outcome).toMatchObject({ result: 'timeout 5 x' })
  })

  scenario('BR-050', async () => {
    const app = appOf(
      async function identity(ctx, next) {
        await next()
        ctx.result = ctx.result as string
      },
      async function masks(ctx, next) {
        await next()
        ctx.result = String(ctx.result).replace('secret', '***')
      },
    )
    expect(await app.execute({ toolName: 't' }, () => 'a secret')).toMatchObject({
      result: 'a ***',
    })
  })

  scenario('BR-052', async () => {
    const app = appOf({ name: 'x', before: ({ params }) => rewrite({ ...params, x: 2 }) })
    for (const toolName of ['bash', 'Read', 'mcp__s__t', 'sk_x', 'apply_patch', 'message']) {
      const echo = (params: object) => params
      expect(await app.wrap(toolName, echo)({ x: 1 })).toEqual({ x: 2 })
      expect(await app.execute({ toolName, params: { x: 1 } }, echo)).toMatchObject({
        result: { x: 2 },
      })
      const stream = app.stream({ toolName, params: { x: 1 } }, async function* (params) {
        yield params
      })
      for await (const chunk of stream) expect(chunk).toEqual({ x: 2 })
    }
  })

  scenario('BR-053', async () => {
    const app = appOf({ name: 'path', before: () => rewrite({ path: 'safe' }) })
    let wire = ''
    const remote = app.wrap('remote', (params: { path: string }) => {
      wire = JSON.stringify(params)
      return wire
    })
    await remote({ path: '/etc/passwd' })
    expect(wire).toBe('{"path":"safe"}')
  })

  scenario('BR-055', async () => {
    const check = vi.fn(() => true)
    const { host } = await bundledHost((api) =>
      api.on('before_tool_call', ({ params }) => ({ params: structuredClone(params) })),
    )
    const app = appOf({ name: 'counts', check }).use(host)
    const outcome = await app.execute(
      { toolName: 't', params: { a: { b: 1 } } },
      (params) => params,
    )
    expect(outcome).toMatchObject({ status: 'completed', result: { a: { b: 1 } } })
    // No change, so nothing is judged again.
    expect(check).toHaveBeenCalledTimes(1)
  })

  scenario('BR-056', async () => {
    // Different on purpose: the pipeline knows no schemas. A check that does is asked again about the final params.
    const known = ['timeout']
    const app = appOf(
      {
        name: 'schema',
        check: ({ params }) =>
          Object.keys(params).every((key) => known.includes(key)) || deny('unknown argument'),
      },
      { name: 'typo', before: ({ params }) => rewrite({ ...params, timout: 5 }) },
    )
    const ran = vi.fn(tool)
    expect(await app.execute({ toolName: 't', params: { timeout: 1 } }, ran)).toMatchObject({
      status: 'blocked',
      by: 'schema',
    })
    expect(ran).not.toHaveBeenCalled()
  })
})

describe('after hooks', () => {
  const throws: ToolHook = {
    name: 'throws',
    after() {
      throw new Error('boom')
    },
  }

  scenario('BR-058', async () => {
    let charged = 0
    const errors = vi.fn()
    const app = appOf(throws)
    app.on('error', errors)
    const outcome = await app.execute({ toolName: 'charge' }, () => ++charged)
    expect(outcome).toMatchObject({ status: 'completed', result: 1 })
    expect([charged, errors.mock.calls.length]).toEqual([1, 1])
  })

  scenario('BR-059', async () => {
    const record = async (calls: number): Promise<string[]> => {
      const seen: string[] = []
      const app = appOf(throws)
      app.on('error', ({ hook, phase }) => seen.push(`${hook} ${phase}`))
      const outcomes = await Promise.all(
        Array.from({ length: calls }, () => app.execute({ toolName: 't' }, async () => 'done')),
      )
      expect(outcomes.every(({ status }) => status === 'completed')).toBe(true)
      return seen
    }
    expect(await record(1)).toEqual(['throws after'])
    expect(await record(3)).toEqual(['throws after', 'throws after', 'throws after'])
  })

  scenario('BR-061', async () => {
    const after = vi.fn((_ctx: HookContext, _outcome: Outcome) => {})
    const error = new Error('tool')
    const failing = appOf({ name: 'log', after }).wrap('t', () => {
      throw error
    })
    await expect(failing({})).rejects.toBe(error)
    expect(after.mock.calls[0]?.[1]).toMatchObject({ status: 'failed', error })
  })

  scenario('BR-062', async () => {
    vi.useFakeTimers()
    const seen: string[] = []
    const tell = (_ctx: HookContext, outcome: Outcome): void =>
      void seen.push('code' in outcome ? `${outcome.status} ${outcome.code}` : outcome.status)
    const app = new Toolware({ log: quietLog(), toolTimeoutMs: 100 })
    app.use({ name: 'log', after: tell, skipped: tell })
    app.use({ name: 'no', check: ({ toolName }) => toolName !== 'denied' })
    await app.execute({ toolName: 'ok' }, tool)
    await app.execute({ toolName: 'throws' }, () => {
      throw new Error('x')
    })
    await app.execute({ toolName: 'denied' }, tool)
    const late = app.execute({ toolName: 'late' }, never)
    await vi.advanceTimersByTimeAsync(200)
    await late
    expect(seen).toEqual([
      'completed',
      'failed TOOL_FAILED',
      'blocked DENIED',
      'failed TOOL_TIMEOUT',
    ])
  })

  scenario('BR-064', async () => {
    const after = vi.fn()
    const skipped = vi.fn()
    const app = appOf(
      { name: 'rate', after, skipped },
      { name: 'no', before: () => deny('not now') },
    )
    await app.execute({ toolName: 't' }, tool)
    expect(after).not.toHaveBeenCalled()
    expect(skipped.mock.calls[0]?.[1]).toMatchObject({ status: 'blocked', reason: 'not now' })
  })

  scenario('BR-065', async () => {
    // Different on purpose: observers of plugins are detached, so there is no queue whose end a call could meet.
    const gate = deferred()
    const { host } = await bundledHost((api) => api.on('after_tool_call', () => gate.promise))
    const app = appOf().use(host)
    const controller = new AbortController()
    const done = await Promise.all(
      Array.from({ length: 200 }, () =>
        app.execute({ toolName: 't', signal: controller.signal }, tool),
      ),
    )
    expect(done.every(({ status }) => status === 'completed')).toBe(true)
    const hanging = app.execute({ toolName: 't', signal: controller.signal }, never)
    await settle()
    controller.abort()
    expect(await hanging).toMatchObject({ status: 'aborted' })
    gate.resolve(undefined)
    await app.close()
  })
})

it('tells every report of these areas', () => {
  expect([...told].sort()).toEqual(CASES.map(({ id }) => id).sort())
})
