import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ask, compose, type Middleware, type Outcome, type ToolHook } from '../../lib/index.ts'
import { call, deferred, echo, never, quietApp } from '../helpers/call.ts'

const unhandled = vi.fn()
beforeEach(() => {
  unhandled.mockReset()
  process.on('unhandledRejection', unhandled)
})
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

/** Notes how a hook left. */
function witness(name: string, log: string[]): ToolHook {
  return {
    name,
    after: (_ctx, o) => log.push(`${name}.after ${o.status}`),
    skipped: (_ctx, o) => log.push(`${name}.skipped ${o.status}`),
  }
}

async function through(
  mw: Middleware,
  tool: () => unknown = async () => 'r',
  name = 'mw',
): Promise<{ outcome: Outcome; log: string[]; ran: number }> {
  const log: string[] = []
  let ran = 0
  const app = quietApp().use(witness('outer', log)).use(mw, { name }).use(witness('inner', log))
  const outcome = await app.execute(call(), () => {
    ran++
    return tool()
  })
  return { outcome, log, ran }
}

describe('O10, the rules of next()', () => {
  const twice: Array<[string, Middleware]> = [
    [
      'awaited',
      async (_ctx, next) => {
        await next()
        await next()
      },
    ],
    [
      'swallowed',
      async (_ctx, next) => {
        await next()
        await next().catch(() => undefined)
      },
    ],
    [
      'at once',
      async (_ctx, next) => {
        await Promise.allSettled([next(), next()])
      },
    ],
    [
      'neither awaited nor returned',
      (_ctx, next) => {
        void next()
        void next()
      },
    ],
    [
      'returned',
      async (_ctx, next) => {
        await next()
        return next()
      },
    ],
  ]
  for (const [how, mw] of twice) {
    it(`reports a second next(), ${how}, and runs the tool once`, async () => {
      const { outcome, ran } = await through(mw)
      expect(outcome).toMatchObject({
        status: 'failed',
        code: 'NEXT_TWICE',
        by: 'mw',
        executed: true,
      })
      expect(ran).toBe(1)
    })
  }

  it('lets an outer try/catch see one error that names the middleware', async () => {
    const seen: unknown[] = []
    const app = quietApp()
      .use(async (_ctx, next) => {
        try {
          await next()
        } catch (error) {
          seen.push(error)
        }
      })
      .use(
        (_ctx, next) => {
          void next()
          void next()
        },
        { name: 'H2' },
      )
    expect(await app.execute(call(), echo)).toMatchObject({ code: 'NEXT_TWICE', by: 'H2' })
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({ code: 'NEXT_TWICE', message: expect.stringContaining('H2') })
  })

  it('blocks a second next() when the tool has not run', async () => {
    const app = quietApp()
      .use(
        (_ctx, next) => {
          void next()
          return next()
        },
        { name: 'mw' },
      )
      .use({ name: 'slow', check: async () => true })
    const tool = vi.fn(echo)
    expect(await app.execute(call(), tool)).toMatchObject({
      status: 'blocked',
      code: 'NEXT_TWICE',
      executed: false,
    })
    expect(tool).not.toHaveBeenCalled()
  })

  const early: Array<[string, Middleware]> = [
    [
      'a sync function',
      (_ctx, next) => {
        void next()
      },
    ],
    [
      'an async function',
      async (_ctx, next) => {
        void next()
      },
    ],
    [
      'a function that throws',
      async (_ctx, next) => {
        void next()
        throw new Error('x')
      },
    ],
    [
      'a function that awaits something else',
      async (_ctx, next) => {
        void next()
        await Promise.resolve()
      },
    ],
  ]
  for (const [what, mw] of early) {
    it(`waits for what runs when ${what} did not await next(), and says so`, async () => {
      const gate = deferred<string>()
      let finished = false
      const work = through(mw, async () => {
        const value = await gate.promise
        finished = true
        return value
      })
      gate.resolve('r')
      const { outcome, log, ran } = await work
      expect(outcome).toMatchObject({
        status: 'failed',
        code: 'NEXT_NOT_AWAITED',
        by: 'mw',
        executed: true,
      })
      expect([finished, ran]).toEqual([true, 1])
      expect(log).toEqual(['inner.after failed', 'outer.after failed'])
    })

    it(`closes the gate when ${what} did not await next() and the tool has not started`, async () => {
      const tool = vi.fn(echo)
      const gate = deferred<boolean>()
      const app = quietApp()
        .use(mw, { name: 'mw' })
        .use({ name: 'slow', check: () => gate.promise })
      const work = app.execute(call(), tool)
      await Promise.resolve()
      gate.resolve(true)
      expect(await work).toMatchObject({
        status: 'blocked',
        code: 'NEXT_NOT_AWAITED',
        by: 'mw',
        executed: false,
      })
      expect(tool).not.toHaveBeenCalled()
    })
  }

  const short: Array<[string, Middleware]> = [
    ['sync', () => undefined],
    ['async', async () => undefined],
    ['with a value', async () => 'cached'],
  ]
  for (const [how, mw] of short) {
    it(`blocks when a middleware returns without next(), ${how}`, async () => {
      const { outcome, log, ran } = await through(mw)
      expect(outcome).toMatchObject({
        status: 'blocked',
        code: 'SHORT_CIRCUIT',
        by: 'mw',
        executed: false,
      })
      expect([log, ran]).toEqual([['outer.skipped blocked'], 0])
    })
  }

  it('accepts a plain `return next()`', async () => {
    expect((await through((_ctx, next) => next())).outcome.status).toBe('completed')
  })

  it('answers in place of the tool through respond(), bypassing no hook', async () => {
    const { outcome, log, ran } = await through(async (ctx, next) => {
      ctx.respond('cached')
      await next()
    })
    expect(outcome).toMatchObject({ status: 'completed', executed: false, result: 'cached' })
    expect([log, ran]).toEqual([['inner.after completed', 'outer.after completed'], 0])
  })

  it('lets inner hooks deny a call that was answered for', async () => {
    const app = quietApp()
      .use(async (ctx, next) => {
        ctx.respond('cached')
        await next()
      })
      .use({ name: 'no', check: () => false })
    expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'no' })
  })

  it('still asks about a call that was answered for', async () => {
    const app = quietApp()
      .use(async (ctx, next) => {
        ctx.respond('cached')
        await next()
      })
      .use({ name: 'q', check: () => ask({ title: '?' }) })
    expect(await app.execute(call(), echo)).toMatchObject({ code: 'APPROVAL_UNAVAILABLE' })
  })

  it('takes a next() kept and called after the end for nothing', async () => {
    let kept: (() => Promise<unknown>) | undefined
    const { outcome, ran } = await through(async (_ctx, next) => {
      kept = next
    })
    expect(outcome).toMatchObject({ code: 'SHORT_CIRCUIT' })
    await kept?.()
    expect(ran).toBe(0)
  })
})

