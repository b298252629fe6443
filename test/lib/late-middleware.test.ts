import { describe, expect, it, vi } from 'vitest'
import { compose, type Middleware, rewrite, type ToolHook } from '../../lib/index.ts'
import { call, deferred, echo, quietApp } from '../helpers/call.ts'

const denyLate = (reason: string, code?: 'TOOL_FAILED' | 'TOOL_TIMEOUT' | 'UNKNOWN_TOOL') => {
  const middleware: Middleware = async (ctx, next) => {
    await next()
    ctx.deny(reason, { code })
  }
  return Object.defineProperty(middleware, 'name', { value: reason })
}

const answering: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch {
    // Answered for below.
  }
  ctx.result = 'instead'
}

describe('O17, ctx.deny after the tool ran', () => {
  it('stands, though a middleware further out denies as well', async () => {
    const app = quietApp().use(denyLate('outer')).use(denyLate('inner'))
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'failed',
      code: 'DENIED',
      by: 'inner',
      reason: 'inner',
      executed: true,
    })
  })

  it('stands over a later one while the tool runs, and over other faults', async () => {
    const app = quietApp().use((ctx, next) => {
      const settled = next()
      void next()
      ctx.deny('first')
      ctx.deny('second')
      return settled
    })
    expect(await app.execute(call(), echo)).toMatchObject({ code: 'DENIED', reason: 'first' })
  })

  for (const code of ['TOOL_FAILED', 'TOOL_TIMEOUT', 'UNKNOWN_TOOL'] as const) {
    it(`cannot be answered for by another middleware, also with the code ${code}`, async () => {
      const app = quietApp().use(answering).use(denyLate('inner', code))
      const outcome = await app.execute(call(), echo)
      expect(outcome).toMatchObject({ status: 'failed', code, by: 'inner' })
      expect(outcome.text).toBe('The tool did run, but its result was withheld by: inner\ninner')
      const wrapped = app.wrap('echo', echo)
      await expect(wrapped({})).rejects.toMatchObject({ name: 'ToolwareError', code })
    })
  }
})

describe('O16, a recovered call', () => {
  it('stays so when a middleware further out changes the result', async () => {
    const seen = vi.fn()
    const broken = new Error('broken')
    const app = quietApp()
      .use({ name: 'audit', after: (_ctx, outcome) => seen(outcome) })
      .use(async (ctx, next) => {
        await next()
        ctx.result = `masked ${ctx.result}`
      })
      .use(answering, { name: 'answering' })
    const outcome = await app.execute(call(), () => Promise.reject(broken))
    const recovered = { result: 'masked instead', recovered: 'answering', toolError: broken }
    expect(outcome).toMatchObject(recovered)
    expect(seen.mock.calls[0]?.[0]).toMatchObject(recovered)
  })
})

describe('ctx.result, once its middleware has settled', () => {
  for (const failing of [false, true]) {
    it(`is void, and reported, when the tool ${failing ? 'failed' : 'completed'}`, async () => {
      const failed = vi.fn()
      const gate = deferred()
      const late: Middleware = async (ctx, next) => {
        void gate.promise.then(() => {
          ctx.result = 'late'
        })
        await next()
      }
      const app = quietApp()
        .use(async (_ctx, next) => {
          await next().finally(() => gate.resolve(undefined))
          await gate.promise
        })
        .use(late)
      app.on('error', failed)
      const outcome = await app.execute(call({ params: { text: 'said' } }), (params) => {
        if (failing) throw new Error('broken')
        return params.text
      })
      await gate.promise
      const kept = failing ? { status: 'failed', error: new Error('broken') } : { result: 'said' }
      expect(outcome).toMatchObject(kept)
      expect(failed.mock.calls).toMatchObject([
        [{ hook: 'late', phase: 'middleware', error: { code: 'HOOK_FAILED' } }],
      ])
    })
  }
})

describe('O11, ctx.rewrite after next()', () => {
  const outer: Middleware = async (ctx, next) => {
    const settled = next()
    ctx.rewrite({ path: 'secret' })
    await settled
  }
  const guard = (seen: string[]): ToolHook => ({
    name: 'guard',
    check: async ({ params, recheck }) => {
      seen.push(`${recheck ? 'recheck' : 'check'} ${params['path']}`)
      return params['path'] !== 'secret'
    },
  })

  for (const [how, middleware] of [
    ['a middleware', outer],
    ['a part of compose()', compose([outer])],
    ['compose() by hand', ((ctx, next) => compose([outer])(ctx, next)) as Middleware],
  ] as const) {
    it(`has whoever is further in judge again, from ${how}`, async () => {
      const seen: string[] = []
      const tool = vi.fn(echo)
      const app = quietApp().use(middleware).use(guard(seen))
      expect(await app.execute(call({ params: { path: 'open' } }), tool)).toMatchObject({
        status: 'blocked',
        by: 'guard',
      })
      expect(seen).toEqual(['check open', 'recheck secret'])
      expect(tool).not.toHaveBeenCalled()
    })
  }

  it('has them judge again as well when a hook further in rewrote before', async () => {
    const seen: string[] = []
    const app = quietApp()
      .use({ name: 'first', before: () => rewrite({ path: 'other' }) })
      .use(outer)
      .use(guard(seen))
    expect(await app.execute(call({ params: { path: 'open' } }), echo)).toMatchObject({
      by: 'guard',
    })
    expect(seen).toEqual(['check other', 'recheck secret'])
  })
})
