import type { Middleware, MiddlewareContext } from '../../lib/index.ts'

/** What {@link failures} throw. */
export const boom: Error = new Error('boom')
/** Tools that answer, at once and later. */
export const answers: Array<[string, () => unknown]> = [
  ['sync', () => 'r'],
  ['async', async () => 'r'],
]
/** Tools that fail, at once and later. */
export const failures: Array<[string, () => unknown]> = [
  [
    'sync',
    () => {
      throw boom
    },
  ],
  ['async', () => Promise.reject(boom)],
]

/** What a middleware does after `next()`, as an `async` function and as one that returns a promise of its own. */
export function bothWays(after: (ctx: MiddlewareContext) => unknown): Array<[string, Middleware]> {
  return [
    [
      'async',
      async (ctx, next) => {
        await next()
        await after(ctx)
      },
    ],
    ['returned', (ctx, next) => next().then(() => after(ctx))],
  ]
}
