import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { Toolware } from '../../lib/index.ts'
import { takeParams } from '../../lib/params.ts'
import { rewrite } from '../../lib/verdict.ts'
import { echo, quietApp, quietLog } from '../helpers/call.ts'
import { settle } from '../helpers/timers.ts'

type Ok = (value: number) => void

/** Promise-likes as query builders and old libraries make them. */
function thenable(then: (ok: Ok) => void): object {
  return Object.defineProperty({}, 'then', { value: then })
}

const thenables: Array<[string, () => object]> = [
  ['answers at once and returns nothing', () => thenable((ok) => ok(7))],
  ['answers later and returns nothing', () => thenable((ok) => setImmediate(ok, 7))],
  [
    'answers twice',
    () =>
      thenable((ok) => {
        setImmediate(ok, 7)
        setImmediate(ok, 8)
      }),
  ],
  [
    'throws after it answered',
    () =>
      thenable((ok) => {
        ok(7)
        throw new Error('late')
      }),
  ],
  [
    'is a promise with a `then` of its own, which says something else, twice',
    () => lying(Promise.resolve(7)),
  ],
]

/** A real promise that tells whoever calls its `then` something else. */
function lying<T>(promise: Promise<T>): Promise<T> {
  return Object.defineProperty(promise, 'then', {
    value: (ok: (value: unknown) => void) => {
      ok('a lie')
      ok('another')
    },
  })
}

/** A real promise that shows an honest `then` until somebody calls it. */
function wavering<T>(promise: Promise<T>): Promise<T> {
  const { then } = promise
  const lie = lying(Promise.resolve()).then
  let reads = 0
  return Object.defineProperty(promise, 'then', { get: () => (++reads < 3 ? then : lie) })
}

/** A real promise that cannot even be asked. */
function broken(): Promise<unknown> {
  return Object.defineProperty(Promise.resolve(true), 'constructor', {
    get: () => {
      throw new Error('no constructor')
    },
  })
}

describe('a tool whose promise is none of ours', () => {
  it.each(thenables)('%s: the call completes once', async (_, make) => {
    for (const middleware of [false, true]) {
      const app = quietApp()
      const left: string[] = []
      app.use({
        name: 'Watch',
        after: (_, { status }) => {
          left.push(status)
        },
      })
      if (middleware) app.use(async (_, next) => void (await next()))
      const outcome = await app.execute({ toolName: 'query' }, make)
      await settle()
      await settle()
      expect(outcome).toMatchObject({ status: 'completed', result: 7 })
      expect(left).toEqual(['completed'])
    }
  })
})

describe('a tool whose promise cannot even be asked', () => {
  it.each([undefined, new AbortController().signal])('has failed', async (signal) => {
    const app = quietApp().use({ name: 'Watch', after: () => undefined })
    const outcome = await app.execute({ toolName: 'query', signal }, broken)
    expect(outcome).toMatchObject({ status: 'failed', code: 'TOOL_FAILED', executed: true })
    expect(outcome.text).toMatch(/no constructor/)
  })
})

describe('a hook whose promise is none of ours', () => {
  it('is heard as `await` would hear it: a promise with a `then` of its own says what it settles with', async () => {
    const outcome = await quietApp()
      .use({ name: 'Deny', before: () => lying(Promise.resolve(false)) })
      .execute({ toolName: 'echo' }, echo)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'DENIED', by: 'Deny' })
  })

  it('speaks for itself only, whatever its `then` is at last', async () => {
    const outcome = await quietApp()
      .use({ name: 'Wavering', before: () => wavering(Promise.resolve(true)) })
      .use({ name: 'Deny', before: async () => Promise.resolve(false) })
      .execute({ toolName: 'echo' }, echo)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'DENIED', by: 'Deny' })
  })

  it('blocks when the promise cannot even be asked', async () => {
    const outcome = await quietApp()
      .use({ name: 'Broken', before: () => broken() as Promise<boolean> })
      .execute({ toolName: 'echo' }, echo)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'HOOK_FAILED', by: 'Broken' })
  })

  it.each([false, true])('harms nothing on the way out (detached: %s)', async (detached) => {
    const app = quietApp()
    const failed: string[] = []
    app.on('error', ({ hook }) => failed.push(hook))
    app.use({ name: 'Lying', detached, after: () => lying(Promise.resolve()) })
    app.use({ name: 'Broken', detached, after: () => broken() as Promise<void> })
    expect((await app.execute({ toolName: 'echo' }, echo)).status).toBe('completed')
    await app.close()
    expect(failed).toEqual(['Broken'])
  })
})

describe('a middleware function whose promise is none of ours', () => {
  it.each([undefined, new AbortController().signal])(
    'is heard as `await` would',
    async (signal) => {
      const call = { toolName: 'echo', signal }
      const lies = quietApp().use((_, next) => lying(next().then(() => undefined)))
      expect((await lies.execute(call, echo)).status).toBe('completed')
      const breaks = quietApp().use(() => broken() as Promise<void>)
      expect(await breaks.execute(call, echo)).toMatchObject({
        code: 'HOOK_FAILED',
        executed: false,
      })
    },
  )
})

