import { describe, expect, it, vi } from 'vitest'
import { ask, compose, deny, type Explanation, rewrite } from '../../lib/index.ts'
import { call, echo, quietApp } from '../helpers/call.ts'

const brief = ({ opinions }: Explanation): string[] =>
  opinions.map(({ hook, phase, opinion }) => `${hook} ${phase} ${opinion}`)

describe('app.explain', () => {
  it('tells opinions in the order in which they were given, those of middleware among them', async () => {
    const app = quietApp()
      .use({ name: 'first', check: () => true })
      .use(
        (ctx, next) => {
          ctx.rewrite({ path: 'b' })
          return next()
        },
        { name: 'm' },
      )
      .use({ name: 'second', before: () => null })
      .use({ name: 'third', check: () => ask({ title: '?' }), before: () => rewrite({}) })
      .use({ name: 'watching', after: () => undefined })
      .use({ name: 'last', check: () => true })
    expect(brief(await app.explain(call()))).toEqual([
      'first check none',
      'm middleware rewrite',
      'second before none',
      'third check ask',
      'third before rewrite',
      'last check none',
      'third recheck ask',
    ])
  })

  it('tells hooks of one name apart', async () => {
    const app = quietApp()
      .use({ name: 'guard', check: () => ask({ title: 'one' }) })
      .use({ name: 'guard', check: () => true })
      .use({ name: 'guard', check: () => deny('three') })
      .use({ name: 'guard', check: () => true })
    expect(brief(await app.explain(call()))).toEqual([
      'guard check ask',
      'guard check none',
      'guard check deny',
    ])
  })

  it('lists nobody who was not asked, and who broke a rule', async () => {
    const refused = quietApp().use({ name: 'never', check: () => true })
    expect(brief(await refused.explain(call({ toolName: 'not a name' })))).toEqual([])
    const short = quietApp()
      .use({ name: 'first', check: () => true })
      .use(compose([() => undefined]))
      .use({ name: 'never', check: () => true })
    const explanation = await short.explain(call())
    expect(brief(explanation)).toEqual(['first check none', 'middleware#1 middleware failed'])
    expect(explanation).toMatchObject({ verdict: 'deny', code: 'SHORT_CIRCUIT' })
  })

  it('takes no ask without a title for one that was asked', async () => {
    const app = quietApp().use((ctx) => ctx.ask({} as never), { name: 'm' })
    expect(brief(await app.explain(call()))).toEqual(['m middleware failed'])
  })
})

describe('a rewrite of a middleware that would not pass intake', () => {
  for (const exposeErrors of [false, true]) {
    it(`is a fault like that of a hook (exposeErrors: ${exposeErrors})`, async () => {
      const errors = vi.fn()
      const app = quietApp({ exposeErrors }).use(
        async (ctx, next) => {
          ctx.rewrite({ secret: () => 1 })
          await next()
        },
        { name: 'm' },
      )
      app.on('error', ({ hook, error }) => errors(hook, (error as Error).message))
      const outcome = await app.execute(call(), echo)
      expect(outcome).toMatchObject({ status: 'blocked', code: 'HOOK_BAD_ANSWER', by: 'm' })
      expect(errors.mock.calls).toEqual([['m', expect.stringMatching(/these have a function/)]])
      expect(outcome.text.includes('these have a function')).toBe(exposeErrors)
      expect(outcome.text.includes('hook failed')).toBe(!exposeErrors)
      expect(brief(await app.explain(call()))).toEqual(['m middleware failed'])
    })
  }
})
