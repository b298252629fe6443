import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import express, { type NextFunction, type Request, type Response } from 'express'
import express4 from 'express4'
import Koa, { type Context } from 'koa'
import Koa2 from 'koa2'
import { onTestFinished } from 'vitest'
import type { Scope, Toolware } from '../../lib/index.ts'
import type { Facts, MaybePromise } from '../../lib/types.ts'
import { mountExpress } from '../../middleware/mounts/express.ts'
import { mountKoa } from '../../middleware/mounts/koa.ts'

/** What a handler under test gets, whatever the framework. */
export interface Visit {
  readonly tools: Scope
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

interface ServeOptions {
  readonly app: Toolware
  readonly facts?: Facts | ((req: IncomingMessage) => MaybePromise<Facts>) | undefined
  /** Runs before the mount, as authentication would. */
  readonly first?: ((req: IncomingMessage) => Promise<unknown>) | undefined
  /** Mounts once more, further in. */
  readonly again?: Facts | undefined
  /** The response's body: text, or pieces of it. */
  handler(visit: Visit): MaybePromise<string | AsyncIterable<string>>
}

interface Served {
  readonly url: string
  readonly port: number
  readonly server: Server
  /** What reached the framework's error handling. */
  readonly errors: unknown[]
}

export interface WebHost {
  readonly name: string
  serve(options: ServeOptions): Promise<Served>
}

/** Listens on a free port of this machine until the test ends. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

async function served(server: Server, errors: unknown[]): Promise<Served> {
  const port = await listen(server)
  return { server, port, errors, url: `http://127.0.0.1:${port}` }
}

function koaHost(name: string, Application: typeof Koa): WebHost {
  return {
    name,
    async serve({ app, facts, first, again, handler }) {
      const errors: unknown[] = []
      const koa = new Application()
      koa.on('error', (error: unknown) => errors.push(error))
      koa.use(async (ctx, next) => {
        await first?.(ctx.req)
        await next()
      })
      koa.use(
        mountKoa(app, {
          facts: typeof facts === 'function' ? (ctx: Context) => facts(ctx.req) : facts,
        }),
      )
      if (again !== undefined) koa.use(mountKoa(app, { facts: again }))
      koa.use(async (ctx) => {
        const body = await handler({ tools: ctx.tools, req: ctx.req, res: ctx.res })
        ctx.body = typeof body === 'string' ? body : Readable.from(body)
      })
      return served(createServer(koa.callback()), errors)
    },
  }
}

function expressHost(name: string, create: typeof express): WebHost {
  return {
    name,
    async serve({ app, facts, first, again, handler }) {
      const errors: unknown[] = []
      const server = create()
      server.use((req, _res, next) => {
        if (first === undefined) next()
        else first(req).then(() => next(), next)
      })
      server.use(mountExpress(app, { facts }))
      if (again !== undefined) server.use(mountExpress(app, { facts: again }))
      server.use((req: Request, res: Response, next: NextFunction) => {
        answer(handler, req, res).catch(next)
      })
      server.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
        errors.push(error)
        if (!res.headersSent) res.status(500).send('Internal Server Error')
      })
      return served(createServer(server), errors)
    },
  }
}

async function answer(
  handler: ServeOptions['handler'],
  req: Request,
  res: Response,
): Promise<void> {
  const body = await handler({ tools: req.tools, req, res })
  if (typeof body === 'string') {
    res.send(body)
    return
  }
  const pieces = Readable.from(body)
  res.on('close', () => pieces.destroy())
  pieces.pipe(res)
}

export const WEB_HOSTS: readonly WebHost[] = [
  koaHost('koa 3', Koa),
  koaHost('koa 2', Koa2),
  expressHost('express 5', express),
  expressHost('express 4', express4),
]
