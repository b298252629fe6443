import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ask,
  deny,
  type HookContext,
  type Outcome,
  rewrite,
  type ToolHook,
  Toolware,
} from '../../lib/index.ts'
import { call, deferred, echo, never, quietApp, quietLog } from '../helpers/call.ts'

/** A hook that writes down every phase. */
function tracing(name: string, log: string[], over: Partial<ToolHook> = {}): ToolHook {
  return {
    name,
    check: () => {
      log.push(`${name}.check`)
      return true
    },
    before: () => {
      log.push(`${name}.before`)
    },
    after: () => {
      log.push(`${name}.after`)
    },
    skipped: () => {
      log.push(`${name}.skipped`)
    },
    ...over,
  } as ToolHook
}

describe('O1, the order', () => {
  it('runs check then before of each hook in list order, and after in reverse', async () => {
    const log: string[] = []
    const app = quietApp().use(tracing('a', log)).use(tracing('b', log)).use(tracing('c', log))
    await app.execute(call(), async () => {
      log.push('tool')
    })
    expect(log).toEqual([
      'a.check',
      'a.before',
      'b.check',
      'b.before',
      'c.check',
      'c.before',
      'tool',
      'c.after',
      'b.after',
      'a.after',
    ])
  })

  it('nests hooks and middleware as one onion', async () => {
    const log: string[] = []
    const app = quietApp()
      .use(tracing('a', log))
      .use(async (_ctx, next) => {
        log.push('mw in')
        await next()
        log.push('mw out')
      })
      .use(tracing('b', log))
    await app.execute(call(), echo)
    expect(log).toEqual([
      'a.check',
      'a.before',
      'mw in',
      'b.check',
      'b.before',
      'b.after',
      'mw out',
      'a.after',
    ])
  })
})

describe('O2, every hook on every call', () => {
  it('does not enter hooks further in, nor the tool, after a deny', async () => {
    const log: string[] = []
    const tool = vi.fn(echo)
    const app = quietApp()
      .use(tracing('a', log))
      .use(tracing('b', log, { check: () => deny('no') }))
      .use(tracing('c', log))
    const outcome = await app.execute(call(), tool)
    expect(outcome.status).toBe('blocked')
    expect(tool).not.toHaveBeenCalled()
    expect(log).toEqual(['a.check', 'a.before', 'b.skipped', 'a.skipped'])
  })

  it('enters hooks that only observe, when they stand before the one that denies', async () => {
    const log: string[] = []
    const app = quietApp()
      .use({ name: 'outer', skipped: () => log.push('outer') })
      .use({ name: 'no', check: () => false })
      .use({ name: 'inner', skipped: () => log.push('inner') })
    await app.execute(call(), echo)
    expect(log).toEqual(['outer'])
  })
})

describe('O3, what an answer means', () => {
  const answers: Array<[string, unknown, string]> = [
    ['true', true, 'completed'],
    ['undefined', undefined, 'completed'],
    ['null', null, 'completed'],
    ['false', false, 'DENIED'],
    ['deny()', deny('no'), 'DENIED'],
    ['0', 0, 'HOOK_BAD_ANSWER'],
    ["''", '', 'HOOK_BAD_ANSWER'],
    ["'deny'", 'deny', 'HOOK_BAD_ANSWER'],
    ["'allow'", 'allow', 'HOOK_BAD_ANSWER'],
    ['1', 1, 'HOOK_BAD_ANSWER'],
    ['NaN', Number.NaN, 'HOOK_BAD_ANSWER'],
    ['{}', {}, 'HOOK_BAD_ANSWER'],
    ['[]', [], 'HOOK_BAD_ANSWER'],
    ['{ allow: true }', { allow: true }, 'HOOK_BAD_ANSWER'],
    ['{ kind: "deny" } without deny()', { kind: 'deny' }, 'HOOK_BAD_ANSWER'],
    ['a function', () => true, 'HOOK_BAD_ANSWER'],
    ['a symbol', Symbol('x'), 'HOOK_BAD_ANSWER'],
    ['1n', 1n, 'HOOK_BAD_ANSWER'],
  ]
  for (const phase of ['check', 'before'] as const) {
    for (const [name, answer, expected] of answers) {
      for (const mode of ['sync', 'async'] as const) {
        it(`reads ${name} from ${mode} ${phase} as ${expected}`, async () => {
          const handler = mode === 'sync' ? () => answer : async () => answer
          const app = quietApp().use({ name: 'h', [phase]: handler } as unknown as ToolHook)
          const outcome = await app.execute(call(), echo)
          expect(outcome.failed ? outcome.code : outcome.status).toBe(expected)
        })
      }
    }
  }

  it('takes a rewrite from check for a fault of the hook', async () => {
    const hook = { name: 'h', check: () => rewrite({ a: 1 }) } as unknown as ToolHook
    const outcome = await quietApp().use(hook).execute(call(), echo)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'HOOK_BAD_ANSWER', by: 'h' })
  })

  it('takes an answer whose `then` throws for a fault of the hook', async () => {
    const hostile = {
      // biome-ignore lint/suspicious/noThenProperty: the trap under test
      get then(): never {
        throw new Error('trap')
      },
    }
    const app = quietApp().use({ name: 'h', check: () => hostile } as unknown as ToolHook)
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'blocked',
      code: 'HOOK_FAILED',
    })
  })
})

