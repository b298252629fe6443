import { describe, expectTypeOf, it } from 'vitest'
import {
  ask,
  deny,
  type HookContext,
  type MiddlewareContext,
  type Outcome,
  type PlainHook,
  rewrite,
  type ToolHook,
  Toolware,
} from '../../lib/index.ts'

const app = new Toolware()

describe('app.use takes', () => {
  it('hooks of every phase, without annotations', () => {
    app.use({ name: 'a', check: ({ toolName }) => toolName !== 'deploy' || deny('no') })
    app.use({ name: 'b', check: async (ctx) => (ctx.recheck ? null : ask({ title: '?' })) })
    app.use({ name: 'c', before: (ctx) => rewrite({ ...ctx.params, x: 1 }) })
    app.use({ name: 'd', before() {} })
    app.use({
      name: 'e',
      after: (_ctx, outcome) => {
        expectTypeOf(outcome).toEqualTypeOf<Outcome>()
      },
    })
    app.use({ name: 'f', skipped: async () => undefined, detached: true, failOpen: ['error'] })
    app.use({ name: 'g', beforeExecute: (_name, json) => json !== '{}', once: true })
    app.use({ name: 'h', afterExecute: (_n, _j, result: string) => result })
  })

  it('middleware functions and pipelines', () => {
    app.use(async (ctx, next) => {
      expectTypeOf(ctx).toEqualTypeOf<MiddlewareContext>()
      await next()
    })
    app.use(new Toolware())
  })

  it('no hook without a phase', () => {
    // @ts-expect-error a hook needs a phase
    app.use({ name: 'x' })
  })

  it('phases that may be undefined beside one that is there', () => {
    const later = app.log ? () => undefined : undefined
    app.use({ name: 'x', check: () => true, after: later, skipped: undefined })
    app.use({ name: 'x', beforeExecute: () => true, afterExecute: later, check: undefined })
    // @ts-expect-error the only phase may not be there
    app.use({ name: 'x', after: later })
  })

  it('no mixture of plain and context phases', () => {
    // @ts-expect-error two shapes in one
    app.use({ name: 'x', check: () => true, beforeExecute: () => true })
  })

  it('no misspelt phase, alone or beside a right one', () => {
    // @ts-expect-error befor
    app.use({ name: 'x', befor: () => true })
    // @ts-expect-error chek
    app.use({ name: 'x', before() {}, chek: () => true })
  })

  it('no check that forgets to return', () => {
    app.use({
      name: 'x',
      // @ts-expect-error an arm without a return is no opinion by accident
      check: (ctx) => {
        if (ctx.toolName === 'deploy') deny('no')
      },
    })
    app.use({
      name: 'x',
      // @ts-expect-error the same, async
      check: async (ctx) => {
        if (ctx.toolName === 'deploy') deny('no')
      },
    })
  })

  it('no answer that is no verdict', () => {
    // @ts-expect-error text
    app.use({ name: 'x', check: () => 'deny' })
    // @ts-expect-error a rewrite belongs in before
    app.use({ name: 'x', check: () => rewrite({}) })
    // @ts-expect-error an object that deny() did not make
    app.use({ name: 'x', before: () => ({ allow: true }) })
  })

  it('no hook without a name', () => {
    // @ts-expect-error a name is needed
    app.use({ check: () => true })
  })
})

describe('rewrite() and ctx.rewrite() take', () => {
  interface Deploy {
    readonly to: string
    force?: boolean
  }
  const typed: Deploy = { to: 'prod' }

  it('params with the type of an interface, and any other object with properties', () => {
    app.use({ name: 'a', before: () => rewrite(typed) })
    app.use({ name: 'b', before: () => rewrite({ ...typed, force: true }, ask({ title: '?' })) })
    app.use({ name: 'c', before: (ctx) => rewrite(ctx.params) })
    app.use(async (ctx, next) => {
      ctx.rewrite(typed)
      ctx.rewrite({})
      await next()
    })
  })

  it('nothing that is no object of properties', () => {
    // @ts-expect-error an array
    rewrite([typed])
    // @ts-expect-error a function
    rewrite(() => typed)
    // @ts-expect-error a map
    rewrite(new Map([['to', 'prod']]))
    // @ts-expect-error a promise, perhaps of params
    rewrite(Promise.resolve(typed))
    // @ts-expect-error a date
    rewrite(new Date())
    // @ts-expect-error text
    rewrite('{}')
    // @ts-expect-error nothing
    rewrite(undefined)
  })
})

describe('contexts', () => {
  it('cannot be written by hooks', () => {
    app.use({
      name: 'x',
      check: (ctx) => {
        // @ts-expect-error read-only
        ctx.toolName = 'other'
        // @ts-expect-error params are read-only
        ctx.params['a'] = 1
        // @ts-expect-error hooks answer by their return value only
        ctx.deny('no')
        return true
      },
    })
    expectTypeOf<HookContext['sessionId']>().toEqualTypeOf<string | undefined>()
  })
})

describe('outcomes', () => {
  it('are a union on status', async () => {
    const outcome = await app.execute(
      { toolName: 't', params: { path: 'a' } },
      async ({ path }) => path.length,
    )
    expectTypeOf(outcome).toEqualTypeOf<Outcome<number>>()
    if (outcome.status === 'completed') expectTypeOf(outcome.result).toEqualTypeOf<number>()
    // @ts-expect-error only a completed outcome has a result
    outcome.result
    if (outcome.failed) expectTypeOf(outcome.by).toEqualTypeOf<string>()
  })

  it('keep the shape of wrapped functions', () => {
    const read = app.wrap('read', async ({ path }: { path: string }) => path.length)
    expectTypeOf(read({ path: 'a' })).toEqualTypeOf<Promise<number>>()
    // @ts-expect-error the params are checked
    read({ file: 'a' })
  })
})

describe('facts', () => {
  it('may be undefined', () => {
    const sessionId: string | undefined = undefined
    void app.execute({ toolName: 't', sessionId, requester: { senderId: undefined } }, () => 1)
    // @ts-expect-error misspelt
    void app.execute({ toolName: 't', sesionId: 'x' }, () => 1)
  })
})

describe('hook types', () => {
  it('can be declared and assigned', () => {
    const hook: ToolHook = { name: 'a', check: () => true, before: async () => undefined }
    const plain: PlainHook = { name: 'b', beforeExecute: async () => true }
    app.use(hook).use(plain)
  })
})
