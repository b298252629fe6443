import type { Run } from './context.ts'
import { advance, type Entry, type Step, stepsOf } from './steps.ts'
import { Walk } from './walk.ts'

/** The hooks whose `check` answered before the params changed. */
export function stale(run: Run): readonly Entry[] {
  const { rewrittenAt, inner = [] } = run.rare
  return [...run.plan.entries.filter(({ position }) => position <= rewrittenAt), ...inner]
}

/** Runs their `check` on the params as they are now. */
export async function recheck(run: Run, entries: readonly Entry[]): Promise<void> {
  const steps = stepsOf(entries, 'check')
  run.rare.rechecking = true
  const s = advance(run, steps, 0)
  if (run.outcome === undefined && s < steps.length) {
    await new Promise<void>((resolve) => void new Recheck(run, entries, steps, resolve).in(s))
  }
  run.rare.rechecking = false
}

class Recheck extends Walk {
  readonly #resolve: () => void

  constructor(run: Run, entries: readonly Entry[], steps: readonly Step[], resolve: () => void) {
    super(run, entries, steps)
    this.#resolve = resolve
  }

  protected passed(): void {
    this.end()
    this.#resolve()
  }

  protected stopped(): void {
    this.passed()
  }

  protected left(): void {}
}

/** Every hook that judges this call. */
export function everyone(run: Run): readonly Entry[] {
  return [...run.plan.entries, ...(run.rare.inner ?? [])]
}