describe('an answer that cannot be looked at', () => {
  const trap = (): never => {
    throw new Error('trap')
  }
  const hidden = (): unknown => new Proxy({}, { has: trap })
  const unreadable = (): object => Object.create(new Proxy({}, { getPrototypeOf: trap })) as object
  const rewritten = (): unknown => rewrite({ nested: unreadable() })
  for (const [what, make] of Object.entries({ hidden, rewritten })) {
    for (const mode of ['sync', 'async'] as const) {
      it(`blocks the call as a bad answer, and leaves nothing pending (${what}, ${mode})`, async () => {
        const before = mode === 'sync' ? make : async () => make()
        const app = quietApp().use({ name: 'h', before } as unknown as ToolHook)
        expect(await app.execute(call(), echo)).toMatchObject({
          status: 'blocked',
          code: 'HOOK_BAD_ANSWER',
          by: 'h',
        })
      })
    }
  }

  it('blocks the call when check gives it again, at the gate', async () => {
    const app = quietApp()
      .use({
        name: 'h',
        check: async ({ recheck }: HookContext) => (recheck ? hidden() : true),
      } as unknown as ToolHook)
      .use({ name: 'r', before: () => rewrite({ other: 1 }) })
    expect(await app.execute(call(), echo)).toMatchObject({ code: 'HOOK_BAD_ANSWER', by: 'h' })
  })
})

describe('O4, the lattice', () => {
  it('lets no order lift a deny', async () => {
    const say = { name: 'deny', check: () => deny('no') }
    const asks = { name: 'ask', check: () => ask({ title: 'sure?' }) }
    const allow = { name: 'allow', check: () => true }
    for (const order of [
      [say, asks, allow],
      [allow, asks, say],
      [asks, say, allow],
    ]) {
      const app = quietApp()
      for (const hook of order) app.use(hook)
      expect(await app.execute(call(), echo)).toMatchObject({
        status: 'blocked',
        code: 'DENIED',
        by: 'deny',
      })
    }
  })

  it('blocks an ask without an approver', async () => {
    const app = quietApp()
      .use({ name: 'careful', check: () => ask({ title: 'sure?' }) })
      .use({ name: 'ok', check: () => true })
    const outcome = await app.execute(call(), echo)
    expect(outcome).toMatchObject({
      status: 'blocked',
      code: 'APPROVAL_UNAVAILABLE',
      by: 'careful',
      executed: false,
    })
  })
})

