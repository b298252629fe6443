import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Approver, ask, type Outcome, type ToolContext } from '../../../lib/index.ts'
import { type Deferred, deferred, never, quietApp } from '../../helpers/call.ts'
import { rawClient } from '../../helpers/http-client.ts'
import { type Visit, WEB_HOSTS } from '../../helpers/web-hosts.ts'

/** A tool that runs until it is told to stop. */
function slowTool(): {
  readonly started: Deferred<void>
  readonly stopped: Deferred<unknown>
  readonly run: (params: unknown, ctx: ToolContext) => Promise<string>
} {
  const started = deferred<void>()
  const stopped = deferred<unknown>()
  return {
    started,
    stopped,
    async run(_, ctx) {
      started.resolve()
      await once(ctx.signal, 'abort')
      stopped.resolve(ctx.signal.reason)
      return 'stopped'
    },
  }
}

/** Warnings of the process while the test runs, such as for too many listeners. */
function warnings(): Error[] {
  const seen: Error[] = []
  const keep = (warning: Error) => void seen.push(warning)
  process.on('warning', keep)
  onTestFinished(() => void process.off('warning', keep))
  return seen
}

const CLIENT_LEFT = {
  code: 'ABORTED',
  message: 'The client closed the connection before it had the whole response.',
}

