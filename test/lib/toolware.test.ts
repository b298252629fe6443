import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, it, vi } from 'vitest'
import {
  adapt,
  compose,
  currentCall,
  deny,
  isToolwareError,
  type Middleware,
  type Outcome,
  ToolDeniedError,
  type ToolHook,
  Toolware,
  ToolwareError,
} from '../../lib/index.ts'
import { call, deferred, echo, quietApp, quietLog } from '../helpers/call.ts'

describe('new Toolware()', () => {
  it('refuses unknown options and wrong values, and says which', () => {
    expect(() => new Toolware({ beforeTimoutMs: 1 } as never)).toThrowErrorMatchingInlineSnapshot(
      `[ToolwareError: beforeTimoutMs: no option of Toolware; did you mean beforeTimeoutMs?]`,
    )
    expect(() => new Toolware({ beforeTimeoutMs: -1 })).toThrow(
      /beforeTimeoutMs: must be milliseconds/,
    )
    expect(() => new Toolware({ intake: { maxDepth: 0 } })).toThrow(
      /intake.maxDepth: must be a positive whole number/,
    )
    expect(() => new Toolware({ intake: { maxDeep: 1 } as never })).toThrow(
      /intake.maxDeep: no bound/,
    )
    expect(() => new Toolware({ intake: 'some' as never })).toThrow(
      /intake: must be 'copy', 'trusted' or bounds; got "some"/,
    )
    expect(() => new Toolware({ timing: 'all' as never })).toThrow(/timing/)
    expect(() => new Toolware({ log: {} as never })).toThrow(/log: must have the method debug/)
    expect(() => new Toolware({ approvals: {} as never })).toThrow(/approvals/)
  })
})

describe('app.use', () => {
  it('returns the pipeline', () => {
    const app = quietApp()
    expect(app.use((_c, next) => next())).toBe(app)
  })

  const wrong: Array<[string, unknown, RegExp]> = [
    ['null', null, /got null/],
    ['a number', 5, /got number/],
    ['undefined', undefined, /got undefined/],
    [
      'a hook without a phase',
      { name: 'x' },
      /hook "x" has no phase: give it one of check, before/,
    ],
    ['a hook without a name', { check: () => true }, /needs a name/],
    ['a hook with a blank name', { name: ' ', check: () => true }, /needs a name/],
    [
      'a mixture',
      { name: 'x', check: () => true, beforeExecute: () => true },
      /mixes beforeExecute with check/,
    ],
    [
      'a misspelt phase',
      { name: 'x', befor: () => true },
      /befor is no phase; did you mean before\?/,
    ],
    [
      'a misspelt phase beside a right one',
      { name: 'x', check: () => true, skiped: () => 1 },
      /did you mean skipped/,
    ],
    ['a misspelt case', { name: 'x', Check: () => true }, /did you mean check/],
    [
      'a misspelt plain phase',
      { name: 'x', beforeExcute: () => true },
      /did you mean beforeExecute/,
    ],
    [
      'a phase that is no function',
      { name: 'x', check: true },
      /check must be a function, not true/,
    ],
    [
      'a bad failOpen',
      { name: 'x', check: () => true, failOpen: ['errors'] },
      /failOpen must be a list/,
    ],
    [
      'a bad timeoutMs',
      { name: 'x', check: () => true, timeoutMs: -1 },
      /timeoutMs must be milliseconds/,
    ],
  ]
  for (const [what, value, message] of wrong) {
    it(`refuses ${what} with a TypeError`, () => {
      expect(() => quietApp().use(value as ToolHook)).toThrow(TypeError)
      expect(() => quietApp().use(value as ToolHook)).toThrow(message)
    })
  }

  it('leaves other members to the hook, which keeps its `this`', async () => {
    class Counter {
      readonly name = 'counter'
      #count = 0
      label = 'l'
      check(): boolean {
        return ++this.#count < 3
      }
      reset(): void {
        this.#count = 0
      }
    }
    const counter = new Counter()
    const app = quietApp().use(counter)
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await app.execute(call(), echo)).status)
    expect(statuses).toEqual(['completed', 'completed', 'blocked'])
  })

  it('inserts a snapshot of another pipeline in place', async () => {
    const log: string[] = []
    const say = (name: string): ToolHook => ({
      name,
      check: () => {
        log.push(name)
        return true
      },
    })
    const pack = quietApp().use(say('b')).use(say('c'))
    const app = quietApp().use(say('a')).use(pack).use(say('d'))
    pack.use(say('never'))
    await app.execute(call(), echo)
    expect(log).toEqual(['a', 'b', 'c', 'd'])
  })

  it('takes nested compose() and adapt() without losing what comes after', async () => {
    const log: string[] = []
    const mw =
      (n: string): Middleware =>
      async (_c, next) => {
        log.push(`${n} in`)
        await next()
        log.push(`${n} out`)
      }
    const app = quietApp()
      .use(
        compose([
          mw('1'),
          compose([
            mw('2'),
            adapt([
              {
                name: 'h',
                check: () => {
                  log.push('h')
                  return true
                },
              },
            ]),
          ]),
        ]),
      )
      .use(mw('3'))
    await app.execute(call(), async () => {
      log.push('tool')
    })
    expect(log).toEqual(['1 in', '2 in', 'h', '3 in', 'tool', '3 out', '2 out', '1 out'])
  })

  it('leaves an item out of the plan of tools that its filter does not match, compared folded', async () => {
    const seen: string[] = []
    const app = quietApp().use(
      {
        name: 'h',
        check: (ctx) => {
          seen.push(ctx.toolName)
          return true
        },
      },
      { tools: ['web_*', 'fs.read'] },
    )
    for (const toolName of ['web_fetch', 'Web_Search', 'FS.READ', 'shell', 'webs'])
      await app.execute({ toolName }, echo)
    expect(seen).toEqual(['web_fetch', 'Web_Search', 'FS.READ'])
  })

  it('refuses filters that can match no tool', () => {
    const hook = { name: 'h', check: () => true }
    expect(() => quietApp().use(hook, { tools: [] })).toThrow(/tools: must be a list/)
    expect(() => quietApp().use(hook, { tools: ['a b'] })).toThrow(/tools\[0\]/)
  })

  it('follows a source of hooks that changes (O13)', async () => {
    let hooks: ToolHook[] = [{ name: 'one', check: () => false }]
    let changed: () => void = () => undefined
    const app = quietApp().use({
      hooks: () => hooks,
      onChange: (listener) => {
        changed = listener
      },
    })
    expect(await app.execute(call(), echo)).toMatchObject({ by: 'one' })
    hooks = [{ name: 'two', check: () => false }]
    changed()
    expect(await app.execute(call(), echo)).toMatchObject({ by: 'two' })
  })
})

