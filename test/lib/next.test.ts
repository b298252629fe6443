import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApprovalQueue } from '../../lib/approval/index.ts'
import { ask, deny, type Middleware, rewrite } from '../../lib/index.ts'
import { call, deferred, echo, quietApp } from '../helpers/call.ts'
import { answers } from '../helpers/middleware.ts'

// What test/lib/frame.test.ts does not show of O10 yet, sentence by sentence.

describe('O10, what settled means', () => {
  it.each(answers)(
    'a forgotten next() that has settled by then is fine, %s tool',
    async (_, tool) => {
      const left = deferred()
      const app = quietApp()
        .use(async (_ctx, next) => {
          void next()
          await left.promise
          await new Promise((resolve) => setImmediate(resolve))
        })
        .use({ name: 'h', after: () => left.resolve(undefined) })
      expect(await app.execute(call(), tool)).toMatchObject({ status: 'completed', result: 'r' })
    },
  )

  it('a throw right after next() closes the gate as well, in a function that is not async', async () => {
    const tool = vi.fn(echo)
    const gate = deferred<boolean>()
    const app = quietApp()
      .use(
        (_ctx, next) => {
          void next()
          throw new Error('x')
        },
        { name: 'mw' },
      )
      .use({ name: 'slow', check: () => gate.promise })
    const work = app.execute(call(), tool)
    gate.resolve(true)
    expect(await work).toMatchObject({
      status: 'blocked',
      code: 'NEXT_NOT_AWAITED',
      by: 'mw',
      executed: false,
    })
    expect(tool).not.toHaveBeenCalled()
  })

  it.each(answers)(
    'a throw after an inner part that has settled is O17, %s tool',
    async (_, tool) => {
      const app = quietApp().use(
        async (_ctx, next) => {
          const inner = next()
          await inner
          throw new Error('x')
        },
        { name: 'mw' },
      )
      expect(await app.execute(call(), tool)).toMatchObject({ code: 'HOOK_FAILED', executed: true })
    },
  )
})

describe('O10, in every environment', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.resetModules()
  })

  it.each(['production', 'development', ''])('NODE_ENV=%s changes nothing', async (name) => {
    vi.stubEnv('NODE_ENV', name)
    vi.resetModules()
    const { Toolware } = await import('../../lib/index.ts')
    const code = async (mw: Middleware, tool = echo): Promise<unknown> => {
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      const outcome = await new Toolware({ log }).use(mw).execute(call(), tool)
      return outcome.failed && outcome.code
    }
    const slow = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve, 'r'))
    expect([
      await code(async (_ctx, next) => {
        await next()
        await next().catch(() => undefined)
      }),
      await code((_ctx, next) => void next(), slow),
      await code(() => undefined),
    ]).toEqual(['NEXT_TWICE', 'NEXT_NOT_AWAITED', 'SHORT_CIRCUIT'])
  })
})

describe('O10, answering in place of the tool', () => {
  const respond: Array<[string, Middleware]> = [
    [
      'async',
      async (ctx, next) => {
        ctx.respond('cached')
        await next()
      },
    ],
    [
      'sync',
      (ctx, next) => {
        ctx.respond('cached')
        return next()
      },
    ],
  ]

  it.each(respond)('after sees that nothing was executed, %s', async (_, mw) => {
    const seen: unknown[] = []
    const tool = vi.fn(echo)
    const app = quietApp()
      .use(mw)
      .use({
        name: 'h',
        after: (_ctx, o) => seen.push(o.status, o.executed),
        skipped: () => seen.push('skipped'),
      })
    expect(await app.execute(call(), tool)).toMatchObject({ result: 'cached', executed: false })
    expect(seen).toEqual(['completed', false])
    expect(tool).not.toHaveBeenCalled()
  })

  it.each(respond)('the re-check still applies, %s', async (_, mw) => {
    const app = quietApp()
      .use({ name: 'guard', check: ({ params }) => params.text !== 'bad' || deny('bad') })
      .use(mw)
      .use({ name: 'rewriter', before: () => rewrite({ text: 'bad' }) })
    expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'guard' })
  })

  it.each(respond)('a person is asked, and what is allowed is the answer, %s', async (_, mw) => {
    const queue = new ApprovalQueue()
    const asked: string[] = []
    queue.on('pending', ({ id }) => {
      asked.push(id)
      void queue.resolve(id, asked.length === 1 ? 'allow-once' : 'deny')
    })
    const app = quietApp({ approvals: queue })
      .use(mw)
      .use({ name: 'q', check: () => ask({ title: '?' }) })
    expect(await app.execute(call(), echo)).toMatchObject({ result: 'cached', executed: false })
    expect(await app.execute(call(), echo)).toMatchObject({ code: 'APPROVAL_DENIED' })
    expect(asked).toHaveLength(2)
    await queue.close()
  })

  it.each<[string, Middleware]>([
    ['sync', (ctx) => ctx.respond('cached')],
    ['async', async (ctx) => ctx.respond('cached')],
  ])('an answer without next() is a short circuit, %s', async (_, mw) => {
    expect(await quietApp().use(mw).execute(call(), echo)).toMatchObject({
      status: 'blocked',
      code: 'SHORT_CIRCUIT',
      executed: false,
    })
  })
})
