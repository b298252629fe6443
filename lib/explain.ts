import type { Run } from './context.ts'
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
function withSilent(run: Run, judging: Judging): readonly OpinionRecord[] {
  const spoke = new Set(judging.opinions.map(({ hook }) => hook))
  const stopped = judging.passed ? undefined : judging.opinions.at(-1)?.hook
  const all: OpinionRecord[] = []
  for (const { name, check, before } of run.plan.entries) {
    if (check === undefined && before === undefined) continue
    if (spoke.has(name)) all.push(...judging.opinions.filter(({ hook }) => hook === name))
    else all.push({ hook: name, phase: check ? 'check' : 'before', opinion: 'none' })
    if (name === stopped) break
  }
  const placed = new Set(all)
  return [...all, ...judging.opinions.filter((opinion) => !placed.has(opinion))]
}
