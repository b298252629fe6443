import { describe, expect, it } from 'vitest'
import { ToolDeniedError, ToolwareError } from '../../lib/errors.ts'
import { Toolware } from '../../lib/toolware.ts'

const missing = (): never => {
  throw new ToolwareError('UNKNOWN_TOOL', 'there is no tool "x" here')
}

describe('a tool that is not there', () => {
  it('fails with its own code, after the policies have seen the call', async () => {
    const app = new Toolware()
    expect(await app.execute({ toolName: 'x' }, missing)).toMatchObject({
      status: 'failed',
      code: 'UNKNOWN_TOOL',
      by: 'tool',
      text: 'Tool failed: there is no tool "x" here',
    })
    app.use({ name: 'no', check: () => false })
    expect(await app.execute({ toolName: 'x' }, missing)).toMatchObject({
      code: 'DENIED',
      by: 'no',
    })
    await expect(app.wrap('x', missing)({})).rejects.toThrow(ToolDeniedError)
  })

  it('throws its error by identity from a wrapped tool, and can be answered for', async () => {
    await expect(new Toolware().wrap('x', missing)({})).rejects.toMatchObject({
      code: 'UNKNOWN_TOOL',
    })
    const app = new Toolware().use(async function fallback(ctx, next) {
      try {
        await next()
      } catch {
        ctx.result = 'instead'
      }
    })
    expect(await app.execute({ toolName: 'x' }, missing)).toMatchObject({
      result: 'instead',
      recovered: 'fallback',
    })
  })
})
