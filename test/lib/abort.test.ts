import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ask, type HookContext, type Outcome, type ToolHook } from '../../lib/index.ts'
import { call, deferred, echo, never, quietApp } from '../helpers/call.ts'

const reason = new Error('user went away')

describe('O15, an abort by the caller', () => {
  const unhandled = vi.fn()
  beforeEach(() => {
    unhandled.mockReset()
    process.on('unhandledRejection', unhandled)
  })
  afterEach(async () => {
    vi.useRealTimers()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  const witness = (log: string[]): ToolHook => ({
    name: 'w',
    after: (_c, o) => log.push(`after ${o.status} ${o.executed}`),
    skipped: (_c, o) => log.push(`skipped ${o.status} ${o.executed}`),
  })

  for (const phase of ['check', 'before'] as const) {
    it(`races a pending ${phase}, tells it, and runs the way out`, async () => {
      const controller = new AbortController()
      const log: string[] = []
      let told: AbortSignal | undefined
      const tool = vi.fn(echo)
      const app = quietApp()
        .use(witness(log))
        .use({
          name: 'h',
          [phase]: (ctx: { signal: AbortSignal }) => {
            told = ctx.signal
            return never()
          },
        } as unknown as ToolHook)
      const work = app.execute(call({ signal: controller.signal }), tool)
      controller.abort(reason)
      expect(told?.reason).toBe(reason)
      expect(await work).toMatchObject({
        status: 'aborted',
        code: 'ABORTED',
        executed: false,
        error: reason,
      })
      expect(log).toEqual(['skipped aborted false'])
      expect(tool).not.toHaveBeenCalled()
    })
  }

  it('races the tool, tells it, and says that it had started', async () => {
    const controller = new AbortController()
    const log: string[] = []
    let told: AbortSignal | undefined
    const app = quietApp().use(witness(log))
    const work = app.execute(call({ signal: controller.signal }), (_p, ctx) => {
      told = ctx.signal
      return never()
    })
    controller.abort(reason)
    expect(await work).toMatchObject({ status: 'aborted', executed: true, error: reason })
    expect(told?.aborted).toBe(true)
    expect(log).toEqual(['after aborted true'])
  })

  it('ignores what the tool does after the abort', async () => {
    const controller = new AbortController()
    const gate = deferred<string>()
    const work = quietApp().execute(call({ signal: controller.signal }), () => gate.promise)
    controller.abort(reason)
    gate.reject(new Error('late'))
    expect((await work).status).toBe('aborted')
  })

  it('races a middleware before next(), and lets one unwind after the tool was aborted', async () => {
    const controller = new AbortController()
    const log: string[] = []
    const app = quietApp()
      .use(witness(log))
      .use(async (ctx, next) => {
        await next()
        log.push(`unwinds ${ctx.outcome.status}`)
      })
    const work = app.execute(call({ signal: controller.signal }), never)
    controller.abort(reason)
    expect((await work).status).toBe('aborted')
    expect(log).toEqual(['unwinds aborted', 'after aborted true'])
  })

  it('lets a failure of the tool travel out through functions whose caller could have aborted', async () => {
    const { signal } = new AbortController()
    const broken = new Error('broken')
    const seen: unknown[] = []
    const app = quietApp()
      .use(async (ctx, next) => {
        await next().catch((error) => seen.push(error))
        seen.push(ctx.outcome.status)
      })
      .use(async (_ctx, next) => next())
    const outcome = await app.execute(call({ signal }), async () => {
      throw broken
    })
    expect(outcome).toMatchObject({ status: 'failed', error: broken })
    expect(seen).toEqual([broken, 'failed'])
  })

  it('gives up a function that aborts the call itself and then waits', async () => {
    const controller = new AbortController()
    const app = quietApp().use(async () => {
      controller.abort(reason)
      await never()
    })
    const outcome = await app.execute(call({ signal: controller.signal }), echo)
    expect(outcome).toMatchObject({ status: 'aborted', error: reason, executed: false })
  })

  it('ignores how a function ends that was given up', async () => {
    const controller = new AbortController()
    const gate = deferred()
    const app = quietApp().use(async (ctx) => {
      await gate.promise
      ctx.deny('too late')
      throw new Error('late')
    })
    const work = app.execute(call({ signal: controller.signal }), echo)
    controller.abort(reason)
    const outcome = await work
    gate.resolve(undefined)
    await new Promise((resolve) => setImmediate(resolve))
    expect(outcome).toMatchObject({ status: 'aborted', error: reason })
  })

  it('does not wait for ever for a middleware that hangs while unwinding', async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const app = quietApp({ afterTimeoutMs: 100 }).use(async (_c, next) => {
      await next()
      await never()
    })
    const work = app.execute(call({ signal: controller.signal }), never)
    controller.abort(reason)
    await vi.advanceTimersByTimeAsync(200)
    expect(await work).toMatchObject({ status: 'aborted', executed: true })
  })

  it('races a middleware that hangs after the tool ran', async () => {
    const controller = new AbortController()
    const app = quietApp().use(async (_c, next) => {
      await next()
      await never()
    })
    const work = app.execute(call({ signal: controller.signal }), async () => 'r')
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort(reason)
    expect(await work).toMatchObject({ status: 'aborted', executed: true })
  })

  it('beats SHORT_CIRCUIT and NEXT_NOT_AWAITED', async () => {
    const short = new AbortController()
    const one = quietApp().use(() => {
      short.abort(reason)
    })
    expect(await one.execute(call({ signal: short.signal }), echo)).toMatchObject({
      status: 'aborted',
    })
    const early = new AbortController()
    const two = quietApp().use((_c, next) => {
      void next()
      early.abort(reason)
    })
    expect(await two.execute(call({ signal: early.signal }), never)).toMatchObject({
      status: 'aborted',
      executed: true,
    })
  })

  it('stops the way in when a handler aborts the call itself', async () => {
    const controller = new AbortController()
    const log: string[] = []
    const app = quietApp()
      .use({
        name: 'a',
        check: () => {
          controller.abort(reason)
          return true
        },
        skipped: () => log.push('a skipped'),
      })
      .use({
        name: 'b',
        check: () => {
          log.push('b')
          return true
        },
      })
    expect(await app.execute(call({ signal: controller.signal }), echo)).toMatchObject({
      status: 'aborted',
      executed: false,
    })
    expect(log).toEqual(['a skipped'])
  })

  it('lets go of what rejects after its handler has aborted the call', async () => {
    for (const part of ['check', 'tool', 'approver'] as const) {
      const controller = new AbortController()
      const breaks = async (): Promise<never> => {
        controller.abort(reason)
        throw new Error('late')
      }
      const app = quietApp({ approvals: { decide: breaks } }).use({
        name: 'h',
        check: part === 'check' ? breaks : () => (part === 'approver' ? ask({ title: '?' }) : true),
      })
      const outcome = await app.execute(call({ signal: controller.signal }), breaks)
      expect(outcome).toMatchObject({ status: 'aborted', executed: part === 'tool' })
    }
  })

  it('takes a tool that aborts its own call for aborted', async () => {
    const controller = new AbortController()
    const sync = await quietApp().execute(call({ signal: controller.signal }), () => {
      controller.abort(reason)
      return 'r'
    })
    expect(sync).toMatchObject({ status: 'aborted', executed: true })
  })

  it('runs no check when aborted before it began, and skipped on all hooks', async () => {
    const log: string[] = []
    const app = quietApp()
      .use({
        name: 'a',
        check: () => {
          log.push('check')
          return true
        },
        skipped: (_c, o) => log.push(`a ${o.status}`),
      })
      .use(async (_c, next) => {
        log.push('mw')
        await next()
      })
      .use({ name: 'b', skipped: (_c, o) => log.push(`b ${o.status}`) })
    expect(await app.execute(call({ signal: AbortSignal.abort(reason) }), echo)).toMatchObject({
      status: 'aborted',
      executed: false,
    })
    expect(log).toEqual(['b aborted', 'a aborted'])
  })

  it('lets a block that came first stand', async () => {
    const controller = new AbortController()
    const app = quietApp()
      .use({
        name: 'slow',
        skipped: () => {
          controller.abort(reason)
        },
      })
      .use({ name: 'no', check: () => false })
    expect(await app.execute(call({ signal: controller.signal }), echo)).toMatchObject({
      status: 'blocked',
      by: 'no',
    })
  })

  it('does not cut the way out short', async () => {
    const controller = new AbortController()
    const gate = deferred()
    let outcome: Outcome | undefined
    const heard: boolean[] = []
    const app = quietApp().use({
      name: 'h',
      after: async (ctx) => {
        const { signal } = ctx
        await gate.promise
        heard.push(signal.aborted, ctx.signal.aborted)
      },
    })
    const work = app.execute(call({ signal: controller.signal }), async () => 'r')
    void work.then((o) => {
      outcome = o
    })
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort(reason)
    await new Promise((resolve) => setImmediate(resolve))
    expect(outcome).toBeUndefined()
    gate.resolve(undefined)
    expect(await work).toMatchObject({ status: 'completed', result: 'r' })
    expect(heard).toEqual([false, false])
  })

  for (const moment of ['before it began', 'in check', 'in the tool'] as const) {
    it(`fires no signal of the way out, when it came ${moment}`, async () => {
      const controller = new AbortController()
      const abortIn = async (where: string): Promise<boolean> => {
        if (where === moment) controller.abort(reason)
        return true
      }
      const heard: boolean[] = []
      const listen = (ctx: HookContext): void => void heard.push(ctx.signal.aborted)
      const app = quietApp()
        .use({ name: 'outer', after: listen, skipped: listen })
        .use({ name: 'inner', check: () => abortIn('in check'), after: listen, skipped: listen })
      await abortIn('before it began')
      const { signal } = controller
      const outcome = await app.execute(call({ signal }), () => abortIn('in the tool'))
      expect(outcome.status).toBe('aborted')
      expect(heard).toEqual([false, false])
    })
  }

  it('fires the signal of a tool that looks at it only later, though hooks on the way out have theirs', async () => {
    const controller = new AbortController()
    const gate = deferred<unknown>()
    const heard: boolean[] = []
    const app = quietApp().use({ name: 'h', after: (ctx) => heard.push(ctx.signal.aborted) })
    const done = deferred<unknown>()
    const work = app.execute(call({ signal: controller.signal }), async (_p, ctx) => {
      await gate.promise
      heard.push(ctx.signal.aborted)
      done.resolve(undefined)
    })
    controller.abort(reason)
    await work
    gate.resolve(undefined)
    await done.promise
    expect(heard).toEqual([false, true])
  })

  it('leaves no timer behind', async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const work = quietApp({ toolTimeoutMs: 60_000 })
      .use({ name: 'h', check: never })
      .execute(call({ signal: controller.signal }), echo)
    controller.abort(reason)
    await work
    await vi.advanceTimersByTimeAsync(60)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has one listener per signal, whatever the number of calls', async () => {
    const controller = new AbortController()
    const warned = vi.fn()
    process.on('warning', warned)
    const app = quietApp().use({ name: 'h', check: async () => true })
    await Promise.all(
      Array.from({ length: 200 }, () => app.execute(call({ signal: controller.signal }), echo)),
    )
    for (let i = 0; i < 2000; i++) await app.execute(call({ signal: controller.signal }), echo)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })
})