describe('O5, a block is data', () => {
  it('tells the model who denied and why', async () => {
    const app = quietApp().use({
      name: 'Autonomy',
      check: () =>
        deny('use a path inside src', { notice: 'for you', rule: 'r1', retryAfterMs: 5 }),
    })
    const outcome = await app.execute(call(), echo)
    expect(outcome.text).toMatchInlineSnapshot(`
      "Tool execution denied by hook: Autonomy
      use a path inside src"
    `)
    expect(outcome).toMatchObject({
      notice: 'for you',
      rule: 'r1',
      retryAfterMs: 5,
      by: 'Autonomy',
      executed: false,
    })
  })

  it('has a notice for the person, also where nobody gave one', async () => {
    const notices = await Promise.all(
      [() => deny('no', { notice: 'for you' }), () => deny('use src'), () => false].map(
        async (check) =>
          (await quietApp().use({ name: 'x', check }).execute(call(), echo)) as { notice?: string },
      ),
    )
    expect(notices.map(({ notice }) => notice)).toEqual([
      'for you',
      'Blocked by x: use src',
      'Blocked by x.',
    ])
    const bad = await quietApp().execute({ toolName: 'a b' }, echo)
    expect(bad).toMatchObject({
      notice: expect.stringMatching(/^Blocked by toolware: The tool name/),
    })
  })

  it('has one line when there is no reason', async () => {
    const outcome = await quietApp()
      .use({ name: 'x', check: () => false })
      .execute(call(), echo)
    expect(outcome.text).toBe('Tool execution denied by hook: x')
  })

  it('builds no Error inside the pipeline', async () => {
    const app = quietApp().use({ name: 'x', check: () => deny('no') })
    const capture = vi.spyOn(Error, 'captureStackTrace')
    const before = Error.prepareStackTrace
    let built = 0
    Error.prepareStackTrace = (error) => {
      built++
      return String(error)
    }
    await app.execute(call(), echo)
    Error.prepareStackTrace = before
    expect(built).toBe(0)
    expect(capture).not.toHaveBeenCalled()
    capture.mockRestore()
  })
})

