import { createServer } from 'node:http'
import express, { type NextFunction, type Request, type Response } from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import type { Toolware } from '../../../lib/index.ts'
import { mountExpress } from '../../../middleware/mounts/express.ts'
import { call, echo, quietApp } from '../../helpers/call.ts'
import { listen } from '../../helpers/web-hosts.ts'

const MAJORS: ReadonlyArray<[string, typeof express]> = [
  ['express 5', express],
  ['express 4', express4],
]

describe('mountExpress()', () => {
  it('says what the host can carry', () => {
    expect(mountExpress(quietApp()).capabilities).toEqual({
      ask: true,
      rewrite: true,
      result: true,
      abort: true,
      stream: true,
    })
  })

  it('is named in stacks and takes three arguments, so that Express takes it for no error handler', () => {
    const mount = mountExpress(quietApp())
    expect([mount.name, mount.length]).toEqual(['mountExpress', 3])
  })

  it.each<[string, unknown, string]>([
    ['the web server', express(), 'app must be a Toolware pipeline'],
    ['a hook', { name: 'Hook', check: () => null }, 'app must be a Toolware pipeline'],
    ['nothing', undefined, 'app must be a Toolware pipeline; got undefined'],
  ])('refuses %s in place of the pipeline', (_, app, message) => {
    expect(() => mountExpress(app as Toolware)).toThrow(TypeError)
    expect(() => mountExpress(app as Toolware)).toThrow(message)
  })

  it('refuses an unknown option', () => {
    expect(() => mountExpress(quietApp(), { fact: {} } as never)).toThrow(
      expect.objectContaining({
        code: 'CONFIG',
        message: 'fact: no option of mountExpress; did you mean facts?',
      }),
    )
  })

  it('given to the pipeline by mistake blocks calls and says where it belongs', async () => {
    const app = quietApp({ exposeErrors: true })
    app.use(mountExpress(app) as never)
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'blocked',
      code: 'HOOK_FAILED',
      text: expect.stringContaining('give it to use() of the web server'),
    })
  })

  it.each(MAJORS)('goes on in %s without a tick when the facts are there', async (_, create) => {
    const server = create()
    const order: string[] = []
    server.use((_req, _res, next) => {
      next()
      order.push('after next()')
    })
    server.use(mountExpress(quietApp(), { facts: () => ({ sessionId: 's1' }) }))
    server.use((_req, res) => {
      order.push('route')
      res.send('')
    })
    await fetch(`http://127.0.0.1:${await listen(createServer(server))}`)
    expect(order).toEqual(['route', 'after next()'])
  })

  it.each(MAJORS)(
    'works in %s on a router, with body parsers on either side',
    async (_, create) => {
      const app = quietApp()
      const seen: unknown[] = []
      app.use({
        name: 'Facts',
        check: ({ sessionId, params }) => {
          seen.push([sessionId, params])
          return null
        },
      })
      const wrapped = app.wrap('echo', echo)
      const route = async (req: Request, res: Response): Promise<void> => {
        res.json(await wrapped(req.body as Record<string, unknown>))
      }
      const server = create()
      const before = create.Router()
      before.use(
        create.json(),
        mountExpress(app, { facts: (req) => ({ sessionId: req.body.session }) }),
      )
      before.post('/', route)
      const after = create.Router()
      after.use(mountExpress(app, { facts: (req) => ({ sessionId: req.get('x-session') }) }))
      after.use(create.json())
      after.post('/', route)
      server.use('/before', before).use('/after', after)
      const port = await listen(createServer(server))
      const post = async (path: string, session: string): Promise<unknown> => {
        const headers = { 'content-type': 'application/json', 'x-session': session }
        const body = JSON.stringify({ session, text: 'hi' })
        return (
          await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
        ).json()
      }
      expect(await post('/before', 's1')).toEqual({ session: 's1', text: 'hi' })
      expect(await post('/after', 's2')).toEqual({ session: 's2', text: 'hi' })
      expect(seen).toEqual([
        ['s1', { session: 's1', text: 'hi' }],
        ['s2', { session: 's2', text: 'hi' }],
      ])
    },
  )

  it.each(MAJORS)('hands errors of %s routes on, once, as they are', async (_, create) => {
    const server = create()
    const seen: unknown[] = []
    const broken = new Error('broken')
    server.use(mountExpress(quietApp(), { facts: async () => ({}) }))
    server.use(() => {
      throw broken
    })
    server.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
      seen.push(error)
      res.status(500).send('')
    })
    const response = await fetch(`http://127.0.0.1:${await listen(createServer(server))}`)
    expect([response.status, seen]).toEqual([500, [broken]])
  })

  it.each(MAJORS)('leaves what was around the server out of its %s requests', async (_, create) => {
    const app = quietApp()
    const seen: unknown[] = []
    app.use({
      name: 'Facts',
      check: ({ sessionId, senderId }) => {
        seen.push({ sessionId, senderId })
        return null
      },
    })
    const ping = app.wrap('ping', () => 'pong')
    const server = create()
    server.use(mountExpress(app, { facts: { sessionId: 's1' } }))
    server.use((_req, res, next) => {
      ping({}).then((text) => res.send(text), next)
    })
    const other = app.scope({ sessionId: 's0', senderId: 'u0' })
    const port = await listen(createServer((req, res) => void other.run(() => server(req, res))))
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('pong')
    expect(seen).toEqual([{ sessionId: 's1', senderId: undefined }])
  })
})
