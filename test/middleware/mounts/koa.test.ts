import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import Koa2 from 'koa2'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Outcome, Toolware } from '../../../lib/index.ts'
import { mountKoa } from '../../../middleware/mounts/koa.ts'
import { call, deferred, echo, quietApp } from '../../helpers/call.ts'
import { listen } from '../../helpers/web-hosts.ts'

describe('mountKoa()', () => {
  it('says what the host can carry', () => {
    expect(mountKoa(quietApp()).capabilities).toEqual({
      ask: true,
      rewrite: true,
      result: true,
      abort: true,
      stream: true,
    })
  })

  it('is named in stacks', () => {
    expect(mountKoa(quietApp()).name).toBe('mountKoa')
  })

  it.each<[string, unknown, string]>([
    ['the web server', new Koa(), 'app must be a Toolware pipeline'],
    ['a hook', { name: 'Hook', check: () => null }, 'app must be a Toolware pipeline'],
    ['nothing', undefined, 'app must be a Toolware pipeline; got undefined'],
  ])('refuses %s in place of the pipeline', (_, app, message) => {
    expect(() => mountKoa(app as Toolware)).toThrow(TypeError)
    expect(() => mountKoa(app as Toolware)).toThrow(message)
  })

  it.each([
    [{ fact: {} }, 'fact: no option of mountKoa; did you mean facts?'],
    [{ facts: 's1' }, "facts: mountKoa needs an object of facts; got 's1'"],
    [{ facts: null }, 'facts: mountKoa needs an object of facts; got null'],
  ])('refuses the options %j', (options, message) => {
    expect(() => mountKoa(quietApp(), options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message }),
    )
  })

  it('given to the pipeline by mistake blocks calls and says where it belongs', async () => {
    const app = quietApp({ exposeErrors: true })
    app.use(mountKoa(app) as never)
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'blocked',
      code: 'HOOK_FAILED',
      text: expect.stringContaining('give it to use() of the web server'),
    })
  })

  it.each([
    ['koa 3', Koa],
    ['koa 2', Koa2],
  ])('hands errors of %s routes on, once, as they are', async (_, Application) => {
    const koa = new Application()
    const seen: unknown[] = []
    const teapot = Object.assign(new Error('short and stout'), { status: 418, expose: true })
    koa.use(async (_ctx, next) => {
      await next().catch((error: unknown) => {
        seen.push(error)
        throw error
      })
    })
    koa.use(mountKoa(quietApp()))
    koa.use(() => {
      throw teapot
    })
    const port = await listen(createServer(koa.callback()))
    const response = await fetch(`http://127.0.0.1:${port}`)
    expect([response.status, await response.text()]).toEqual([418, 'short and stout'])
    expect(seen).toEqual([teapot])
  })

  it('leaves what was around the server out of its requests', async () => {
    const app = quietApp()
    const seen: unknown[] = []
    app.use({
      name: 'Facts',
      check: ({ sessionId, senderId, parentCallId }) => {
        seen.push({ sessionId, senderId, parentCallId })
        return null
      },
    })
    const ping = app.wrap('ping', () => 'pong')
    const koa = new Koa()
    koa.use(mountKoa(app, { facts: { sessionId: 's1' } }))
    koa.use(async (ctx) => {
      ctx.body = await ping({})
    })
    const handle = koa.callback()
    const other = app.scope({ sessionId: 's0', senderId: 'u0' })
    const port = await listen(createServer((req, res) => void other.run(() => handle(req, res))))
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('pong')
    expect(seen).toEqual([{ sessionId: 's1', senderId: undefined, parentCallId: undefined }])
  })

  it('notices an HTTP/2 stream that is cancelled, and no other of its connection', async () => {
    const started = deferred<void>()
    const ended = deferred<Outcome>()
    const koa = new Koa()
    koa.use(mountKoa(quietApp()))
    koa.use(async (ctx) => {
      if (ctx.path === '/quick') {
        ctx.body = 'quick'
        return
      }
      const outcome = await ctx.tools.execute({ toolName: 'slow' }, async (_, { signal }) => {
        started.resolve()
        await once(signal, 'abort')
      })
      ended.resolve(outcome)
    })
    const signals: AbortSignal[] = []
    koa.middleware.splice(1, 0, async (ctx, next) => {
      signals.push(ctx.tools.facts.signal as AbortSignal)
      await next()
    })
    const server = createHttp2Server(koa.callback())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    onTestFinished(() => {
      client.destroy()
      server.close()
    })
    const quick = client.request({ ':path': '/quick' })
    expect(await quick.setEncoding('utf8').toArray()).toEqual(['quick'])
    const slow = client.request({ ':path': '/slow' })
    await started.promise
    slow.close()
    expect(await ended.promise).toMatchObject({ status: 'aborted', executed: true })
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true])
  })
})