describe('O13, plans', () => {
  it('takes each call through the plan that was current when it began', async () => {
    const gate = deferred<boolean>()
    const log: string[] = []
    const app = quietApp().use({ name: 'slow', check: () => gate.promise })
    const work = app.execute(call(), echo)
    app.use({
      name: 'late',
      check: () => {
        log.push('late')
        return true
      },
    })
    gate.resolve(true)
    await work
    expect(log).toEqual([])
    await app.execute(call(), echo)
    expect(log).toEqual(['late'])
  })

  it('reads a hook once: changing the object afterwards changes nothing', async () => {
    const hook: { name: string; check(): boolean } = { name: 'h', check: () => false }
    const app = quietApp().use(hook)
    await app.execute(call(), echo)
    hook.check = () => true
    expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked' })
  })

  const wrappings: Record<string, (hook: ToolHook) => Parameters<Toolware['use']>[0]> = {
    itself: (hook) => hook,
    'adapt()': (hook) => adapt([hook]),
    'compose()': (hook) => compose([hook]),
    'another pipeline': (hook) => quietApp().use(hook),
  }
  for (const [how, wrapped] of Object.entries(wrappings)) {
    it(`reads a hook when it is given, not with the first call or the next use (${how})`, async () => {
      const hook: { name: string; check?: () => boolean } = { name: 'h', check: () => false }
      const app = quietApp().use(wrapped(hook as ToolHook))
      hook.check = () => true
      expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'h' })
      app.use({ name: 'later', check: () => true })
      delete hook.check
      expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'h' })
    })
  }

  it('takes a phase that is undefined for one that is not there', async () => {
    const nothing = { name: 'x', check: undefined, after: undefined }
    expect(() => quietApp().use(nothing as never)).toThrow(/has no phase/)
    const one = { name: 'x', check: () => false, before: undefined, beforeExecute: undefined }
    expect(await quietApp().use(one).execute(call(), echo)).toMatchObject({ by: 'x' })
    const plain = { name: 'x', check: undefined, beforeExecute: () => false }
    expect(await quietApp().use(plain).execute(call(), echo)).toMatchObject({ by: 'x' })
  })
})