describe.each(WEB_HOSTS)('a client of $name', ({ serve }) => {
  it('that hangs up stops the tool, and the way out runs', async () => {
    const tool = slowTool()
    const ended = deferred<Outcome>()
    const out: string[] = []
    const app = quietApp()
      .use({ name: 'Outer', after: (_, { status }) => void out.push(`Outer ${status}`) })
      .use({ name: 'Inner', after: (_, { status }) => void out.push(`Inner ${status}`) })
    const { port, errors } = await serve({
      app,
      handler: async ({ tools }) => {
        const outcome = await tools.execute({ toolName: 'slow' }, tool.run)
        ended.resolve(outcome)
        return outcome.text
      },
    })
    const client = await rawClient(port)
    client.send({ path: '/' })
    await tool.started.promise
    client.leave()
    expect(await tool.stopped.promise).toMatchObject(CLIENT_LEFT)
    expect(await ended.promise).toMatchObject({ status: 'aborted', executed: true })
    expect(out).toEqual(['Inner aborted', 'Outer aborted'])
    expect(errors).toEqual([])
  })

  it('that hangs up makes a tool wrapped elsewhere reject with the reason', async () => {
    const tool = slowTool()
    const failed = deferred<unknown>()
    const app = quietApp()
    const wrapped = app.wrap('slow', tool.run)
    const { port } = await serve({
      app,
      handler: async () => {
        await wrapped({}).catch(failed.resolve)
        return ''
      },
    })
    const client = await rawClient(port)
    client.send({ path: '/' })
    await tool.started.promise
    client.leave()
    expect(await failed.promise).toMatchObject(CLIENT_LEFT)
  })

  it('that left during authentication starts no tool', async () => {
    const arrived = deferred<void>()
    const left = deferred<void>()
    const ended = deferred<Outcome>()
    const ran: string[] = []
    const app = quietApp().use({
      name: 'Hook',
      check: () => {
        ran.push('check')
        return null
      },
      skipped: () => void ran.push('skipped'),
    })
    const { port } = await serve({
      app,
      first: async (req) => {
        const closed = once(req.socket, 'close')
        arrived.resolve()
        await closed
        left.resolve()
      },
      handler: async ({ tools }) => {
        ended.resolve(await tools.execute({ toolName: 'slow' }, () => void ran.push('tool')))
        return ''
      },
    })
    const client = await rawClient(port)
    client.send({ path: '/' })
    await arrived.promise
    client.leave()
    await left.promise
    expect(await ended.promise).toMatchObject({
      status: 'aborted',
      executed: false,
      error: CLIENT_LEFT,
    })
    expect(ran).toEqual(['skipped'])
  })

  it('that leaves while a person is asked withdraws the question', async () => {
    const asked = deferred<void>()
    const withdrawn = deferred<unknown>()
    const ended = deferred<Outcome>()
    const approvals: Approver = {
      async decide(_, signal) {
        asked.resolve()
        await once(signal, 'abort')
        withdrawn.resolve(signal.reason)
        return { resolution: 'cancelled', approvalId: 'a1' }
      },
    }
    const app = quietApp({ approvals }).use({
      name: 'Asks',
      check: () => ask({ title: 'May it?' }),
    })
    const { port } = await serve({
      app,
      handler: async ({ tools }) => {
        ended.resolve(await tools.execute({ toolName: 'slow' }, () => 'ran'))
        return ''
      },
    })
    const client = await rawClient(port)
    client.send({ path: '/' })
    await asked.promise
    client.leave()
    expect(await withdrawn.promise).toMatchObject(CLIENT_LEFT)
    expect(await ended.promise).toMatchObject({ status: 'aborted', executed: false })
  })

  it('that leaves while the facts are looked up starts no tool', async () => {
    const asked = deferred<void>()
    const ended = deferred<Outcome>()
    const { port } = await serve({
      app: quietApp(),
      facts: async (req) => {
        const closed = once(req.socket, 'close')
        asked.resolve()
        await closed
        return { sessionId: 's1' }
      },
      handler: async ({ tools }) => {
        ended.resolve(await tools.execute({ toolName: 'slow' }, () => 'ran'))
        return ''
      },
    })
    const client = await rawClient(port)
    client.send({ path: '/' })
    await asked.promise
    client.leave()
    expect(await ended.promise).toMatchObject({ status: 'aborted', executed: false })
  })

  it.each<[string, (req: IncomingMessage) => Promise<unknown>]>([
    ['before the mount', (req) => req.toArray()],
    ['by nobody', async () => undefined],
  ])('that waits is not taken for gone when its body was read %s', async (_, first) => {
    const { url } = await serve({
      app: quietApp(),
      first,
      handler: async ({ tools, req }) => {
        const outcome = await tools.execute({ toolName: 'read' }, async (_params, ctx) => {
          if (!req.readableEnded) for await (const _chunk of req);
          if (!req.closed) await once(req, 'close')
          return `aborted: ${ctx.signal.aborted}`
        })
        return outcome.text
      },
    })
    const response = await fetch(url, { method: 'POST', body: '{"a":1}' })
    expect(await response.text()).toBe('aborted: false')
  })

  it('that has its response aborts nothing by leaving', async () => {
    const gone = deferred<void>()
    const background = deferred<Outcome>()
    const { port } = await serve({
      app: quietApp(),
      handler: ({ tools, req }) => {
        const work = tools.execute({ toolName: 'log' }, async (_params, ctx) => {
          await once(req.socket, 'close')
          gone.resolve()
          return `aborted: ${ctx.signal.aborted}`
        })
        void work.then(background.resolve)
        return 'accepted'
      },
    })
    const client = await rawClient(port)
    client.send({ path: '/' })
    await client.until('accepted')
    client.leave()
    await gone.promise
    expect(await background.promise).toMatchObject({ status: 'completed', text: 'aborted: false' })
  })

  it('that keeps its connection loses only the request it did not wait for', async () => {
    const seen = warnings()
    const signals: AbortSignal[] = []
    const sockets = new Set<Socket>()
    const listeners: number[] = []
    const hangs = deferred<void>()
    const { port } = await serve({
      app: quietApp(),
      handler: async ({ tools, req }) => {
        signals.push(tools.facts.signal as AbortSignal)
        sockets.add(req.socket)
        listeners.push(req.socket.listenerCount('close'))
        if (req.url === '/hang') {
          hangs.resolve()
          return never()
        }
        return `answer to ${req.url}`
      },
    })
    const client = await rawClient(port)
    for (let i = 1; i <= 30; i++) {
      client.send({ path: `/${i}.` })
      await client.until(`answer to /${i}.`)
    }
    client.send({ path: '/hang' })
    await hangs.promise
    client.leave()
    const last = signals.at(-1) as AbortSignal
    if (!last.aborted) await once(last, 'abort')
    expect(signals.map(({ aborted }) => aborted)).toEqual([...Array(30).fill(false), true])
    expect(sockets.size).toBe(1)
    expect(new Set(listeners.slice(1))).toEqual(new Set([listeners[1]]))
    expect(seen).toEqual([])
  })

  it('that pipelines and leaves aborts every request still open, those that wait for their turn too', async () => {
    const seen = warnings()
    const all = deferred<void>()
    const facts: unknown[] = []
    const ends: Promise<Outcome>[] = []
    const { port } = await serve({
      app: quietApp(),
      facts: (req) => ({ sessionId: req.url, senderId: req.headers['x-sender'] as string }),
      handler: async ({ tools, req }: Visit) => {
        if (req.url === '/first') return 'first is done'
        facts.push([tools.facts.sessionId, tools.facts.senderId])
        const tool = slowTool()
        ends.push(tools.execute({ toolName: 'slow' }, tool.run))
        await tool.started.promise
        if (ends.length === 15) all.resolve()
        await ends.at(-1)
        return ''
      },
    })
    const client = await rawClient(port)
    const rest = Array.from({ length: 15 }, (_, i) => `/${i}`)
    client.send(
      { path: '/first', headers: { 'x-sender': 'u1' } },
      ...rest.map((path) => ({ path })),
    )
    await client.until('first is done')
    await all.promise
    client.leave()
    const outcomes = await Promise.all(ends)
    expect(outcomes.map(({ status }) => status)).toEqual(rest.map(() => 'aborted'))
    expect(facts).toEqual(rest.map((path) => [path, undefined]))
    expect(seen).toEqual([])
  })

  it('is told apart from the signal of the server itself', async () => {
    const seen = warnings()
    const shutdown = new AbortController()
    const all = deferred<void>()
    let started = 0
    const { url } = await serve({
      app: quietApp(),
      facts: () => ({ signal: shutdown.signal }),
      handler: async ({ tools }) => {
        const outcome = await tools.execute({ toolName: 'slow' }, async (_params, ctx) => {
          started += 1
          if (started === 20) all.resolve()
          await once(ctx.signal, 'abort')
        })
        return outcome.status === 'aborted' ? `aborted: ${outcome.error}` : outcome.status
      },
    })
    const answers = Array.from({ length: 20 }, async () => (await fetch(url)).text())
    await all.promise
    shutdown.abort('shutting down')
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['aborted: shutting down']))
    expect(await (await fetch(url)).text()).toBe('aborted: shutting down')
    expect(seen).toEqual([])
  })
})