describe('O6, failing closed', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  for (const phase of ['check', 'before'] as const) {
    for (const mode of ['sync', 'async'] as const) {
      const boom =
        mode === 'sync'
          ? () => {
              throw new Error('boom')
            }
          : async () => {
              throw new Error('boom')
            }

      it(`blocks when ${mode} ${phase} throws`, async () => {
        const tool = vi.fn(echo)
        const outcome = await quietApp()
          .use({ name: 'h', [phase]: boom } as unknown as ToolHook)
          .execute(call(), tool)
        expect(outcome).toMatchObject({
          status: 'blocked',
          code: 'HOOK_FAILED',
          by: 'h',
          reason: 'hook failed',
        })
        expect(tool).not.toHaveBeenCalled()
      })

      it(`goes on with a warning when ${mode} ${phase} throws and failOpen says error`, async () => {
        const log = quietLog()
        const app = new Toolware({ log }).use({
          name: 'h',
          [phase]: boom,
          failOpen: ['error'],
        } as unknown as ToolHook)
        expect((await app.execute(call(), echo)).status).toBe('completed')
        expect(
          log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
        ).toEqual(['hook h failed (boom); the call goes on, as its failOpen says'])
      })

      it(`still blocks when ${mode} ${phase} throws and failOpen says timeout only`, async () => {
        const app = quietApp().use({
          name: 'h',
          [phase]: boom,
          failOpen: ['timeout'],
        } as unknown as ToolHook)
        expect(await app.execute(call(), echo)).toMatchObject({
          status: 'blocked',
          code: 'HOOK_FAILED',
        })
      })
    }

    it(`blocks when ${phase} never settles`, async () => {
      const app = quietApp().use({ name: 'h', [phase]: never } as unknown as ToolHook)
      const work = app.execute(call(), echo)
      await vi.advanceTimersByTimeAsync(14_999)
      const early = await Promise.race([work, Promise.resolve('waiting')])
      expect(early).toBe('waiting')
      await vi.advanceTimersByTimeAsync(1000)
      expect(await work).toMatchObject({ status: 'blocked', code: 'HOOK_TIMEOUT', by: 'h' })
    })

    it(`goes on when ${phase} never settles and failOpen says timeout`, async () => {
      const app = quietApp({ beforeTimeoutMs: 100 }).use({
        name: 'h',
        [phase]: never,
        failOpen: ['timeout'],
      } as unknown as ToolHook)
      const work = app.execute(call(), echo)
      await vi.advanceTimersByTimeAsync(200)
      expect((await work).status).toBe('completed')
    })

    it(`never fails open for a bad answer of ${phase}`, async () => {
      const app = quietApp().use({
        name: 'h',
        [phase]: () => 'yes',
        failOpen: ['error', 'timeout'],
      } as unknown as ToolHook)
      expect(await app.execute(call(), echo)).toMatchObject({
        status: 'blocked',
        code: 'HOOK_BAD_ANSWER',
      })
    })
  }

  it("keeps to the hook's own timeoutMs, and to no deadline with 0", async () => {
    const app = quietApp({ beforeTimeoutMs: 50 }).use({
      name: 'patient',
      timeoutMs: 0,
      check: () => new Promise<boolean>((r) => setTimeout(() => r(true), 10_000)),
    })
    const work = app.execute(call(), echo)
    await vi.advanceTimersByTimeAsync(10_001)
    expect((await work).status).toBe('completed')
    const quick = quietApp().use({ name: 'quick', timeoutMs: 30, check: never })
    const late = quick.execute(call(), echo)
    await vi.advanceTimersByTimeAsync(60)
    expect(await late).toMatchObject({ code: 'HOOK_TIMEOUT' })
  })

  it('voids what a given-up handler says and does later', async () => {
    const gate = deferred<boolean>()
    let kept: HookContext | undefined
    const app = quietApp({ beforeTimeoutMs: 50 })
      .use({
        name: 'late',
        failOpen: ['timeout'],
        check: async (ctx) => {
          kept = ctx
          ctx.state.set('mine', 1)
          await gate.promise
          ctx.state.set('mine', 2)
          return false
        },
      })
      .use({
        name: 'next',
        check: (ctx) => {
          expect(ctx).not.toBe(kept)
          expect(kept?.signal.aborted).toBe(true)
          expect(ctx.signal.aborted).toBe(false)
          return true
        },
        after: (ctx) => {
          seen = ctx.state.get('mine')
        },
      })
    let seen: unknown
    const hold = deferred()
    const work = app.execute(call(), () => hold.promise)
    await vi.advanceTimersByTimeAsync(100)
    gate.resolve(true)
    await vi.advanceTimersByTimeAsync(1)
    hold.resolve('done')
    expect((await work).status).toBe('completed')
    expect(seen).toBe(1)
  })

  it('ignores a rejection that comes after the handler was given up', async () => {
    const gate = deferred<boolean>()
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const app = quietApp({ beforeTimeoutMs: 50 }).use({ name: 'late', check: () => gate.promise })
    const work = app.execute(call(), echo)
    await vi.advanceTimersByTimeAsync(100)
    expect(await work).toMatchObject({ code: 'HOOK_TIMEOUT' })
    gate.reject(new Error('too late'))
    await vi.advanceTimersByTimeAsync(10)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it("fires the handler's signal on its own deadline", async () => {
    let signal: AbortSignal | undefined
    const app = quietApp({ beforeTimeoutMs: 50 }).use({
      name: 'h',
      check: (ctx) => {
        signal = ctx.signal
        return never()
      },
    })
    const work = app.execute(call(), echo)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    await work
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ code: 'HOOK_TIMEOUT' })
  })

  it('shows the model what a hook threw only with exposeErrors, and then redacted', async () => {
    const boom = {
      name: 'h',
      check: () => {
        throw new Error('db password=hunter2hunter2 is wrong')
      },
    }
    expect((await quietApp().use(boom).execute(call(), echo)).text).not.toContain('db')
    const shown = await quietApp({ exposeErrors: true }).use(boom).execute(call(), echo)
    expect(shown.text).toContain('hook failed: db password=')
    expect(shown.text).not.toContain('hunter2')
  })
})