describe('app.execute', () => {
  it('rejects only for misuse', async () => {
    const app = quietApp()
    await expect(app.execute(call(), undefined as never)).rejects.toThrow(TypeError)
    await expect(app.execute(null as never, echo)).rejects.toThrow(TypeError)
    for (const signal of [null, {}, 'signal'] as never[]) {
      await expect(app.execute(call({ signal }), echo)).rejects.toThrow(/must be an AbortSignal/)
    }
  })

  const badCalls: Array<[string, Record<string, unknown>]> = [
    ['no name', { params: {} }],
    ['an empty name', { toolName: '' }],
    ['a name with a blank', { toolName: 'a b' }],
    ['a look-alike name', { toolName: 'writе_file' }],
    ['a long name', { toolName: 'a'.repeat(129) }],
    ['a name that is no text', { toolName: 5 }],
    ['params that are text', { toolName: 't', params: 'x' }],
    ['params that are a list', { toolName: 't', params: [] }],
    ['null params', { toolName: 't', params: null }],
    ['both', { toolName: 't', params: {}, argumentsJson: '{}' }],
    ['bad JSON', { toolName: 't', argumentsJson: '{' }],
    ['JSON that is no object', { toolName: 't', argumentsJson: '"status"' }],
    ['JSON with an own __proto__', { toolName: 't', argumentsJson: '{"__proto__":{"x":1}}' }],
    ['JSON with a number too large', { toolName: 't', argumentsJson: '{"a":1e999}' }],
  ]
  for (const [what, bad] of badCalls) {
    it(`blocks ${what} as BAD_ARGUMENTS, runs no check, and skipped on all hooks (O19)`, async () => {
      const log: string[] = []
      const tool = vi.fn(echo)
      const app = quietApp()
        .use({
          name: 'a',
          check: () => {
            log.push('check')
            return true
          },
          skipped: (_c, o) => log.push(`a ${o.status}`),
        })
        .use({ name: 'b', skipped: () => log.push('b') })
      const outcome = await app.execute(bad as never, tool)
      expect(outcome).toMatchObject({
        status: 'blocked',
        code: 'BAD_ARGUMENTS',
        by: 'toolware',
        executed: false,
      })
      expect(outcome.text.split('\n')[1]).toMatch(/\w+/)
      expect(log).toEqual(['b', 'a blocked'])
      expect(tool).not.toHaveBeenCalled()
    })
  }

  it('takes neither, or empty text, for no arguments', async () => {
    const app = quietApp()
    for (const args of [
      {},
      { argumentsJson: '' },
      { params: undefined },
      { argumentsJson: '{}' },
    ]) {
      expect(await app.execute({ toolName: 't', ...args }, echo)).toMatchObject({ result: {} })
    }
  })

  it('measures nothing with timing: false, and hooks, sync and async, with timing: hooks', async () => {
    vi.useFakeTimers()
    const hooks = [
      { name: 'sync', check: () => vi.advanceTimersByTime(7) && true },
      {
        name: 'async',
        after: () => new Promise((resolve) => setTimeout(resolve, 20)),
      },
    ]
    const run = async (timing: boolean | 'hooks'): Promise<Outcome> => {
      const app = quietApp({ timing })
      for (const hook of hooks) app.use(hook as ToolHook)
      const work = app.execute(call(), echo)
      await vi.advanceTimersByTimeAsync(30)
      return work
    }
    expect(await run(false)).toMatchObject({ durationMs: 0 })
    expect(await run('hooks')).toMatchObject({ durationMs: 7 })
    let told: Outcome | undefined
    const app = quietApp({ timing: 'hooks' })
    for (const hook of hooks) app.use(hook as ToolHook)
    app.on('settled', ({ outcome }) => {
      told = outcome
    })
    const work = app.execute(call(), async (params) => params)
    await vi.advanceTimersByTimeAsync(30)
    await work
    vi.useRealTimers()
    expect(told).toMatchObject({ hookMs: 7, waitMs: 0 })
  })
})

