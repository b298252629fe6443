import type { Timers } from '../../lib/deadline.ts'

/** Time that only moves when a test moves it. */
export interface ManualTime extends Timers {
  readonly now: () => number
  /** Timers that are armed. */
  readonly armed: () => number
  /** Moves on and fires what is due, in order. */
  readonly advance: (ms: number) => Promise<void>
}

export function manualTime(start = 1_000_000): ManualTime {
  let now = start
  let next = 0
  const timers = new Map<number, { readonly due: number; readonly run: () => void }>()
  return {
    now: () => now,
    armed: () => timers.size,
    setTimeout(run, ms) {
      timers.set(++next, { due: now + ms, run })
      return next
    },
    clearTimeout(timer) {
      timers.delete(timer as number)
    },
    async advance(ms) {
      now += ms
      for (const [id, { due, run }] of [...timers].sort((a, b) => a[1].due - b[1].due)) {
        if (due > now || !timers.delete(id)) continue
        run()
      }
      await settle()
    },
  }
}

/** Lets everything that is ready to go on go on. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
