import { describe, expect, it } from 'vitest'
import type { MiddlewareContext } from '../../lib/index.ts'
import { call, echo, quietApp } from '../helpers/call.ts'
import { answers, bothWays } from '../helpers/middleware.ts'

// What test/lib/frame.test.ts does not show of O17 yet, sentence by sentence.

describe.each(answers)('O17, after a tool that answered, %s', (_, tool) => {
  it.each(
    bothWays(() => {
      throw new Error('mask broke')
    }),
  )('a throw withholds the result, for everybody further out, %s', async (_how, mw) => {
    const seen: unknown[] = []
    const app = quietApp()
      .use(
        async (ctx, next) => {
          await next().catch((error) => seen.push(error))
          seen.push(ctx.result)
          ctx.result = 'recovered'
        },
        { name: 'outer' },
      )
      .use(mw, { name: 'mask' })
    const outcome = await app.execute(call(), tool)
    expect(outcome).toMatchObject({
      status: 'failed',
      code: 'HOOK_FAILED',
      by: 'mask',
      executed: true,
    })
    expect(outcome.text).toContain('The tool did run')
    expect(JSON.stringify([outcome, outcome.text])).not.toContain('"r"')
    expect(seen).not.toContain('r')
  })

  it.each(
    bothWays((ctx) => {
      ctx.deny('leak', { rule: 'dlp' })
      ctx.result = 'forged'
    }),
  )('a deny withholds the result and nobody takes it back, %s', async (_how, mw) => {
    const app = quietApp()
      .use(async (ctx, next) => {
        await next().catch(() => undefined)
        ctx.result = 'forged, too'
      })
      .use(mw, { name: 'dlp' })
    const outcome = await app.execute(call(), tool)
    expect(outcome).toMatchObject({
      status: 'failed',
      code: 'DENIED',
      by: 'dlp',
      reason: 'leak',
      executed: true,
    })
    expect(outcome).not.toHaveProperty('result')
  })
})

describe('O17, a throw where the tool did not run', () => {
  it.each(
    bothWays(() => {
      throw new Error('late')
    }),
  )('lets a block stand and is reported, %s', async (_, mw) => {
    const errors: unknown[] = []
    const app = quietApp()
    app.on('error', ({ hook, error }) => errors.push(hook, (error as Error).message))
    app.use(mw, { name: 'mw' }).use({ name: 'no', check: () => false })
    expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'no' })
    expect(errors).toEqual(['mw', 'late'])
  })

  it('withholds what another middleware answered, and does not say that the tool ran', async () => {
    const app = quietApp()
      .use(
        async (_ctx, next) => {
          await next()
          throw new Error('mask broke')
        },
        { name: 'mask' },
      )
      .use(async (ctx, next) => {
        ctx.respond('cached')
        await next()
      })
    const outcome = await app.execute(call(), echo)
    expect(outcome).toMatchObject({ code: 'HOOK_FAILED', by: 'mask', executed: false })
    expect(outcome.text).not.toMatch(/did run|cached/)
  })
})

describe('O17, ask, rewrite and respond', () => {
  const acts: Array<[string, (ctx: MiddlewareContext) => void]> = [
    ['ask', (ctx) => ctx.ask({ title: '?' })],
    ['rewrite', (ctx) => ctx.rewrite({ text: 'late' })],
    ['respond', (ctx) => ctx.respond('late')],
  ]

  it.each(acts)('%s throws while the tool runs', async (_, act) => {
    let thrown: unknown
    const app = quietApp().use(async (ctx, next) => {
      const inner = next()
      try {
        act(ctx)
      } catch (error) {
        thrown = error
      }
      await inner
    })
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'completed',
      result: { text: 'hi' },
    })
    expect(thrown).toMatchObject({ message: expect.stringContaining('before next()') })
  })

  it.each(acts)('%s throws after a block, and the block stands', async (_, act) => {
    const app = quietApp()
      .use(async (ctx, next) => {
        await next()
        expect(() => act(ctx)).toThrow('before next()')
      })
      .use({ name: 'no', check: () => false })
    expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'no' })
  })
})