describe('execute never rejects and never throws', () => {
  it('for a revoked proxy as params', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const app = quietApp()
    expect(await app.execute({ toolName: 'echo', params: proxy }, echo)).toMatchObject({
      status: 'blocked',
      code: 'BAD_ARGUMENTS',
    })
  })
})

describe('intake', () => {
  it('counts bytes, not letters', () => {
    const limits = { maxDepth: 64, maxNodes: 1000, maxBytes: 100 }
    const texts = Object.fromEntries([...'abcdefgh'].map((key) => [key, '文文文文']))
    expect(Buffer.byteLength(Object.entries(texts).flat().join(''))).toBe(104)
    expect(takeParams(texts, limits)).toBeTypeOf('string')
  })
})

describe('a scope', () => {
  it('gives a nested call its parentCallId', async () => {
    const app = quietApp()
    const parents: unknown[] = []
    app.use({
      name: 'Watch',
      before: ({ parentCallId }) => {
        parents.push(parentCallId)
      },
    })
    const inner = app.wrap('inner', echo)
    await app
      .scope({ sessionId: 's1' })
      .execute({ toolName: 'outer', toolCallId: 'outer-1' }, () => inner({}))
    expect(parents).toEqual([undefined, 'outer-1'])
  })
})

describe('scopes side by side', () => {
  const seen = (app: Toolware) =>
    app.wrap('inner', (_: object, { senderId, parentCallId }) => [senderId, parentCallId])

  it('keep their facts apart when a hook that fails open lets the calls go on at its deadline', async () => {
    const app = quietApp().use(
      { name: 'Late', timeoutMs: 1, failOpen: ['timeout'], check: () => new Promise(() => {}) },
      { tools: ['outer'] },
    )
    const inner = seen(app)
    const run = (senderId: string) => {
      const call = { toolName: 'outer', toolCallId: senderId }
      return app.scope({ senderId }).execute(call, () => inner({}))
    }
    const outcomes = await Promise.all([run('alice'), run('bob')])
    expect(outcomes).toMatchObject([{ result: ['alice', 'alice'] }, { result: ['bob', 'bob'] }])
  })

  it.each(['hook', 'middleware'])(
    'keep them apart when one calls the other off in a %s',
    async (kind) => {
      const app = quietApp()
      const inner = seen(quietApp())
      const told: unknown[] = []
      app.use({ name: 'Tell', skipped: async () => void told.push(await inner({})) })
      const hangs = () => new Promise<never>(() => {})
      app.use(kind === 'hook' ? { name: 'Hangs', check: hangs } : hangs)
      const controller = new AbortController()
      const { signal } = controller
      const call = { toolName: 'outer', toolCallId: 'of bob', signal }
      const pending = app.scope({ senderId: 'bob' }).execute(call, echo)
      app.scope({ senderId: 'alice' }).run(() => controller.abort())
      expect((await pending).status).toBe('aborted')
      expect(told).toEqual([['bob', 'of bob']])
    },
  )

  it('keep what others store along with async work out of calls that go on at a deadline', async () => {
    const theirs = new AsyncLocalStorage<string>()
    const app = quietApp().use({
      name: 'Late',
      timeoutMs: 1,
      failOpen: ['timeout'],
      check: () => new Promise(() => {}),
    })
    const run = (who: string) =>
      theirs.run(who, () => app.execute({ toolName: 'outer' }, () => theirs.getStore() ?? 'nobody'))
    const outcomes = await Promise.all([run('alice'), run('bob')])
    expect(outcomes).toMatchObject([{ result: 'nobody' }, { result: 'nobody' }])
  })
})

describe('a log that throws', () => {
  it.each(['error', 'warn'] as const)('harms no call (%s)', async (level) => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    const log = {
      ...quietLog(),
      [level]: () => {
        throw new Error('disk full')
      },
    }
    const app = new Toolware({ log })
    app.use({
      name: 'Bad',
      failOpen: ['error'],
      before: async () => {
        throw new Error('x')
      },
    })
    expect((await app.execute({ toolName: 'echo' }, echo)).status).toBe('completed')
    expect((await app.execute({ toolName: 'echo' }, echo)).status).toBe('completed')
    expect((await warned).message).toMatch(
      /the log threw \(Error: disk full\); lost: hook Bad failed/,
    )
  })
})

describe('a rewrite under trusted intake', () => {
  it.each([undefined, null, 'text', 7])('to %j is a bad answer, not params', async (params) => {
    const app = quietApp({ intake: 'trusted' })
    app.use({ name: 'Rewriter', before: () => rewrite(params as never) })
    let got: unknown = 'not run'
    const outcome = await app.execute({ toolName: 'echo', params: {} }, (given) => {
      got = given
    })
    expect([outcome.status, got]).toEqual(['blocked', 'not run'])
  })
})

describe('close()', () => {
  it('ends though a hook that was left behind never does', async () => {
    const app = quietApp({ afterTimeoutMs: 10 })
    app.use({ name: 'Hangs', after: () => new Promise(() => undefined) })
    await app.execute({ toolName: 'echo' }, echo)
    const closed = app.close().then(() => 'closed')
    const waited = new Promise((resolve) => setTimeout(resolve, 200, 'still open'))
    expect(await Promise.race([closed, waited])).toBe('closed')
  })
})
