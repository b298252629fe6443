import { AsyncLocalStorage } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compose, deny, type Middleware, type Outcome } from '../../lib/index.ts'
import { messageOf } from '../../lib/outcome.ts'
import { call, echo, quietApp } from '../helpers/call.ts'

/** Faults that users of such systems reported, as small scenarios: compose-core, parallel-context, timeouts-abort, clone-serialize. */
const cases: Array<{ id: string }> = JSON.parse(
  readFileSync(new URL('../cases/reports-onion.json', import.meta.url), 'utf8'),
)
const covered = new Set<string>()
const report = (id: string, outcome: string, body: () => Promise<void>): void => {
  covered.add(id)
  it(`${id}: ${outcome}`, body)
}
const unhandled = vi.fn()
const warned = vi.fn()
beforeEach(() => {
  unhandled.mockReset()
  warned.mockReset()
  process.on('unhandledRejection', unhandled)
  process.on('warning', warned)
})
afterEach(async () => {
  vi.useRealTimers()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  process.off('warning', warned)
  expect(unhandled).not.toHaveBeenCalled()
  expect(warned).not.toHaveBeenCalled()
})
afterAll(() => {
  expect([...covered].sort()).toEqual(cases.map(({ id }) => id).sort())
})

describe('compose-core', () => {
  report('BR-001', 'one double-next error naming H2, seen by H1, the tool once', async () => {
    const seen: unknown[] = []
    const tool = vi.fn(echo)
    const h1: Middleware = async (_ctx, next) => {
      try {
        await next()
      } catch (error) {
        seen.push(error)
      }
    }
    const app = quietApp()
      .use(h1, { name: 'H1' })
      .use(
        (_ctx, next) => {
          void next()
          void next()
        },
        { name: 'H2' },
      )
    expect(await app.execute(call(), tool)).toMatchObject({ code: 'NEXT_TWICE', by: 'H2' })
    expect(seen).toMatchObject([{ code: 'NEXT_TWICE' }])
    expect(tool).toHaveBeenCalledTimes(1)
  })

  report('BR-003', 'a composed stack inside a stack keeps its tail', async () => {
    const order: unknown[] = []
    const n =
      (i: number): Middleware =>
      async (_ctx, next) => {
        order.push(i)
        await next()
        order.push(-i)
      }
    await quietApp()
      .use(compose([n(1), n(2)]))
      .use(n(3))
      .execute(call(), async () => {
        order.push('T')
      })
    expect(order).toEqual([1, 2, 3, 'T', -3, -2, -1])
  })

  report('BR-004', 'fails loudly, after the tool has ended', async () => {
    vi.useFakeTimers()
    let ended = false
    const app = quietApp().use((_ctx, next) => {
      void next()
    })
    const work = app.execute(
      call(),
      () =>
        new Promise((resolve) =>
          setTimeout(() => {
            ended = true
            resolve('ok')
          }, 50),
        ),
    )
    await vi.advanceTimersByTimeAsync(51)
    expect(await work).toMatchObject({ code: 'NEXT_NOT_AWAITED', executed: true })
    expect(ended).toBe(true)
  })

  report('BR-006', 'an error is raised, and the tool still sees the store', async () => {
    const storage = new AsyncLocalStorage<string>()
    let seen: string | undefined
    const app = quietApp().use((_ctx, next) => {
      storage.run('store', () => {
        void next()
      })
    })
    const outcome = await app.execute(call(), async () => {
      await Promise.resolve()
      seen = storage.getStore()
    })
    expect([outcome.failed && outcome.code, seen]).toEqual(['NEXT_NOT_AWAITED', 'store'])
  })

  report(
    'BR-007',
    'the caller gets the fallback, audit gets the error and who recovered it',
    async () => {
      let audited: Outcome | undefined
      const app = quietApp()
        .use({
          name: 'audit',
          after: (_ctx, o) => {
            audited = o
          },
        })
        .use(
          async (ctx, next) => {
            await next().catch(() => {
              ctx.result = 'fallback'
            })
          },
          { name: 'H1' },
        )
      expect(
        await app.execute(call(), async () => {
          throw new Error('disk')
        }),
      ).toMatchObject({ result: 'fallback' })
      expect(audited).toMatchObject({ recovered: 'H1', toolError: { message: 'disk' } })
    },
  )

  report(
    'BR-009',
    'a middleware keeps the store open for the tool and for hooks further in',
    async () => {
      const storage = new AsyncLocalStorage<number>()
      const seen: unknown[] = []
      const app = quietApp()
        .use((_ctx, next) => storage.run(1, next))
        .use({ name: 'h', after: () => seen.push(storage.getStore()) })
      await app.execute(call(), async () => {
        seen.push(storage.getStore())
      })
      expect(seen).toEqual([1, 1])
    },
  )
})

