import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IDLE_MS, type LimitState, memoryState } from '../../../lib/state/memory.ts'

const HOUR = 3_600_000
const window = { limit: 2, windowMs: 1000 }

function at(): { state: LimitState; clock: { now: number } } {
  const clock = { now: 1_000_000 }
  return { clock, state: memoryState({ clock: () => clock.now }) }
}

describe('memoryState()', () => {
  it('lets a limit of calls through in a window that starts with its first call', () => {
    const { state, clock } = at()
    expect(state.take('k', 'a', window)).toEqual({ ok: true })
    clock.now += 900
    expect(state.take('k', 'b', window)).toEqual({ ok: true })
    expect(state.take('k', 'c', window)).toEqual({ ok: false, retryAfterMs: 100 })
    clock.now += 100
    expect(state.take('k', 'd', window)).toEqual({ ok: true })
    clock.now += 999
    expect(state.take('k', 'e', window)).toEqual({ ok: true })
    expect(state.take('k', 'f', window)).toEqual({ ok: false, retryAfterMs: 1 })
  })

  it('counts keys apart', () => {
    const { state } = at()
    state.take('a', '1', { limit: 1, windowMs: 1000 })
    expect(state.take('b', '2', { limit: 1, windowMs: 1000 })).toEqual({ ok: true })
  })

  it('lets a refused attempt consume nothing, however often it is repeated', () => {
    const { state, clock } = at()
    state.take('k', 'a', window)
    state.take('k', 'b', window)
    for (let i = 0; i < 50; i++) state.take('k', `r${i}`, window)
    clock.now += 1000
    expect(state.take('k', 'c', window)).toEqual({ ok: true })
    expect(state.take('k', 'd', window)).toEqual({ ok: true })
  })

  it('resets by the time it is, without timers: a machine that slept', () => {
    const { state, clock } = at()
    state.take('k', 'a', window)
    state.take('k', 'b', window)
    clock.now += 10_000
    expect(state.take('k', 'c', window)).toEqual({ ok: true })
  })

  it('never asks for more patience than a window when the clock was set back, and lets nothing more through', () => {
    const { state, clock } = at()
    state.take('k', 'a', window)
    state.take('k', 'b', window)
    clock.now -= HOUR
    expect(state.take('k', 'c', window)).toEqual({ ok: false, retryAfterMs: 1000 })
  })

  it('takes one slot for one call id, also in a later window', () => {
    const { state, clock } = at()
    expect(state.take('k', 'a', { limit: 1, windowMs: 1000 })).toEqual({ ok: true })
    expect(state.take('k', 'a', { limit: 1, windowMs: 1000 })).toEqual({ ok: true })
    clock.now += 5000
    state.take('k', 'b', { limit: 1, windowMs: 1000 })
    expect(state.take('k', 'a', { limit: 1, windowMs: 1000 })).toEqual({ ok: true })
    expect(state.take('k', 'c', { limit: 1, windowMs: 1000 })).toMatchObject({ ok: false })
  })

  it('frees a slot that is given back, once, and only in its own window', () => {
    const { state, clock } = at()
    state.take('k', 'a', { limit: 1, windowMs: 1000 })
    state.giveBack('k', 'a')
    state.giveBack('k', 'a')
    expect(state.take('k', 'b', { limit: 1, windowMs: 1000 })).toEqual({ ok: true })
    clock.now += 1000
    expect(state.take('k', 'c', { limit: 1, windowMs: 1000 })).toEqual({ ok: true })
    state.giveBack('k', 'b')
    expect(state.take('k', 'd', { limit: 1, windowMs: 1000 })).toMatchObject({ ok: false })
  })

  it('keeps the slot of a call that was settled', () => {
    const { state } = at()
    state.take('k', 'a', { limit: 1 })
    state.settle('k', 'a')
    state.giveBack('k', 'a')
    expect(state.take('k', 'b', { limit: 1 })).toEqual({ ok: false, retryAfterMs: undefined })
  })

  it('counts without a window until the key was idle for 24 hours', () => {
    const { state, clock } = at()
    const counter = { limit: 1 }
    state.take('s', 'a', counter)
    state.settle('s', 'a')
    for (let i = 0; i < 30; i++) {
      clock.now += HOUR
      expect(state.take('s', `x${i}`, counter)).toMatchObject({ ok: false })
    }
    clock.now += IDLE_MS
    expect(state.take('s', 'b', counter)).toEqual({ ok: true })
  })

  it('keeps a bounded number of keys: the one idle longest goes first', () => {
    const clock = { now: 0 }
    const state = memoryState({ clock: () => clock.now, maxKeys: 2 })
    const counter = { limit: 1 }
    for (const key of ['a', 'b', 'a', 'c']) state.take(key, key, counter)
    expect(state.take('a', 'x', counter)).toMatchObject({ ok: false })
    expect(state.take('b', 'y', counter)).toEqual({ ok: true })
  })

  it('never lets more calls start in a window than the limit says, in any order of events', () => {
    const step = fc.record({
      op: fc.constantFrom('take', 'giveBack', 'settle'),
      id: fc.nat(5),
      wait: fc.nat(400),
    })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        (steps, limit) => {
          const { state, clock } = at()
          // A model: slots by the window they were taken in.
          let startedAt = Number.NEGATIVE_INFINITY
          let count = 0
          const holders = new Map<string, number>()
          for (const { op, id, wait } of steps) {
            clock.now += wait
            const call = `c${id}`
            if (op === 'take') {
              if (count === 0 || clock.now - startedAt >= 1000) {
                if (!holders.has(call)) {
                  startedAt = clock.now
                  count = 0
                }
              }
              const expected = holders.has(call) || count < limit
              if (expected && !holders.has(call)) {
                count++
                holders.set(call, startedAt)
              }
              const taken = state.take('k', call, { limit, windowMs: 1000 })
              expect(taken).toMatchObject({ ok: expected })
            } else {
              if (op === 'giveBack' && holders.get(call) === startedAt) count--
              holders.delete(call)
              state[op]('k', call)
            }
          }
        },
      ),
    )
  })
})
