import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  type Approver,
  ask,
  deny,
  type Facts,
  isToolwareError,
  type Outcome,
  rewrite,
} from '../../../lib/index.ts'
import { deferred, quietApp } from '../../helpers/call.ts'
import { rawClient } from '../../helpers/http-client.ts'
import { type Visit, WEB_HOSTS } from '../../helpers/web-hosts.ts'

const header = (req: IncomingMessage, name: string): string | undefined =>
  req.headers[name] as string | undefined

const bySession = (req: IncomingMessage): Facts => ({
  sessionId: header(req, 'x-session'),
  senderId: header(req, 'x-sender'),
})

/** Executes a tool that answers at once. */
const ping = ({ tools }: Visit): Promise<Outcome> =>
  tools.execute({ toolName: 'ping' }, () => 'pong')

describe.each(WEB_HOSTS)('a pipeline mounted into $name', ({ serve }) => {
  describe('facts', () => {
    it.each<[string, Facts | ((req: IncomingMessage) => Facts | Promise<Facts>)]>([
      ['an object', { sessionId: 's1', senderId: 'u1' }],
      ['a function', bySession],
      ['an async function', async (req) => bySession(req)],
    ])('come from %s', async (_, facts) => {
      const seen: unknown[] = []
      const app = quietApp().use({
        name: 'Facts',
        check: ({ sessionId, senderId, agentId }) => {
          seen.push({ sessionId, senderId, agentId })
          return null
        },
      })
      const { url } = await serve({
        app,
        facts,
        handler: async (visit) => (await ping(visit)).text,
      })
      const response = await fetch(url, { headers: { 'x-session': 's1', 'x-sender': 'u1' } })
      expect([response.status, await response.text()]).toEqual([200, 'pong'])
      expect(seen).toEqual([{ sessionId: 's1', senderId: 'u1', agentId: undefined }])
    })

    it('may be left out', async () => {
      const { url } = await serve({
        app: quietApp(),
        handler: async (visit) => (await ping(visit)).text,
      })
      expect(await (await fetch(url)).text()).toBe('pong')
    })

    it.each<[string, () => unknown]>([
      [
        'throws',
        () => {
          throw new Error('no session')
        },
      ],
      ['rejects', () => Promise.reject(new Error('no session'))],
      ['rejects with nothing', () => Promise.reject()],
      ['rejects with the word that skips a route', () => Promise.reject('route')],
      [
        'throws the word that skips a router',
        () => {
          throw 'router'
        },
      ],
      ['answers nothing', () => undefined],
      ['answers a list', () => []],
      ['promises nothing', async () => null],
      ['promises text', async () => 's1'],
    ])('answer an error, and nothing runs, when their function %s', async (_, facts) => {
      let reached = false
      const { url, errors } = await serve({
        app: quietApp(),
        facts: facts as () => Facts,
        handler: () => {
          reached = true
          return 'unscoped'
        },
      })
      const response = await fetch(url)
      expect([response.status, await response.text(), reached]).toEqual([
        500,
        'Internal Server Error',
        false,
      ])
      expect(errors).toEqual([expect.any(Error)])
    })

    it('keep the thrown error as it is', async () => {
      const gone = Object.assign(new Error('gone'), { status: 500 })
      const facts = () => Promise.reject(gone)
      const { url, errors } = await serve({ app: quietApp(), facts, handler: () => '' })
      await fetch(url)
      expect(errors[0]).toBe(gone)
    })

    it('accept a thenable that is no Promise', async () => {
      const facts = () => ({
        // biome-ignore lint/suspicious/noThenProperty: query builders are such objects
        then: (resolve: (facts: Facts) => void) => resolve({ sessionId: 'later' }),
      })
      const { url } = await serve({
        app: quietApp(),
        facts: facts as unknown as () => Promise<Facts>,
        handler: ({ tools }) => String(tools.facts.sessionId),
      })
      expect(await (await fetch(url)).text()).toBe('later')
    })

    it('add up over two mounts, the inner one winning', async () => {
      const { url } = await serve({
        app: quietApp(),
        facts: { sessionId: 's1', senderId: 'u1' },
        again: { senderId: 'u2', agentId: undefined },
        handler: ({ tools: { facts } }) =>
          JSON.stringify([facts.sessionId, facts.senderId, 'agentId' in facts]),
      })
      expect(await (await fetch(url)).json()).toEqual(['s1', 'u2', false])
    })

    it('reach tools that were wrapped before there was a request', async () => {
      const seen: string[] = []
      const app = quietApp().use({
        name: 'Facts',
        check: ({ toolName, sessionId, parentCallId }) => {
          seen.push(`${toolName} ${sessionId} ${parentCallId === undefined ? 'top' : 'nested'}`)
          return null
        },
      })
      const inner = app.wrap('inner', async () => 'inner')
      const outer = app.wrap('outer', async () => `outer ${await inner({})}`)
      const { url } = await serve({ app, facts: bySession, handler: () => outer({}) })
      const response = await fetch(url, { headers: { 'x-session': 's7' } })
      expect(await response.text()).toBe('outer inner')
      expect(seen).toEqual(['outer s7 top', 'inner s7 nested'])
    })

    it('of 50 requests at once stay apart', async () => {
      const all = deferred<void>()
      let waiting = 0
      const seen: unknown[] = []
      const app = quietApp().use({
        name: 'Facts',
        check: ({ params, sessionId, senderId }) => {
          seen.push([params['i'], sessionId, senderId])
          return null
        },
      })
      const wrapped = app.wrap('wrapped', async ({ i }: { i: string }) => {
        waiting += 1
        if (waiting === 50) all.resolve()
        await all.promise
        return i
      })
      const { url } = await serve({
        app,
        facts: async (req) => bySession(req),
        handler: async ({ tools, req }) => {
          const i = header(req, 'x-session')?.slice(1) ?? ''
          const first = await wrapped({ i })
          const second = await tools.execute({ toolName: 'scoped', params: { i } }, () => i)
          return `${first} ${second.text} ${tools.facts.sessionId}`
        },
      })
      const indexes = Array.from({ length: 50 }, (_, i) => i)
      const senderOf = (i: number): string | undefined => (i % 2 === 0 ? `u${i}` : undefined)
      const answers = await Promise.all(
        indexes.map(async (i) => {
          const sender = senderOf(i)
          const headers = { 'x-session': `s${i}`, ...(sender && { 'x-sender': sender }) }
          return (await fetch(url, { headers })).text()
        }),
      )
      expect(answers).toEqual(indexes.map((i) => `${i} ${i} s${i}`))
      const expected = indexes.map((i) => [String(i), `s${i}`, senderOf(i)])
      const order = (list: unknown[]) => list.map((entry) => JSON.stringify(entry)).sort()
      expect(order(seen)).toEqual(order([...expected, ...expected]))
    })
  })

  describe('verdicts', () => {
    it('come back as outcomes, and the request goes on', async () => {
      const app = quietApp().use({
        name: 'NoDeploys',
        check: ({ toolName }) => toolName !== 'deploy' || deny('not on Fridays'),
      })
      const { url } = await serve({
        app,
        handler: async (visit) => {
          const denied = await visit.tools.execute({ toolName: 'deploy' }, () => 'deployed')
          return `${denied.text}\n${(await ping(visit)).text}`
        },
      })
      const response = await fetch(url)
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(
        'Tool execution denied by hook: NoDeploys\nnot on Fridays\npong',
      )
    })

    it('are carried whole: rewrite, change of the result, answer in place of the tool', async () => {
      const app = quietApp()
        .use({
          name: 'Short',
          before: ({ toolName }) => (toolName === 'a' ? rewrite({ n: 2 }) : null),
        })
        .use(async (ctx, next) => {
          if (ctx.toolName === 'b') ctx.respond('from the cache')
          await next()
          if (ctx.toolName === 'a') ctx.result = `<${ctx.result}>`
        })
      const { url } = await serve({
        app,
        handler: async ({ tools }) => {
          const a = await tools.execute(
            { toolName: 'a', params: { n: 1 } },
            ({ n }: { n: number }) => `n=${n}`,
          )
          const b = await tools.execute({ toolName: 'b' }, () => 'fresh')
          return `${a.text} ${b.text}`
        },
      })
      expect(await (await fetch(url)).text()).toBe('<n=2> from the cache')
    })

    it('wait for a person while the client waits', async () => {
      const asked: unknown[] = []
      const approvals: Approver = {
        async decide({ ctx, askers }) {
          asked.push([ctx.sessionId, askers.map(({ request }) => request.title)])
          return { resolution: 'allow-once', approvalId: 'a1' }
        },
      }
      const app = quietApp({ approvals }).use({
        name: 'Asks',
        check: () => ask({ title: 'May it ping?' }),
      })
      const { url } = await serve({
        app,
        facts: { sessionId: 's1' },
        handler: async (visit) => (await ping(visit)).text,
      })
      expect(await (await fetch(url)).text()).toBe('pong')
      expect(asked).toEqual([['s1', ['May it ping?']]])
    })

    it('that an unfit hook gives block the call, not the request', async () => {
      const app = quietApp().use({
        name: 'Broken',
        before: () => Promise.reject(new Error('down')),
      })
      const { url, errors } = await serve({
        app,
        handler: async (visit) => {
          const outcome = await ping(visit)
          return `${outcome.status} ${'code' in outcome && outcome.code}`
        },
      })
      expect(await (await fetch(url)).text()).toBe('blocked HOOK_FAILED')
      expect(errors).toEqual([])
    })

    it('reach the error handling when a wrapped tool throws them', async () => {
      const app = quietApp().use({ name: 'No', check: () => false })
      const wrapped = app.wrap('ping', () => 'pong')
      const { url, errors } = await serve({ app, handler: () => wrapped({}) })
      expect((await fetch(url)).status).toBe(500)
      expect(isToolwareError(errors[0], 'DENIED')).toBe(true)
    })
  })

  describe('streams', () => {
    it('go to the client piece by piece', async () => {
      const go = deferred<void>()
      const app = quietApp()
      let outcome: Promise<Outcome> | undefined
      const { url } = await serve({
        app,
        handler: ({ tools }) => {
          const stream = tools.stream({ toolName: 'count' }, async function* () {
            yield 'one '
            await go.promise
            yield 'two'
          })
          outcome = stream.outcome
          return stream
        },
      })
      const response = await fetch(url)
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      expect(await reader?.read()).toMatchObject({ value: 'one ' })
      go.resolve()
      expect(await reader?.read()).toMatchObject({ value: 'two' })
      expect(await outcome).toMatchObject({ status: 'completed', result: ['one ', 'two'] })
    })

    it('end with the client: generator cleaned up, call aborted, way out run', async () => {
      const cleaned = deferred<string>()
      const ended = deferred<Outcome>()
      const app = quietApp().use({ name: 'After', after: (_, outcome) => ended.resolve(outcome) })
      const { port } = await serve({
        app,
        handler: ({ tools }) =>
          tools.stream({ toolName: 'count' }, async function* (_, ctx) {
            try {
              yield 'one'
              await once(ctx.signal, 'abort')
              yield 'two'
            } finally {
              cleaned.resolve(String(ctx.signal.reason))
            }
          }),
      })
      const client = await rawClient(port)
      client.send({ path: '/' })
      await client.until('one')
      client.leave()
      expect(await cleaned.promise).toMatch(/The client closed the connection/)
      expect(await ended.promise).toMatchObject({ status: 'aborted', executed: true })
    })
  })
})