describe('parallel-context', () => {
  report('BR-010', 'each call has a state of its own', async () => {
    const last: unknown[] = []
    const app = quietApp().use({
      name: 'h',
      before: async (ctx) => {
        const n = (ctx.state.get('n') as number | undefined) ?? 0
        await Promise.resolve()
        ctx.state.set('n', n + 1)
        last.push(ctx.state.get('n'))
      },
    })
    await Promise.all(Array.from({ length: 10 }, () => app.execute(call({ sessionId: 's' }), echo)))
    expect(last).toEqual(Array(10).fill(1))
  })

  report('BR-012', 'what one call of a batch says concerns that call only', async () => {
    const app = quietApp().use(async (ctx, next) => {
      if (ctx.toolCallId === 'B') ctx.respond('skipped')
      await next()
    })
    const [a, b] = await Promise.all(
      ['A', 'B'].map((toolCallId) => app.execute(call({ toolCallId }), async () => 'ran')),
    )
    expect([a, b]).toMatchObject([{ result: 'ran' }, { result: 'skipped', executed: false }])
  })

  report('BR-013', 'only the denied or failing call of a batch carries that', async () => {
    const app = quietApp().use({ name: 'no', check: (ctx) => ctx.toolCallId !== '2' || deny('no') })
    const all = await Promise.all(
      ['1', '2', '3'].map((id) =>
        app.execute(call({ toolCallId: id }), async () => {
          if (id === '3') throw new Error('exit 1')
          return id
        }),
      ),
    )
    expect(all.map(({ status }) => status)).toEqual(['completed', 'blocked', 'failed'])
  })

  report(
    'BR-015',
    "calls of one turn are told by their runId: toolware carries the host's facts and invents no batch",
    async () => {
      const turns = new Map<unknown, number>()
      const app = quietApp().use({
        name: 'per-turn',
        before: (ctx) => {
          turns.set(ctx.runId, (turns.get(ctx.runId) ?? 0) + 1)
        },
      })
      await Promise.all([1, 2, 3].map(() => app.execute(call({ runId: 'turn-1' }), echo)))
      expect([...turns]).toEqual([['turn-1', 3]])
    },
  )
})

