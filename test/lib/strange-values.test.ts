import { createContext, runInContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { deny, type ToolHook } from '../../lib/index.ts'
import { asText, messageOf } from '../../lib/outcome.ts'
import { call, echo, quietApp } from '../helpers/call.ts'

const unreadable = (): Error =>
  Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('evil')
    },
  })

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

const THROWN: ReadonlyArray<readonly [string, () => unknown]> = [
  ['an error whose message cannot be read', unreadable],
  ['an error whose message is no text', () => Object.assign(new Error('x'), { message: 42 })],
  ['a revoked proxy', revoked],
  ['an object without a text', () => Object.assign(Object.create(null), { n: 1n })],
  ['a symbol', () => Symbol('s')],
]

describe('whatever is thrown', () => {
  for (const [what, make] of THROWN) {
    const fails = {
      'in check': { check: () => fail(make()) },
      'in an async check': { check: async () => fail(make()) },
      'in after': { after: () => fail(make()) },
      'in an async after': { after: async () => fail(make()) },
    }
    for (const [where, phases] of Object.entries(fails)) {
      it(`harms no more than an error: ${what}, ${where}`, async () => {
        const app = quietApp().use({ name: 'h', ...phases } as unknown as ToolHook)
        const outcome = await app.execute(call(), echo)
        expect(outcome).toMatchObject(
          where.endsWith('check')
            ? { status: 'blocked', code: 'HOOK_FAILED', by: 'h' }
            : { status: 'completed' },
        )
      })
    }

    it(`harms no more than an error: ${what}, in a middleware, a listener or the tool`, async () => {
      const app = quietApp().use(() => fail(make()), { name: 'm' })
      app.on('settled', () => fail(make()))
      expect(await app.execute(call(), echo)).toMatchObject({ code: 'HOOK_FAILED', by: 'm' })
      const tool = await quietApp().execute(call(), () => fail(make()))
      expect(tool).toMatchObject({ status: 'failed', code: 'TOOL_FAILED' })
      expect(tool.text).toMatch(/^Tool failed: ./)
    })
  }

  it('may be NaN, which a middleware that lets it pass has not thrown itself', async () => {
    const app = quietApp().use((_ctx, next) => next())
    const outcome = await app.execute(call(), () => fail(Number.NaN))
    expect(outcome).toMatchObject({ status: 'failed', code: 'TOOL_FAILED' })
    expect(outcome).not.toHaveProperty('details')
  })

  it('says what it says when it is an error of another realm', async () => {
    const realm = createContext({})
    const tool = (): unknown => runInContext('throw new TypeError("no such file")', realm)
    expect((await quietApp().execute(call(), tool)).text).toBe('Tool failed: no such file')
    expect(messageOf(runInContext('new Error("x")', realm))).toBe('x')
  })
})

describe('whatever is answered', () => {
  it('has a text', async () => {
    const rows = [Object.assign(Object.create(null), { id: 1n })]
    const after = vi.fn()
    const app = quietApp().use({ name: 'plain', afterExecute: (_n, _j, text) => after(text) })
    const outcome = await app.execute(call(), () => rows)
    expect(outcome.text).toBe('[object Array]')
    expect(after).toHaveBeenCalledWith('[object Array]')
    expect(asText(revoked())).toBe('a value that cannot be read')
    expect(asText({ n: 1n })).toBe('[object Object]')
  })

  for (const reason of [Symbol('no'), Object.create(null), null, new Error('no')] as never[]) {
    it(`a deny stands, whatever it gives as a reason (${messageOf(reason)})`, async () => {
      const app = quietApp().use({ name: 'h', failOpen: ['error'], check: () => deny(reason) })
      expect(await app.execute(call(), echo)).toMatchObject({ code: 'DENIED', by: 'h' })
      const late = quietApp().use(async (ctx, next) => {
        await next()
        ctx.deny(reason)
      })
      expect((await late.execute(call(), echo)).text).toMatch(/withheld by: middleware#1/)
    })
  }

  for (const mode of ['sync', 'async'] as const) {
    it(`never fails open for an answer that cannot be read (${mode})`, async () => {
      const answer = Object.defineProperty({ ...deny('no') }, Symbol.for('toolware.verdict'), {
        value: true,
      })
      Object.defineProperty(answer, 'kind', { get: () => fail(new Error('evil')) })
      const app = quietApp().use({
        name: 'h',
        failOpen: ['error'],
        check: mode === 'sync' ? () => answer : async () => answer,
      })
      expect(await app.execute(call(), echo)).toMatchObject({ code: 'HOOK_BAD_ANSWER', by: 'h' })
    })
  }
})

function fail(error: unknown): never {
  throw error
}
