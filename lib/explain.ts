import type { Run } from './context.ts'
import { NO_POSITION } from './entry.ts'
import type { Judging, OpinionRecord } from './rare.ts'
import type { Params } from './types.ts'

/** What the pipeline would say of a call. Keys that do not apply are null. */
export interface Explanation {
  readonly verdict: 'allow' | 'deny' | 'ask'
  /** The hook, middleware or `toolware` that decided. */
  readonly by: string | null
  readonly code: string | null
  readonly reason: string | null
  readonly rule: string | null
  /** The params as the tool would get them. */
  readonly params: Params
  /** Everybody's opinion, in the order in which they were asked. */
  readonly opinions: readonly OpinionRecord[]
}

/** Sums up what a judged call has told. */
export function explanationOf(run: Run, judging: Judging): Explanation {
  const { outcome, params } = run
  const opinions = withSilent(run, judging)
  if (judging.passed) {
    const [first] = run.asks ?? []
    if (first === undefined) {
      return { verdict: 'allow', by: null, code: null, reason: null, rule: null, params, opinions }
    }
    const reason = first.request.title
    return { verdict: 'ask', by: first.name, code: null, reason, rule: null, params, opinions }
  }
  const { code, by, reason, rule } = outcome?.failed
    ? outcome
    : {
        code: 'ABORTED',
        by: 'toolware',
        reason: 'The call never came to the gate.',
        rule: undefined,
      }
  return { verdict: 'deny', by, code, reason: reason ?? null, rule: rule ?? null, params, opinions }
}

/** Adds the hooks that were asked and had no opinion, each in its place. */
function withSilent(run: Run, { opinions }: Judging): readonly OpinionRecord[] {
  const told = opinions.filter(({ record }) => record.phase !== 'recheck')
  const spoke = new Set(told.map(({ position }) => position))
  const silent = run.plan.entries.filter(
    ({ check, before, position }) => (check ?? before) !== undefined && !spoke.has(position),
  )
  const all: OpinionRecord[] = []
  const addSilent = (end: number): void => {
    for (let next = silent[0]; next !== undefined && next.position < end; next = silent[0]) {
      const phase = next.check ? 'check' : 'before'
      all.push({ hook: next.name, phase, opinion: 'none' })
      silent.shift()
    }
  }
  for (const { record, position } of told) {
    // What a middleware runs by hand has no place; it speaks between those that have one.
    if (position !== NO_POSITION) addSilent(position)
    all.push(record)
  }
  if (run.gated) addSilent(NO_POSITION)
  return [
    ...all,
    ...opinions.map(({ record }) => record).filter(({ phase }) => phase === 'recheck'),
  ]
}