describe('app.wrap', () => {
  it('returns a function of the same shape that goes through the pipeline', async () => {
    const app = quietApp().use({
      name: 'no',
      check: (ctx) =>
        ctx.toolName !== 'shell' || deny('no shell', { code: 'DENIED', notice: 'for you' }),
    })
    const read = app.wrap('read_file', async ({ path }: { path: string }) => `text of ${path}`)
    expect(await read({ path: 'a' })).toBe('text of a')
    const shell = app.wrap('shell', async () => 'x')
    const error: unknown = await shell({}).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ToolDeniedError)
    expect(error).toMatchObject({
      code: 'DENIED',
      by: 'no',
      reason: 'no shell',
      notice: 'for you',
      retryAfterMs: undefined,
    })
    expect(error).not.toHaveProperty('executed')
    expect(isToolwareError(error, 'DENIED')).toBe(true)
  })

  it("throws the tool's own error by identity, and a ToolwareError for other failures", async () => {
    const boom = new Error('boom')
    const app = quietApp()
    await expect(
      app.wrap('t', () => {
        throw boom
      })({}),
    ).rejects.toBe(boom)
    const broken = quietApp().use(
      async (_c, next) => {
        await next()
        throw new Error('mask')
      },
      { name: 'mask' },
    )
    const error: unknown = await broken
      .wrap(
        't',
        echo,
      )({})
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ToolwareError)
    expect(error).toMatchObject({ code: 'HOOK_FAILED', details: { by: 'mask', executed: true } })
  })

  it("throws the signal's reason when aborted", async () => {
    const reason = new Error('gone')
    const app = quietApp()
    await expect(app.wrap('t', echo, { signal: AbortSignal.abort(reason) })({})).rejects.toBe(
      reason,
    )
  })

  it('wraps once for one pipeline and name, also through a spread of the tool object', async () => {
    let checks = 0
    const app = quietApp().use({
      name: 'c',
      check: () => {
        checks++
        return true
      },
    })
    const tool = { execute: app.wrap('t', echo) }
    const copy = { ...tool }
    const again = app.wrap('t', copy.execute)
    expect(again).toBe(tool.execute)
    await again({})
    expect(checks).toBe(1)
  })

  it('wraps once with the facts of every wrap, those given later first', async () => {
    const seen: unknown[] = []
    const app = quietApp().use({
      name: 'c',
      before: ({ sessionId, senderId }) => {
        seen.push([sessionId, senderId])
      },
    })
    const once = app.wrap('t', echo, { sessionId: 'wrap', senderId: 'u' })
    await app.scope({ sessionId: 'scope' }).wrap('t', once)({})
    await app.wrap('t', app.wrap('t', once), { senderId: 'other' })({})
    await once({})
    expect(seen).toEqual([
      ['scope', 'u'],
      ['wrap', 'other'],
      ['wrap', 'u'],
    ])
  })

  it('passes on further arguments of the host, and `this`', async () => {
    const app = quietApp()
    const host = {
      base: 1,
      add: app.wrap('add', function (this: { base: number }, p: { n: number }, extra: unknown) {
        return [this.base + p.n, extra]
      } as never),
    }
    expect(await host.add({ n: 2 } as never, 'options')).toEqual([3, 'options'])
  })

  it('refuses what it cannot wrap', () => {
    expect(() => quietApp().wrap('a b', echo)).toThrow(/not a tool name/)
    expect(() => quietApp().wrap('a', 5 as never)).toThrow(/fn must be a function/)
  })

  it("binds facts; the call's facts win over wrap's, those over the innermost scope's", async () => {
    const seen: unknown[] = []
    const app = quietApp().use({
      name: 'h',
      check: (ctx) => {
        seen.push([ctx.sessionId, ctx.senderId, ctx.agentId])
        return true
      },
    })
    const scope = app.scope({ sessionId: 'scope', senderId: 'scope', agentId: 'scope' })
    const inner = scope.scope({ agentId: 'inner' })
    await inner.wrap('t', echo, { senderId: 'wrap' })({})
    await inner.execute({ toolName: 't', sessionId: 'call' }, echo)
    expect(seen).toEqual([
      ['scope', 'wrap', 'inner'],
      ['call', 'scope', 'inner'],
    ])
  })
})

