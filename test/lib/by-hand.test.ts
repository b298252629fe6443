import { describe, expect, it } from 'vitest'
import { adapt, compose, type Middleware, type Next, type ToolHook } from '../../lib/index.ts'
import { call, quietApp } from '../helpers/call.ts'

const passing: Middleware = async (_ctx, next) => {
  await next()
}

/** What a middleware may run by hand, each with a hook in it or not. */
const PARTS: ReadonlyArray<readonly [string, (hook: ToolHook) => Middleware, boolean]> = [
  ['adapt([hook])', (hook) => adapt([hook]), true],
  ['compose([hook])', (hook) => compose([hook]), true],
  ['compose([function])', () => compose([passing]), false],
  ['compose([hook, function])', (hook) => compose([hook, passing]), true],
]
const HOOKS: Readonly<Record<string, Partial<ToolHook>>> = {
  sync: { check: () => true },
  async: { check: async () => true },
}
const BROKEN = new Error('broken')

/** Each gives the part a `next` of its own that does not run the rest of the call. */
const NOWHERE: Readonly<Record<string, (part: Middleware) => Middleware>> = {
  'a next() that does nothing': (part) => (ctx) => part(ctx, async () => undefined),
  'a next() that answers no promise': (part) => (ctx) =>
    part(ctx, (() => undefined) as unknown as Next),
  'a next() that rejects': (part) => (ctx) => part(ctx, () => Promise.reject(BROKEN)),
  'a next() that does nothing, and calls the right one after it': (part) => async (ctx, next) => {
    await part(ctx, async () => undefined)
    await next()
  },
}

/** Each loses sight of what runs. */
const FORGOTTEN: Readonly<Record<string, (part: Middleware) => Middleware>> = {
  'forgets the part': (part) => (ctx, next) => {
    part(ctx, next)
  },
  'gives it a next() that forgets the right one': (part) => (ctx, next) =>
    part(ctx, async () => {
      void next()
    }),
  'runs the rest beside it': (part) => async (ctx, next) => {
    part(ctx, async () => undefined)
    await next()
  },
}

describe('a part that a middleware runs by hand', () => {
  for (const [what, make, hasHook] of PARTS) {
    for (const [mode, phases] of Object.entries(HOOKS)) {
      const run = async (around: (part: Middleware) => Middleware) => {
        const log: string[] = []
        const leaving = (name: string): Partial<ToolHook> => ({
          after: (_ctx, outcome) => log.push(`${name} after ${outcome.status}`),
          skipped: (_ctx, outcome) => log.push(`${name} skipped ${outcome.status}`),
        })
        const hook = { name: 'inner', ...phases, ...leaving('inner') } as ToolHook
        const app = quietApp()
          .use({ name: 'outer', ...leaving('outer') } as ToolHook)
          .use(around(make(hook)), { name: 'm' })
        const outcome = await app.execute(call(), async () => {
          await new Promise((resolve) => setImmediate(resolve))
          log.push('tool')
          return 'r'
        })
        return { outcome, log }
      }

      it(`runs as in the list: ${what}, ${mode}`, async () => {
        const { outcome, log } = await run((part) => (ctx, next) => part(ctx, next))
        expect(outcome).toMatchObject({ status: 'completed', result: 'r' })
        const inner = hasHook ? ['inner after completed'] : []
        expect(log).toEqual(['tool', ...inner, 'outer after completed'])
      })

      for (const [how, around] of Object.entries(NOWHERE)) {
        it(`blocks when it is given ${how}: ${what}, ${mode}`, async () => {
          const { outcome, log } = await run(around)
          expect(outcome).toMatchObject({ status: 'blocked', code: 'SHORT_CIRCUIT', by: 'm' })
          expect(outcome.text).toContain('pass on your own next')
          const inner = hasHook ? ['inner skipped blocked'] : []
          expect(log).toEqual([...inner, 'outer skipped blocked'])
        })
      }

      for (const [how, around] of Object.entries(FORGOTTEN)) {
        it(`is waited for when the middleware ${how}: ${what}, ${mode}`, async () => {
          const { outcome, log } = await run(around)
          const { executed } = outcome
          expect(outcome).toMatchObject({
            status: executed ? 'failed' : 'blocked',
            code: 'NEXT_NOT_AWAITED',
            by: 'm',
          })
          const end = executed ? 'after failed' : 'skipped blocked'
          const inner = hasHook ? [`inner ${end}`] : []
          expect(log).toEqual([...(executed ? ['tool'] : []), ...inner, `outer ${end}`])
        })
      }
    }
  }

  it('is refused where there is no middleware function', async () => {
    const part = adapt([{ name: 'inner', check: () => true }])
    const app = quietApp({ exposeErrors: true }).use({
      name: 'h',
      check: (ctx) => part(ctx as never, async () => true) as Promise<boolean>,
    })
    expect((await app.execute(call(), () => 'r')).text).toMatch(/run inside a middleware function/)
  })
})
