import { describe, expect, it } from 'vitest'
import { ApprovalQueue } from '../../lib/approval/index.ts'
import { ask, type Outcome } from '../../lib/index.ts'
import { call, never, quietApp } from '../helpers/call.ts'
import { boom, bothWays, failures } from '../helpers/middleware.ts'

// What test/lib/frame.test.ts does not show of O16 yet, sentence by sentence.

describe.each(failures)('O16, a tool that fails, %s', (_, tool) => {
  it('is recovered by a function that is not async; inner hooks see the failure, outer ones both', async () => {
    const seen: Outcome[] = []
    const app = quietApp()
      .use({ name: 'outer', after: (_ctx, o) => seen.push(o) })
      .use(
        (ctx, next) =>
          next().catch(() => {
            ctx.result = 'default'
          }),
        { name: 'fallback' },
      )
      .use({ name: 'inner', after: (_ctx, o) => seen.push(o) })
    const outcome = await app.execute(call(), tool)
    expect(outcome).toMatchObject({ status: 'completed', recovered: 'fallback', toolError: boom })
    expect(seen).toMatchObject([
      { status: 'failed', error: boom },
      { status: 'completed', result: 'default', recovered: 'fallback', toolError: boom },
    ])
  })

  it('rejects next() again further out when it was swallowed, until somebody answers for it', async () => {
    const seen: unknown[] = []
    const app = quietApp()
      .use(
        async (ctx, next) => {
          await next().catch((error) => {
            seen.push(error)
            ctx.result = 'default'
          })
        },
        { name: 'second' },
      )
      .use((_ctx, next) => next().catch((error) => void seen.push(error)))
    expect(await app.execute(call(), tool)).toMatchObject({
      status: 'completed',
      recovered: 'second',
    })
    expect(seen).toEqual([boom, boom])
    expect(seen[1]).toBe(boom)
  })

  it('keeps its error when a middleware throws another one, which is what code further out catches', async () => {
    const seen: unknown[] = []
    const wrapped = new Error('wrapped', { cause: boom })
    const app = quietApp()
      .use(async (_ctx, next) => {
        await next().catch((error) => {
          seen.push(error)
          throw error
        })
      })
      .use(
        (_ctx, next) =>
          next().catch(() => {
            throw wrapped
          }),
        { name: 'wrapper' },
      )
    const outcome = await app.execute(call(), tool)
    expect(outcome).toMatchObject({
      status: 'failed',
      code: 'TOOL_FAILED',
      details: { rethrownBy: 'wrapper', rethrown: 'wrapped' },
    })
    expect(outcome.status === 'failed' && outcome.error).toBe(boom)
    expect(seen).toEqual([wrapped])
  })
})

describe('O16, a call whose tool did not run, or was given up', () => {
  const ends: Array<['blocked' | 'pending' | 'aborted', () => Promise<[Outcome, unknown[]]>]> = []
  for (const status of ['blocked', 'pending', 'aborted'] as const) {
    ends.push([
      status,
      async () => {
        const seen: unknown[] = []
        const controller = new AbortController()
        const queue = new ApprovalQueue({ mode: 'defer' })
        const app = quietApp({ approvals: queue })
        for (const [, forge] of bothWays((ctx) => {
          seen.push(ctx.outcome.status)
          ctx.result = 'forged'
        })) {
          app.use(forge)
        }
        app.use({
          name: 'h',
          check: () => {
            if (status === 'aborted') queueMicrotask(() => controller.abort())
            if (status === 'pending') return ask({ title: '?' })
            return status !== 'blocked'
          },
        })
        const outcome = await app.execute(call({ signal: controller.signal }), never)
        await queue.close()
        return [outcome, seen]
      },
    ])
  }

  it.each(ends)(
    '%s: next() resolves, ctx.outcome says so, a result has no effect',
    async (status, run) => {
      const [outcome, seen] = await run()
      expect(outcome.status).toBe(status)
      expect(outcome).not.toHaveProperty('result')
      expect(seen).toEqual([status, status])
    },
  )
})