describe('app.scope', () => {
  it('flows to tools that were wrapped at module level', async () => {
    const seen: unknown[] = []
    const app = quietApp().use({
      name: 'h',
      check: (ctx) => {
        seen.push(ctx.sessionId)
        return true
      },
    })
    const wrapped = app.wrap('t', echo)
    const run = (sessionId: string) =>
      app.scope({ sessionId }).run(async () => {
        await Promise.resolve()
        await wrapped({})
      })
    await Promise.all([run('a'), run('b')])
    await wrapped({})
    expect(seen).toEqual(['a', 'b', undefined])
  })

  it('gives a tool called by a tool its parentCallId', async () => {
    const seen: unknown[] = []
    const app = quietApp().use({
      name: 'h',
      check: (ctx) => {
        seen.push([ctx.toolName, ctx.parentCallId])
        return true
      },
    })
    const inner = app.wrap('inner', echo)
    await app
      .scope({ sessionId: 's' })
      .execute({ toolName: 'outer', toolCallId: 'c1' }, () => inner({}))
    expect(seen).toEqual([
      ['outer', undefined],
      ['inner', 'c1'],
    ])
  })

  it('takes no facts from a scope around it: what this one lacks is unknown', async () => {
    const seen: unknown[] = []
    const app = quietApp().use({
      name: 'h',
      check: (ctx) => {
        seen.push([ctx.sessionId, ctx.senderId])
        return true
      },
    })
    const other = app.scope({ sessionId: 'other', senderId: 'somebody' })
    await other.run(() => app.scope({ sessionId: 'mine' }).execute(call(), echo))
    expect(seen).toEqual([['mine', undefined]])
  })

  it('tells currentCall() inside tools and hooks, and only there', async () => {
    const app = quietApp()
    await app
      .scope({ sessionId: 's' })
      .execute({ toolName: 'outer', toolCallId: 'c1' }, async () => {
        expect(currentCall()?.toolCallId).toBe('c1')
      })
    expect(currentCall()).toBeUndefined()
    await app.execute(call(), async () => expect(currentCall()).toBeUndefined())
    const always = quietApp({ asyncContext: true })
    expect(await always.execute(call(), async () => currentCall()?.toolName)).toMatchObject({
      result: 'echo',
    })
  })
})

describe('facts', () => {
  it('are read-only copies that the host cannot change under a hook', async () => {
    const requester = { senderIsOwner: false, roleIds: ['a'] }
    const gate = deferred<boolean>()
    const app = quietApp()
      .use({ name: 'slow', check: () => gate.promise })
      .use({
        name: 'h',
        check: (ctx) => {
          expect(ctx.requester).toEqual({ senderIsOwner: false, roleIds: ['a'] })
          expect(() => {
            ;(ctx.requester as { senderIsOwner: boolean }).senderIsOwner = true
          }).toThrow(TypeError)
          return true
        },
      })
    const work = app.execute(call({ requester }), echo)
    requester.senderIsOwner = true
    requester.roleIds.push('admin')
    gate.resolve(true)
    expect((await work).status).toBe('completed')
  })

  it('print as what they are', async () => {
    let json = ''
    const app = quietApp().use({
      name: 'h',
      check: (ctx) => {
        json = JSON.stringify(ctx)
        return true
      },
    })
    await app.execute(call({ sessionId: 's' }), echo)
    expect(json).toBe('{"sessionId":"s","toolName":"echo","params":{"text":"hi"}}')
  })
})

describe('app.on', () => {
  it('tells of blocked and settled calls and of faults; a throwing listener harms nothing', async () => {
    const app = quietApp().use({
      name: 'h',
      check: (ctx) => ctx.toolName !== 'no',
      after: () => {
        throw new Error('x')
      },
    })
    const seen: string[] = []
    app.on('settled', () => {
      throw new Error('listener')
    })
    const off = app.on('settled', ({ outcome }) => seen.push(`settled ${outcome.status}`))
    app.on('blocked', ({ ctx }) => seen.push(`blocked ${ctx.toolName}`))
    app.on('error', ({ hook, phase }) => seen.push(`error ${hook} ${phase}`))
    await app.execute({ toolName: 'no' }, echo)
    await app.execute({ toolName: 'yes' }, echo)
    off()
    await app.execute({ toolName: 'no' }, echo)
    expect(seen).toEqual([
      'blocked no',
      'settled blocked',
      'error h after',
      'settled completed',
      'blocked no',
    ])
    expect(() => app.on('done' as never, () => undefined)).toThrow(/on\(\) takes/)
  })

  it('is not harmed by a listener that rejects', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const log = quietLog()
    const app = new Toolware({ log })
    app.on('settled', async () => {
      throw new Error('down')
    })
    expect((await app.execute(call(), echo)).status).toBe('completed')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    expect(log.lines).toMatchObject([{ level: 'error', fields: { err: 'down' } }])
  })

  it('publishes on diagnostics channels when somebody subscribes', async () => {
    const seen: string[] = []
    const start = (): unknown => seen.push('start')
    const end = (message: unknown): unknown =>
      seen.push(`end ${(message as { outcome: { status: string } }).outcome.status}`)
    subscribe('toolware:call:start', start)
    subscribe('toolware:call:end', end)
    await quietApp().execute(call(), echo)
    unsubscribe('toolware:call:start', start)
    unsubscribe('toolware:call:end', end)
    await quietApp().execute(call(), echo)
    expect(seen).toEqual(['start', 'end completed'])
  })
})