describe('ctx.deny before next()', () => {
  it('blocks, with the details given', async () => {
    const { outcome, ran } = await through(async (ctx) =>
      ctx.deny('no', { code: 'RATE_LIMITED', retryAfterMs: 10, notice: 'n' }),
    )
    expect(outcome).toMatchObject({
      status: 'blocked',
      code: 'RATE_LIMITED',
      by: 'mw',
      reason: 'no',
      retryAfterMs: 10,
      notice: 'n',
    })
    expect(ran).toBe(0)
  })

  it('lets next() resolve at once and nothing further in run', async () => {
    const { outcome, log, ran } = await through(async (ctx, next) => {
      ctx.deny('no')
      await next()
    })
    expect(outcome).toMatchObject({ status: 'blocked', code: 'DENIED' })
    expect([log, ran]).toEqual([['outer.skipped blocked'], 0])
  })
})

describe('O16, tool errors travel as in Koa', () => {
  const boom = new Error('boom')
  const fails = async (): Promise<never> => {
    throw boom
  }

  for (const [how, tool] of [
    ['async', fails],
    [
      'sync',
      () => {
        throw boom
      },
    ],
  ] as const) {
    it(`rejects next() with the tool's own error, ${how}`, async () => {
      let seen: unknown
      const { outcome, log } = await through(async (ctx, next) => {
        try {
          await next()
        } catch (error) {
          seen = error
          expect(ctx.outcome.status).toBe('failed')
          throw error
        }
      }, tool)
      expect(seen).toBe(boom)
      expect(outcome).toMatchObject({ status: 'failed', code: 'TOOL_FAILED', error: boom })
      expect(log).toEqual(['inner.after failed', 'outer.after failed'])
    })
  }

  it('recovers when a middleware assigns a result and does not rethrow; hooks further out record both', async () => {
    let outer: Outcome | undefined
    const app = quietApp()
      .use({
        name: 'audit',
        after: (_ctx, o) => {
          outer = o
        },
      })
      .use(
        async (ctx, next) => {
          await next().catch(() => {
            ctx.result = 'default'
          })
        },
        { name: 'fallback' },
      )
    const outcome = await app.execute(call(), fails)
    expect(outcome).toMatchObject({
      status: 'completed',
      result: 'default',
      recovered: 'fallback',
      toolError: boom,
      executed: true,
    })
    expect(JSON.stringify(outer)).toBe(JSON.stringify(outcome))
  })

  it('stays failed when the error is swallowed without a result, and rejects again further out', async () => {
    let seen: unknown
    const app = quietApp()
      .use(async (_ctx, next) => {
        try {
          await next()
        } catch (error) {
          seen = error
          throw error
        }
      })
      .use(async (_ctx, next) => {
        await next().catch(() => undefined)
      })
    expect(await app.execute(call(), fails)).toMatchObject({
      status: 'failed',
      code: 'TOOL_FAILED',
      error: boom,
    })
    expect(seen).toBe(boom)
  })

  it('does not recover when the middleware assigns and throws after all', async () => {
    const { outcome } = await through(async (ctx, next) => {
      try {
        await next()
      } catch (e) {
        ctx.result = 'x'
        throw e
      }
    }, fails)
    expect(outcome).toMatchObject({ status: 'failed', code: 'TOOL_FAILED' })
  })

  it('keeps TOOL_FAILED when a middleware throws another error for it, with the new one in the details', async () => {
    const { outcome } = await through(async (_ctx, next) => {
      try {
        await next()
      } catch {
        throw new Error('wrapped')
      }
    }, fails)
    expect(outcome).toMatchObject({
      status: 'failed',
      code: 'TOOL_FAILED',
      error: boom,
      details: { rethrownBy: 'mw', rethrown: 'wrapped' },
    })
  })

  it('resolves next() on a blocked call, and assigning a result has no effect', async () => {
    let status: string | undefined
    const app = quietApp()
      .use(async (ctx, next) => {
        await next()
        status = ctx.outcome.status
        ctx.result = 'forged'
      })
      .use({ name: 'no', check: () => false })
    expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'no' })
    expect(status).toBe('blocked')
  })

  it('lets a middleware change the result', async () => {
    const { outcome } = await through(async (ctx, next) => {
      await next()
      ctx.result = `${String(ctx.result)}!`
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'r!' })
    expect(outcome).not.toHaveProperty('recovered')
  })

  it('survives a tool that throws undefined', async () => {
    const { outcome } = await through(
      async (_ctx, next) => {
        await next()
      },
      () => {
        throw undefined
      },
    )
    expect(outcome).toMatchObject({ status: 'failed', code: 'TOOL_FAILED', error: undefined })
  })
})

