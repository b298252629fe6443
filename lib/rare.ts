import type { Fault } from './outcome.ts'
import type { Entry } from './steps.ts'
import type { AskRequest, HeldCall, Params } from './types.ts'

/** Someone who asked for a person's decision. */
export interface Asked {
  readonly name: string
  /** The hook or function, since names need not be unique. */
  readonly from: object
  readonly phase: 'check' | 'before' | 'middleware'
  readonly request: AskRequest
}

/** Whether two questions are of the same asker. */
export function sameAsker(one: Asked, other: Asked): boolean {
  return one.from === other.from && one.name === other.name
}

/** One hook's or middleware's opinion, for `explain`. */
export interface OpinionRecord {
  readonly hook: string
  readonly phase: 'check' | 'before' | 'recheck' | 'middleware'
  readonly opinion: 'none' | 'deny' | 'ask' | 'rewrite' | 'failed'
  readonly code?: string | undefined
  readonly reason?: string | undefined
  readonly rule?: string | undefined
  readonly params?: Params | undefined
}

/** What `explain` and `check` learn from a call. */
export interface Judging {
  /** In the order in which they were told, each with the place of who has it in the plan. */
  readonly opinions: Array<{ readonly record: OpinionRecord; readonly position: number }>
  /** Allowed and asked calls keep what they took from limits. */
  readonly keep: boolean
  /** Nobody has blocked on the way to the gate, and the gate's re-check has passed. */
  passed: boolean
}

/** Parts of a call that most calls never need. */
export interface Rare {
  id: string | undefined
  json: string | undefined
  jsonOf: Params | undefined
  state: Map<unknown, unknown> | undefined
  execEnv: Readonly<Record<string, string>> | undefined
  response: { readonly value: unknown } | undefined
  transforms: Array<{ readonly fn: (chunk: unknown) => unknown; readonly by: string }> | undefined
  held: HeldCall | undefined
  /** Hooks that a middleware function ran through `adapt`; the plan does not know them. */
  inner: Entry[] | undefined
  /** Under `explain` and `check`: who said what, and whether reservations stay. */
  judging: Judging | undefined
  hookMs: number
  waitMs: number
  /** The params as they came, once they were replaced. */
  original: Params | undefined
  aborted: { readonly reason: unknown } | undefined
  /** Decided while the tool was running: the outcome when it ends. */
  verdictWhenDone: Fault | undefined
  /** A middleware has called `ctx.deny`. */
  denied: boolean
  /** Params fixed by an approval, and why: changing them without asking again blocks. */
  fixedBy: string | undefined
  rechecking: boolean
  asks: Asked[] | undefined
  /** The approver has taken the question, and tells the askers what comes of it. */
  put: boolean
  /** The highest position that changed the params; hooks up to it are checked again at the gate. */
  rewrittenAt: number
  /** A middleware has answered in the tool's place. */
  answered: boolean
  /** The after-budget is used up: nothing more is waited for. */
  budgetSpent: boolean
}

/** No hook or middleware has changed the params. */
export const NO_REWRITE = -1

/** None of it has been needed. */
export function noneYet(): Rare {
  return {
    id: undefined,
    json: undefined,
    jsonOf: undefined,
    state: undefined,
    execEnv: undefined,
    response: undefined,
    transforms: undefined,
    held: undefined,
    inner: undefined,
    judging: undefined,
    hookMs: 0,
    waitMs: 0,
    original: undefined,
    aborted: undefined,
    verdictWhenDone: undefined,
    denied: false,
    fixedBy: undefined,
    rechecking: false,
    asks: undefined,
    put: false,
    rewrittenAt: NO_REWRITE,
    answered: false,
    budgetSpent: false,
  }
}
