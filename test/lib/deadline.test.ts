import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Deadlines, Slot, TIMED_OUT, type Waiting, Wheel, withTimeout } from '../../lib/deadline.ts'

class Probe implements Waiting {
  readonly slot = new Slot()
  expired = 0
  expire(): void {
    this.expired++
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('Wheel', () => {
  for (const duration of [1, 10, 30, 100, 5000, 15_000]) {
    it(`is never early and hardly late at ${duration} ms`, () => {
      const wheel = new Wheel(duration)
      const probe = new Probe()
      wheel.arm(probe)
      vi.advanceTimersByTime(duration)
      expect(probe.expired).toBe(0)
      vi.advanceTimersByTime(Math.max(2, Math.min(100, duration / 4)))
      expect(probe.expired).toBe(1)
    })
  }

  it('starts a deadline anew each time it is armed, and fires once', () => {
    const wheel = new Wheel(100)
    const probe = new Probe()
    for (let i = 0; i < 10; i++) {
      wheel.arm(probe)
      vi.advanceTimersByTime(90)
    }
    expect(probe.expired).toBe(0)
    vi.advanceTimersByTime(1000)
    expect(probe.expired).toBe(1)
  })

  it('does not fire what was disarmed or removed', () => {
    const wheel = new Wheel(100)
    const [a, b] = [new Probe(), new Probe()]
    wheel.arm(a)
    wheel.arm(b)
    wheel.disarm(a)
    wheel.remove(b)
    vi.advanceTimersByTime(1000)
    expect([a.expired, b.expired]).toEqual([0, 0])
  })

  it('goes on with what is left of a deadline', () => {
    const wheel = new Wheel(160)
    const probe = new Probe()
    wheel.arm(probe)
    vi.advanceTimersByTime(100)
    const spent = wheel.disarm(probe)
    wheel.remove(probe)
    wheel.arm(probe, spent)
    vi.advanceTimersByTime(59)
    expect(probe.expired).toBe(0)
    vi.advanceTimersByTime(40)
    expect(probe.expired).toBe(1)
  })

  it('keeps its queue whole under any order of arming, disarming and removing', () => {
    const wheel = new Wheel(50)
    const probes = Array.from({ length: 20 }, () => new Probe())
    const armed = new Set<Probe>()
    let seed = 7
    const random = (n: number): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff
      return seed % n
    }
    for (let i = 0; i < 3000; i++) {
      const probe = probes[random(20)] as Probe
      const before = probe.expired
      switch (random(4)) {
        case 0:
          wheel.remove(probe)
          armed.delete(probe)
          break
        case 1:
          if (armed.has(probe)) wheel.disarm(probe)
          armed.delete(probe)
          break
        default:
          wheel.arm(probe)
          armed.add(probe)
      }
      expect(probe.expired).toBe(before)
      const counts = new Map([...probes].map((p) => [p, p.expired]))
      vi.advanceTimersByTime(random(9))
      for (const p of probes) {
        if (p.expired > (counts.get(p) as number)) {
          expect(armed.has(p)).toBe(true)
          armed.delete(p)
        }
      }
    }
    vi.advanceTimersByTime(500)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets what is partly used up pass those that armed before it', () => {
    const wheel = new Wheel(160)
    const order: string[] = []
    const late = (name: string): Probe =>
      Object.assign(new Probe(), { expire: () => order.push(name) })
    const spending = late('half')
    wheel.arm(spending)
    vi.advanceTimersByTime(80)
    const spent = wheel.disarm(spending)
    wheel.remove(spending)
    const [first, second, third] = [late('first'), late('second'), late('third')]
    wheel.arm(first)
    vi.advanceTimersByTime(20)
    wheel.arm(second)
    wheel.arm(spending, spent)
    wheel.arm(third)
    vi.advanceTimersByTime(100)
    expect(order).toEqual(['half'])
    wheel.remove(second)
    vi.advanceTimersByTime(160)
    expect(order).toEqual(['half', 'first', 'third'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets what is nearly as old stand between the others', () => {
    const wheel = new Wheel(160)
    const order: number[] = []
    for (const spent of [0, 2, 1, 3, 1, 0]) {
      wheel.arm(Object.assign(new Probe(), { expire: () => order.push(spent) }), spent)
    }
    vi.advanceTimersByTime(400)
    expect(order).toEqual([3, 2, 1, 1, 0, 0])
  })

  it('stops its interval when nothing waits', () => {
    const wheel = new Wheel(100)
    const probe = new Probe()
    wheel.arm(probe)
    expect(vi.getTimerCount()).toBe(1)
    wheel.remove(probe)
    vi.advanceTimersByTime(50)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('Deadlines', () => {
  it('has one wheel per duration, and none for 0 and Infinity', () => {
    const deadlines = new Deadlines()
    expect(deadlines.of(100)).toBe(deadlines.of(100))
    expect(deadlines.of(0)).toBeUndefined()
    expect(deadlines.of(Number.POSITIVE_INFINITY)).toBeUndefined()
  })
})

describe('withTimeout()', () => {
  it('answers the value in time, else TIMED_OUT; rejects as the promise does', async () => {
    expect(await withTimeout(Promise.resolve(1), 10)).toBe(1)
    await expect(withTimeout(Promise.reject(new Error('x')), 10)).rejects.toThrow('x')
    const late = withTimeout(new Promise(() => undefined), 10)
    await vi.advanceTimersByTimeAsync(11)
    expect(await late).toBe(TIMED_OUT)
    const forever = Promise.resolve(2)
    expect(withTimeout(forever, 0)).toBe(forever)
  })

  it('waits longer than one timer can count', async () => {
    const days = 60 * 86_400_000
    let ended: unknown
    withTimeout(new Promise(() => undefined), days).then((value) => {
      ended = value
    })
    await vi.advanceTimersByTimeAsync(days - 1)
    expect(ended).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toBe(TIMED_OUT)
  })

  it('leaves no timer behind when the value comes within the first leg of a long wait', async () => {
    let give: (value: number) => void = () => undefined
    const late = withTimeout(
      new Promise<number>((resolve) => {
        give = resolve
      }),
      2 ** 40,
    )
    give(1)
    expect([await late, vi.getTimerCount()]).toEqual([1, 0])
  })
})