describe('O17, middleware that throws', () => {
  for (const [how, mw] of [
    [
      'sync',
      () => {
        throw new Error('x')
      },
    ],
    [
      'async',
      async () => {
        throw new Error('x')
      },
    ],
  ] as Array<[string, Middleware]>) {
    it(`blocks when it throws before next(), ${how}`, async () => {
      const { outcome, log, ran } = await through(mw)
      expect(outcome).toMatchObject({
        status: 'blocked',
        code: 'HOOK_FAILED',
        by: 'mw',
        executed: false,
      })
      expect([log, ran]).toEqual([['outer.skipped blocked'], 0])
    })
  }

  it('withholds the result when it throws after the tool ran, and says that the tool did run', async () => {
    const { outcome, log } = await through(async (_ctx, next) => {
      await next()
      throw new Error('mask broke')
    })
    expect(outcome).toMatchObject({
      status: 'failed',
      code: 'HOOK_FAILED',
      by: 'mw',
      executed: true,
    })
    expect(outcome).not.toHaveProperty('result')
    expect(outcome.text).toMatchInlineSnapshot(`
      "The tool did run, but its result was withheld by: mw
      hook failed"
    `)
    expect(log).toEqual(['inner.after completed', 'outer.after failed'])
  })

  it('lets nobody further out recover it', async () => {
    const app = quietApp()
      .use(async (ctx, next) => {
        await next().catch(() => undefined)
        ctx.result = 'mine'
      })
      .use(
        async (_ctx, next) => {
          await next()
          throw new Error('mask broke')
        },
        { name: 'mask' },
      )
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'failed',
      code: 'HOOK_FAILED',
      by: 'mask',
    })
  })

  it('lets a block stand when it throws after it, and reports the throw', async () => {
    const errors: string[] = []
    const app = quietApp()
    app.on('error', ({ hook, error }) => errors.push(`${hook}: ${(error as Error).message}`))
    app
      .use(
        async (_ctx, next) => {
          await next()
          throw new Error('late')
        },
        { name: 'mw' },
      )
      .use({ name: 'no', check: () => false })
    expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'no' })
    expect(errors).toEqual(['mw: late'])
  })

  it('withholds the result when it denies after the tool ran, stickily', async () => {
    const app = quietApp()
      .use(async (ctx, next) => {
        await next()
        ctx.result = 'forged'
      })
      .use(
        async (ctx, next) => {
          await next()
          ctx.deny('leaks a key', { rule: 'dlp' })
        },
        { name: 'dlp' },
      )
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'failed',
      code: 'DENIED',
      by: 'dlp',
      reason: 'leaks a key',
      rule: 'dlp',
      executed: true,
    })
  })

  it('denies over a failed tool too', async () => {
    const { outcome } = await through(
      async (ctx, next) => {
        await next().catch(() => undefined)
        ctx.deny('no')
      },
      () => {
        throw new Error('x')
      },
    )
    expect(outcome).toMatchObject({ status: 'failed', code: 'DENIED', by: 'mw' })
  })

  it('throws from ask, rewrite and respond once the gate was entered', async () => {
    for (const late of [
      (ctx: Parameters<Middleware>[0]) => ctx.ask({ title: 'x' }),
      (ctx: Parameters<Middleware>[0]) => ctx.rewrite({}),
      (ctx: Parameters<Middleware>[0]) => ctx.respond(1),
    ]) {
      const { outcome } = await through(async (ctx, next) => {
        await next()
        expect(() => late(ctx)).toThrow(/before next\(\)/)
      })
      expect(outcome.status).toBe('completed')
    }
  })
})

