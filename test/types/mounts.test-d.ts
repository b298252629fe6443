import express, { type Request } from 'express'
import Koa, { type Context } from 'koa'
import { describe, expectTypeOf, it } from 'vitest'
import { type Scope, Toolware } from '../../lib/index.ts'
import { mountExpress } from '../../middleware/mounts/express.ts'
import { mountKoa } from '../../middleware/mounts/koa.ts'

const app = new Toolware()

describe('mountKoa', () => {
  it('gives ctx.tools to every middleware, and the whole ctx to facts', () => {
    const koa = new Koa()
    koa.use(
      mountKoa(app, {
        facts: (ctx) => {
          expectTypeOf(ctx).toEqualTypeOf<Context>()
          return { sessionId: ctx.get('x-session') }
        },
      }),
    )
    koa.use((ctx) => {
      expectTypeOf(ctx.tools).toEqualTypeOf<Scope>()
    })
    koa.use(mountKoa(app, { facts: async () => ({ senderId: undefined }) }))
    koa.use(mountKoa(app.scope({ agentId: 'a' }), { facts: { sessionId: 's1' } }))
  })

  it('fits applications with a context of their own', () => {
    const koa = new Koa<{ user: string }, { tenant: string }>()
    koa.use(mountKoa(app, { facts: (ctx) => ({ senderId: ctx.get('x-user') }) }))
    koa.use((ctx) => {
      expectTypeOf(ctx.tools).toEqualTypeOf<Scope>()
      expectTypeOf(ctx.tenant).toEqualTypeOf<string>()
    })
  })

  it('takes facts only', () => {
    // @ts-expect-error no such fact
    mountKoa(app, { facts: { session: 's1' } })
    // @ts-expect-error no such fact
    mountKoa(app, { facts: () => ({ sessionId: 1 }) })
    // @ts-expect-error no such option
    mountKoa(app, { fact: {} })
    // @ts-expect-error not a pipeline
    mountKoa(new Koa())
  })
})

describe('mountExpress', () => {
  it('gives req.tools to every handler, and the whole req to facts', () => {
    const server = express()
    server.use(
      mountExpress(app, {
        facts: (req) => {
          expectTypeOf(req).toEqualTypeOf<Request>()
          return { sessionId: req.get('x-session') }
        },
      }),
    )
    server.get('/:id', mountExpress(app), (req) => {
      expectTypeOf(req.tools).toEqualTypeOf<Scope>()
    })
    express.Router().use('/chat', mountExpress(app, { facts: { sessionId: 's1' } }))
  })

  it('takes facts only', () => {
    // @ts-expect-error no such fact
    mountExpress(app, { facts: { session: 's1' } })
    // @ts-expect-error no such option
    mountExpress(app, { fact: {} })
    // @ts-expect-error not a pipeline
    mountExpress(express())
  })
})
