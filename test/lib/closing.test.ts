import { afterEach, describe, expect, it, vi } from 'vitest'
import { closePart, Detached, nameOf } from '../../lib/closing.ts'
import { deferred, never, quietLog } from '../helpers/call.ts'

describe('Detached', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('waits for what is left, and for what that leaves', async () => {
    const detached = new Detached()
    const [first, second] = [deferred(), deferred()]
    detached.add(first.promise.then(() => detached.add(second.promise)))
    const log = quietLog()
    let isDrained = false
    const drained = detached.drain(log).then(() => {
      isDrained = true
    })
    first.resolve(undefined)
    await first.promise
    expect(isDrained).toBe(false)
    second.resolve(undefined)
    await drained
    expect(log.lines).toEqual([])
  })

  it('gives up after half a minute, and says how much is left', async () => {
    vi.useFakeTimers()
    const detached = new Detached()
    detached.add(never())
    const log = quietLog()
    const drained = detached.drain(log)
    await vi.advanceTimersByTimeAsync(30_000)
    await drained
    expect(log.lines).toEqual([
      {
        level: 'error',
        fields: { left: 1 },
        message: 'close() left detached work behind after 30000 ms',
      },
    ])
  })
})

describe('closePart()', () => {
  it('closes what can be closed, and logs what fails', async () => {
    const log = quietLog()
    const close = vi.fn(async () => {
      throw new Error('no')
    })
    await closePart({ name: 'x', close }, log)
    await closePart({ close: 'no function' }, log)
    await closePart(undefined, log)
    expect(close).toHaveBeenCalledOnce()
    expect(log.lines).toEqual([
      { level: 'error', fields: { err: 'no' }, message: 'close() of x failed' },
    ])
    expect(nameOf({})).toBe('an unnamed part')
  })

  it('leaves behind a part that has not closed after half a minute, and says so', async () => {
    vi.useFakeTimers()
    const log = quietLog()
    const closed = closePart({ name: 'x', close: never }, log)
    await vi.advanceTimersByTimeAsync(30_000)
    await closed
    vi.useRealTimers()
    expect(log.lines).toEqual([
      {
        level: 'error',
        fields: {},
        message: 'close() of x has not ended after 30000 ms and is left behind',
      },
    ])
  })
})
