import { describe, expect, it } from 'vitest'
import { adapt } from '../../lib/adapt.ts'
import { never, quietApp } from '../helpers/call.ts'
import { settle } from '../helpers/timers.ts'

describe('an abort by the caller (O15, O19)', () => {
  it('lets a hook leave once, whose before was given up with failOpen', async () => {
    const app = quietApp()
    const left: string[] = []
    const controller = new AbortController()
    app.use({
      name: 'Slow',
      before: never,
      timeoutMs: 5,
      failOpen: ['timeout'],
      after: (_, { status }) => {
        left.push(status)
      },
    })
    const outcome = app.execute({ toolName: 'echo', signal: controller.signal }, () => {
      setTimeout(() => controller.abort(), 5)
      return never()
    })
    expect((await outcome).status).toBe('aborted')
    await settle()
    expect(left).toEqual(['aborted'])
  })

  it('asks no hook twice, though one further out was given up with failOpen', async () => {
    const app = quietApp()
    const events: string[] = []
    const controller = new AbortController()
    app.use({ name: 'Slow', before: never, timeoutMs: 5, failOpen: ['timeout'] })
    app.use({
      name: 'Inner',
      before: () => {
        events.push('before')
        setTimeout(() => controller.abort(), 5)
        return never()
      },
      skipped: () => {
        events.push('skipped')
      },
    })
    await app.execute({ toolName: 'echo', signal: controller.signal }, () => events.push('tool'))
    await settle()
    expect(events).toEqual(['before', 'skipped'])
  })

  it('lets every entered hook leave before the outcome is there, in reverse, though one hangs', async () => {
    const app = quietApp({ afterTimeoutMs: 20 })
    const left: string[] = []
    const controller = new AbortController()
    const hook = (name: string, hangs: boolean) => ({
      name,
      check: () => true,
      skipped: () => {
        left.push(name)
        return hangs ? never() : undefined
      },
    })
    app.use(hook('A', false))
    app.use(async (_, next) => {
      await next()
    })
    app.use(hook('B', false))
    app.use(hook('C', true))
    app.use({ name: 'Waits', before: never })
    const outcome = app.execute({ toolName: 'echo', signal: controller.signal }, () => 1)
    await settle()
    controller.abort()
    expect((await outcome).status).toBe('aborted')
    expect(left).toEqual(['C', 'B', 'A'])
  })

  it('keeps that order for hooks that middleware functions run through adapt', async () => {
    const app = quietApp({ afterTimeoutMs: 20 })
    const left: string[] = []
    const controller = new AbortController()
    for (const name of ['A', 'B', 'C']) {
      const inner = adapt([
        {
          name,
          check: () => true,
          skipped: () => {
            left.push(name)
            return name === 'C' ? never() : undefined
          },
        },
      ])
      app.use(async (ctx, next) => {
        await inner(ctx, next)
      })
    }
    app.use({ name: 'Waits', before: never })
    const outcome = app.execute({ toolName: 'echo', signal: controller.signal }, () => 1)
    await settle()
    controller.abort()
    await outcome
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(left).toEqual(['C', 'B', 'A'])
  })

  it('has every hook left when the outcome is there, though a middleware took from the budget', async () => {
    const app = quietApp({ afterTimeoutMs: 100 })
    const left: string[] = []
    const controller = new AbortController()
    app.use(async (_, next) => {
      await next()
    })
    for (const name of ['A', 'B']) {
      app.use({
        name,
        check: () => true,
        skipped: () => {
          left.push(name)
          return name === 'B' ? never() : undefined
        },
      })
    }
    app.use(async (_, next) => {
      await next()
      // Unwinds slowly, but within the budget.
      await new Promise((resolve) => setTimeout(resolve, 60))
    })
    app.use({ name: 'Waits', before: never })
    const outcome = app.execute({ toolName: 'echo', signal: controller.signal }, () => 1)
    await settle()
    controller.abort()
    await outcome
    expect(left).toEqual(['B', 'A'])
  })
})