describe('names of middleware', () => {
  it("are the option, else the function's own, else its number among the functions", async () => {
    const named: Middleware = async function audit() {}
    const by = async (build: (app: ReturnType<typeof quietApp>) => unknown): Promise<unknown> => {
      const app = quietApp()
      build(app)
      const outcome = await app.execute(call(), echo)
      return outcome.failed && outcome.by
    }
    expect(await by((app) => app.use(named))).toBe('audit')
    expect(await by((app) => app.use(named, { name: 'given' }))).toBe('given')
    expect(
      await by((app) =>
        app
          .use({ name: 'h', after: () => undefined })
          .use((_ctx, next) => next())
          .use(() => undefined),
      ),
    ).toBe('middleware#2')
  })

  it('are the same for every tool, whoever else a filter leaves out, and inside compose()', async () => {
    const pass: () => Middleware = () => (_ctx, next) => next()
    const part = compose([{ name: 'h', after: () => undefined }, pass(), () => undefined])
    const apps = [
      quietApp()
        .use(pass(), { tools: ['other'] })
        .use(() => undefined),
      quietApp().use(part),
      quietApp().use((ctx, next) => part(ctx, next)),
    ]
    for (const app of apps) {
      for (const toolName of ['echo', 'other']) {
        const outcome = await app.execute(call({ toolName }), echo)
        expect(outcome).toMatchObject({ code: 'SHORT_CIRCUIT', by: 'middleware#2' })
      }
    }
  })
})

describe('a middleware that never settles', () => {
  it('waits with the caller, who can abort', async () => {
    const controller = new AbortController()
    const log: string[] = []
    const app = quietApp().use(witness('outer', log)).use(never, { name: 'stuck' })
    const work = app.execute(call({ signal: controller.signal }), echo)
    controller.abort(new Error('enough'))
    expect(await work).toMatchObject({ status: 'aborted', executed: false, code: 'ABORTED' })
    expect(log).toEqual(['outer.skipped aborted'])
  })
})
