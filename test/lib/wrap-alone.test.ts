import { describe, expect, it } from 'vitest'
import { Toolware } from '../../lib/index.ts'

describe('app.wrap() with nothing around the tool', () => {
  it('answers what the tool answers, also at once', async () => {
    const app = new Toolware()
    expect(await app.wrap('add', ({ a }: { a: number }) => a + 1)({ a: 1 })).toBe(2)
    expect(await app.wrap('later', async ({ a }: { a: number }) => a + 2)({ a: 1 })).toBe(3)
  })

  it('rejects with what the tool throws, by identity, also when it throws at once', async () => {
    const app = new Toolware()
    const error = new Error('no')
    const throwing = app.wrap('throwing', () => {
      throw error
    })
    const rejecting = app.wrap('rejecting', () => Promise.reject(error))
    await expect(throwing({})).rejects.toBe(error)
    await expect(rejecting({})).rejects.toBe(error)
  })

  it('gives the tool a context and a mutable copy of its own', async () => {
    const app = new Toolware()
    const params = { list: [1] }
    const tool = app.wrap('read_file', (own: { list: number[] }, ctx) => {
      own.list.push(2)
      return { own, toolName: ctx.toolName, aborted: ctx.signal.aborted }
    })
    const answer = await tool(params)
    expect(answer).toEqual({ own: { list: [1, 2] }, toolName: 'read_file', aborted: false })
    expect(params).toEqual({ list: [1] })
  })

  it('still refuses arguments that are no plain data', async () => {
    const tool = new Toolware().wrap('read_file', () => 'ran')
    await expect(tool({ when: new Date(0) })).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' })
  })

  it('tells listeners of the call', async () => {
    const app = new Toolware()
    const seen: unknown[] = []
    app.on('settled', ({ outcome }) => seen.push(outcome.status))
    await app.wrap('read_file', () => 'ran')({})
    expect(seen).toEqual(['completed'])
  })
})