describe('app.coverage', () => {
  it('lists tools that were never wrapped and filters that match none', () => {
    const app = quietApp()
      .use({ name: 'h', check: () => true }, { tools: ['web_*'] })
      .use({ name: 'i', check: () => true }, { tools: ['rd_*'] })
    app.wrap('read_file', echo)
    expect(app.coverage(['read_file', 'web_fetch', 'shell'])).toEqual({
      unwrapped: ['web_fetch', 'shell'],
      deadFilters: [{ item: 'i', tools: ['rd_*'] }],
    })
  })
})

describe('app.explain', () => {
  it("tells every hook's opinion in order and executes nothing", async () => {
    const log: string[] = []
    const app = quietApp()
      .use({ name: 'a', check: () => true, skipped: () => log.push('a skipped') })
      .use({ name: 'rw', before: () => undefined })
      .use({ name: 'no', check: () => deny('not today', { rule: 'r' }) })
      .use({
        name: 'never',
        check: () => {
          log.push('never')
          return true
        },
      })
    const told = await app.explain(call())
    expect(told).toMatchObject({
      verdict: 'deny',
      by: 'no',
      code: 'DENIED',
      reason: 'not today',
      rule: 'r',
      params: { text: 'hi' },
    })
    expect(told.opinions.map(({ hook, opinion }) => `${hook} ${opinion}`)).toEqual([
      'a none',
      'rw none',
      'no deny',
    ])
    expect(log).toEqual(['a skipped'])
  })

  it('gives reservations back, unless they are to be kept', async () => {
    const log: string[] = []
    const app = quietApp().use({
      name: 'a',
      before: () => {
        log.push('take')
      },
      skipped: () => log.push('give back'),
    })
    expect(await app.explain(call())).toMatchObject({ verdict: 'allow', by: null })
    expect(await app.explain(call(), { keepReservations: true })).toMatchObject({
      verdict: 'allow',
    })
    expect(log).toEqual(['take', 'give back', 'take'])
  })

  it('takes a bad call for denied', async () => {
    expect(await quietApp().explain({ toolName: 'a b' })).toMatchObject({
      verdict: 'deny',
      by: 'toolware',
      code: 'BAD_ARGUMENTS',
    })
  })
})

describe('app.close', () => {
  it('closes approvals, hooks and sources once, and goes on when one throws', async () => {
    const log: string[] = []
    const own = quietLog()
    const app = new Toolware({
      log: own,
      approvals: {
        decide: () => ({ resolution: 'deny', approvalId: '' }),
        close: () => {
          log.push('approvals')
        },
      },
    })
      .use({
        name: 'a',
        check: () => true,
        close: () => {
          throw new Error('x')
        },
      })
      .use({ name: 'b', check: () => true, close: async () => log.push('b') })
    await Promise.all([app.close(), app.close()])
    await app[Symbol.asyncDispose]()
    expect(log).toEqual(['approvals', 'b'])
    expect(own.lines.map(({ message }) => message)).toEqual(['close() of a failed'])
  })

  it('closes a hook once that is used twice, and those that adapt() and compose() took in', async () => {
    const closed: string[] = []
    const hook = (name: string): ToolHook => ({
      name,
      check: () => true,
      close: () => closed.push(name),
    })
    const twice = hook('twice')
    const app = quietApp()
      .use(twice, { tools: ['a'] })
      .use(twice, { tools: ['b'] })
      .use(adapt([hook('adapted'), twice]))
      .use(compose([hook('composed'), adapt([hook('inside')])]))
    await app.close()
    expect(closed).toEqual(['twice', 'adapted', 'composed', 'inside'])
  })
})
