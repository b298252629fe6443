import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { adapt, ask, rewrite } from '../../lib/index.ts'
import type { MiddlewareContext } from '../../lib/types.ts'
import { call, echo, quietApp } from '../helpers/call.ts'

describe('a context', () => {
  it('that no pipeline made runs no parts of one', () => {
    const part = adapt([{ name: 'a', check: () => true }])
    const made = { params: {} } as unknown as MiddlewareContext
    expect(() => part(made, async () => undefined)).toThrow(/run inside a middleware function/)
  })
})

describe('what hooks see of a completed outcome', () => {
  it('prints as the outcome does', async () => {
    let printed = ''
    const app = quietApp().use({
      name: 'a',
      after: (_ctx, outcome) => {
        printed = inspect(outcome)
      },
    })
    await app.execute(call(), echo)
    expect(printed).toContain("status: 'completed'")
    expect(printed).toContain("result: { text: 'hi' }")
  })
})

describe('use()', () => {
  it('takes no options beside a pipeline', () => {
    expect(() => quietApp().use(quietApp(), { name: 'x' })).toThrow(/in place and takes no options/)
  })
})

describe('a scope', () => {
  it('explains with its facts', async () => {
    const app = quietApp().use({
      name: 'owner',
      check: ({ senderId }) => senderId === 'u1' || ask({ title: 'Who is it?' }),
    })
    expect((await app.scope({ senderId: 'u1' }).explain(call())).verdict).toBe('allow')
    expect((await app.explain(call())).verdict).toBe('ask')
  })
})

describe('a hook', () => {
  it('that gives rewrite() something else than an ask has answered badly', async () => {
    const app = quietApp().use({
      name: 'a',
      before: () => rewrite({}, { title: 'May I?' } as never),
    })
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'blocked',
      code: 'HOOK_BAD_ANSWER',
    })
  })
})

describe('a stream', () => {
  it('that a middleware answers for has one chunk', async () => {
    const app = quietApp().use(async (ctx, next) => {
      ctx.respond('whole')
      await next()
    })
    const stream = app.stream(call(), async function* () {
      yield 'never'
    })
    const chunks: unknown[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks).toEqual(['whole'])
  })
})