describe('O7, the way out harms nothing', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  for (const phase of ['after', 'skipped'] as const) {
    for (const mode of ['sync', 'async'] as const) {
      it(`reports what ${mode} ${phase} throws, and nothing else changes`, async () => {
        const boom =
          mode === 'sync'
            ? () => {
                throw new Error('boom')
              }
            : async () => {
                throw new Error('boom')
              }
        const log: string[] = []
        const app = quietApp()
        const errors: string[] = []
        app.on('error', ({ hook, phase: where, error }) =>
          errors.push(`${hook} ${where} ${(error as Error).message}`),
        )
        app.use({ name: 'outer', after: () => log.push('outer'), skipped: () => log.push('outer') })
        app.use({ name: 'bad', [phase]: boom } as unknown as ToolHook)
        if (phase === 'skipped') app.use({ name: 'no', check: () => false })
        const outcome = await app.execute(call(), echo)
        expect(outcome.status).toBe(phase === 'after' ? 'completed' : 'blocked')
        expect(log).toEqual(['outer'])
        expect(errors).toEqual([`bad ${phase} boom`])
      })
    }
  }

  it('shares one budget among all pending ones, then still calls the rest without awaiting', async () => {
    const log: string[] = []
    const errors: string[] = []
    const app = quietApp({ afterTimeoutMs: 100 })
    app.on('error', ({ hook }) => errors.push(hook))
    app.use({
      name: 'c',
      after: () => {
        log.push('c')
        return never()
      },
    })
    app.use({
      name: 'b',
      after: () => {
        log.push('b')
        return never()
      },
    })
    app.use({
      name: 'a',
      after: () => {
        log.push('a')
        return new Promise((r) => setTimeout(r, 80))
      },
    })
    const work = app.execute(call(), echo)
    await vi.advanceTimersByTimeAsync(140)
    expect((await work).status).toBe('completed')
    expect(log).toEqual(['a', 'b', 'c'])
    expect(errors).toEqual(['b'])
  })

  it('shares the budget across rings, middleware in between', async () => {
    const app = quietApp({ afterTimeoutMs: 160 })
    const slow = (name: string): ToolHook => ({
      name,
      after: () => new Promise((r) => setTimeout(r, 120)),
    })
    const errors: string[] = []
    app.on('error', ({ hook }) => errors.push(hook))
    app
      .use(slow('outer'))
      .use(async (_ctx, next) => {
        await next()
      })
      .use(slow('inner'))
    const work = app.execute(call(), echo)
    await vi.advanceTimersByTimeAsync(200)
    expect((await work).status).toBe('completed')
    expect(errors).toEqual(['outer'])
  })

  it('fires the signal of after only when the budget ends', async () => {
    let signal: AbortSignal | undefined
    const app = quietApp({ afterTimeoutMs: 100 }).use({
      name: 'h',
      check: (ctx) => !ctx.signal.aborted,
      after: (ctx) => {
        signal = ctx.signal
        return never()
      },
    })
    const work = app.execute(call(), echo)
    await vi.advanceTimersByTimeAsync(10)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    await work
    expect(signal?.aborted).toBe(true)
  })

  it('never awaits a detached hook, and close() drains it', async () => {
    const gate = deferred()
    let done = false
    const app = quietApp().use({
      name: 'd',
      detached: true,
      after: async () => {
        await gate.promise
        done = true
      },
    })
    expect((await app.execute(call(), echo)).status).toBe('completed')
    expect(done).toBe(false)
    const closed = app.close()
    gate.resolve(undefined)
    await closed
    expect(done).toBe(true)
  })
})

describe('O8, after tells the truth', () => {
  const told = async (tool: () => unknown): Promise<Outcome> => {
    let outcome: Outcome | undefined
    await quietApp()
      .use({
        name: 'h',
        after: (_ctx, o) => {
          outcome = o
        },
      })
      .execute(call(), tool)
    return outcome as Outcome
  }

  it('says completed with the result', async () => {
    expect(await told(async () => 'r')).toMatchObject({
      status: 'completed',
      failed: false,
      executed: true,
      result: 'r',
    })
  })

  it('says completed for a text that begins with Error:, since only exceptions are failures', async () => {
    expect(await told(async () => 'Error: x')).toMatchObject({ status: 'completed', failed: false })
  })

  it("says failed with the tool's own error, sync and async", async () => {
    const error = new Error('boom')
    for (const tool of [
      () => {
        throw error
      },
      async () => {
        throw error
      },
    ]) {
      const outcome = await told(tool)
      expect(outcome).toMatchObject({
        status: 'failed',
        failed: true,
        executed: true,
        code: 'TOOL_FAILED',
        by: 'tool',
      })
      expect(outcome.status === 'failed' && outcome.error).toBe(error)
    }
  })

  it('gives every hook the same frozen outcome', async () => {
    const seen: Outcome[] = []
    const app = quietApp()
      .use({
        name: 'a',
        after: (_ctx, o) => {
          seen.push(o)
        },
      })
      .use({
        name: 'b',
        after: (_ctx, o) => {
          seen.push(o)
          ;(o as { result: unknown }).result = 'forged'
        },
      })
    const outcome = await app.execute(call(), async () => 'true')
    expect(outcome).toMatchObject({ result: 'true' })
    expect(seen[0]).toBe(seen[1])
  })
})