describe('timeouts-abort', () => {
  report('BR-108', 'one listener for the life of a signal, not one per call', async () => {
    const { signal } = new AbortController()
    const app = quietApp()
    for (let i = 0; i < 1000; i++) await app.execute(call({ signal }), echo)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  })

  report(
    'BR-110',
    'twelve calls in parallel with one signal and two hooks each warn of nothing',
    async () => {
      const { signal } = new AbortController()
      const app = quietApp()
        .use({ name: 'a', check: async (ctx) => !ctx.signal.aborted })
        .use({ name: 'b', check: async (ctx) => !ctx.signal.aborted })
      const all = await Promise.all(
        Array.from({ length: 12 }, () =>
          app.execute(call({ signal }), async (_p, ctx) => ctx.signal.aborted),
        ),
      )
      expect(all.every(({ status }) => status === 'completed')).toBe(true)
    },
  )

  report('BR-111', 'no timer stays armed after an abort', async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const work = quietApp({ beforeTimeoutMs: 60_000 })
      .use({ name: 'h', check: () => new Promise<boolean>(() => undefined) })
      .execute(call({ signal: controller.signal }), echo)
    await vi.advanceTimersByTimeAsync(10)
    controller.abort()
    expect((await work).status).toBe('aborted')
    await vi.advanceTimersByTimeAsync(60)
    expect(vi.getTimerCount()).toBe(0)
  })

  report('BR-113', 'stays aborted when a middleware makes results of errors', async () => {
    const controller = new AbortController()
    const app = quietApp().use(async (ctx, next) => {
      try {
        await next()
      } catch {
        /* to a result */
      }
      ctx.result = 'fine'
    })
    const work = app.execute(
      call({ signal: controller.signal }),
      () => new Promise(() => undefined),
    )
    controller.abort()
    expect(await work).toMatchObject({ status: 'aborted' })
  })

  report('BR-114', 'hooks hear of an abort in the middle of the tool, once', async () => {
    const controller = new AbortController()
    const seen: string[] = []
    const app = quietApp().use({
      name: 'audit',
      after: (_ctx, o) => seen.push(o.status),
      skipped: () => seen.push('skipped'),
    })
    const work = app.execute(
      call({ signal: controller.signal }),
      () => new Promise(() => undefined),
    )
    controller.abort()
    await work
    expect(seen).toEqual(['aborted'])
  })

  report(
    'BR-116',
    'nothing is kept of calls on a signal (test/lib/counts.test.ts measures bytes)',
    async () => {
      const { signal } = new AbortController()
      const app = quietApp().use({ name: 'h', check: async (ctx) => ctx.toolName !== '' })
      for (let i = 0; i < 200; i++) await app.execute(call({ signal }), echo)
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    },
  )
})

describe('clone-serialize', () => {
  report(
    'BR-166',
    'a function in params is refused with words, instead of lost or thrown; `trusted` passes it by reference',
    async () => {
      const params = { q: 1, onData: () => 1 }
      const outcome = await quietApp().execute({ toolName: 't', params }, echo)
      expect(outcome).toMatchObject({
        status: 'blocked',
        code: 'BAD_ARGUMENTS',
        reason: expect.stringContaining('a function'),
      })
      expect(
        await quietApp({ intake: 'trusted' }).execute(
          { toolName: 't', params },
          async (p) => p === params,
        ),
      ).toMatchObject({ result: true })
    },
  )

  report(
    'BR-168',
    'a class instance is refused with words; `trusted` passes the real one',
    async () => {
      class Money {
        readonly n = 5
        fmt(): string {
          return `${this.n} EUR`
        }
      }
      const params = { when: new Money() }
      expect(await quietApp().execute({ toolName: 't', params }, echo)).toMatchObject({
        code: 'BAD_ARGUMENTS',
        reason: expect.stringContaining('an instance of a class'),
      })
      expect(
        await quietApp({ intake: 'trusted' }).execute({ toolName: 't', params }, async (p) =>
          p.when.fmt(),
        ),
      ).toMatchObject({ result: '5 EUR' })
    },
  )

  report('BR-169', "a tool's error keeps its identity, and its message in every text", async () => {
    class Custom extends Error {
      readonly code = 'E_CUSTOM'
    }
    const error = new Custom('could not clone', { cause: new Error('inner') })
    const outcome = await quietApp().execute(call(), async () => {
      throw error
    })
    expect(outcome.status === 'failed' && outcome.error).toBe(error)
    expect(JSON.parse(JSON.stringify(outcome))).toMatchObject({
      error: 'could not clone',
      text: 'Tool failed: could not clone',
    })
    expect(messageOf(error)).toBe('could not clone')
  })
})