describe('O9, the tool at most once, after everybody', () => {
  it('does not start the tool before every check and before has settled', async () => {
    const gate = deferred<boolean>()
    const tool = vi.fn(echo)
    const app = quietApp()
      .use({ name: 'slow', check: () => gate.promise })
      .use({ name: 'b', check: () => true })
    const work = app.execute(call(), tool)
    await Promise.resolve()
    expect(tool).not.toHaveBeenCalled()
    gate.resolve(true)
    await work
    expect(tool).toHaveBeenCalledTimes(1)
  })
})

describe('O14, calls share nothing', () => {
  it('keeps parallel calls of one session apart', async () => {
    const app = quietApp().use({
      name: 'h',
      before: async (ctx) => {
        expect(ctx.state.size).toBe(0)
        ctx.state.set('n', ctx.params['n'])
        await Promise.resolve()
        return rewrite({ n: (ctx.params['n'] as number) * 2 })
      },
      after: (ctx, outcome) => {
        expect(outcome).toMatchObject({ result: (ctx.state.get('n') as number) * 2 })
      },
    })
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        app.execute({ toolName: 't', params: { n }, sessionId: 's' }, async (p) => p['n']),
      ),
    )
    expect(outcomes.map((o) => o.status === 'completed' && o.result)).toEqual(
      Array.from({ length: 50 }, (_, n) => n * 2),
    )
  })

  it('gives hooks params that nobody can change', async () => {
    const app = quietApp().use({
      name: 'h',
      check: (ctx) => {
        ;(ctx.params as { text: string }).text = 'forged'
        return true
      },
    })
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'blocked',
      code: 'HOOK_FAILED',
    })
  })

  it("hides later changes of the caller's object from hooks and tool", async () => {
    const params = { deep: { list: [1] } }
    const gate = deferred<boolean>()
    const app = quietApp().use({ name: 'h', check: () => gate.promise })
    const work = app.execute({ toolName: 't', params }, async (p) => JSON.stringify(p))
    params.deep.list.push(2)
    gate.resolve(true)
    expect(await work).toMatchObject({ result: '{"deep":{"list":[1]}}' })
  })
})

describe("plain hooks, the first seed's IToolHook", () => {
  it('get tool name, JSON text and a signal; after gets the result as text', async () => {
    const seen: unknown[] = []
    const app = quietApp().use({
      name: 'plain',
      beforeExecute(toolName, argumentsJson, signal) {
        seen.push([toolName, argumentsJson, signal instanceof AbortSignal])
        return true
      },
      afterExecute(toolName, argumentsJson, result, durationMs, failed, signal) {
        seen.push([
          toolName,
          argumentsJson,
          result,
          typeof durationMs,
          failed,
          signal instanceof AbortSignal,
        ])
      },
    })
    await app.execute(call(), async () => ({ a: 1 }))
    expect(seen).toEqual([
      ['echo', '{"text":"hi"}', true],
      ['echo', '{"text":"hi"}', '{"a":1}', 'number', false, true],
    ])
  })

  it('deny with false, sync and async', async () => {
    for (const beforeExecute of [() => false, async () => false]) {
      expect(
        await quietApp().use({ name: 'p', beforeExecute }).execute(call(), echo),
      ).toMatchObject({ status: 'blocked', by: 'p' })
    }
  })

  it('get texts as they are, and nothing for undefined', async () => {
    const results: string[] = []
    const app = quietApp().use({
      name: 'p',
      afterExecute: (_n, _a, result) => results.push(result),
    })
    await app.execute(call(), async () => 'text')
    await app.execute(call(), async () => undefined)
    await app.execute(call(), async () => {
      throw new Error('x')
    })
    expect(results).toEqual(['text', '', ''])
  })
})
