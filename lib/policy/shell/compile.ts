import type { ProgramRule, WordUse } from './programs/rule.ts'

/** What a flag means to a program. */
type Meaning =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'flag' | 'glued' }
  | { readonly kind: 'value' | 'pair'; readonly use: WordUse }

/** What a word may not look like. */
interface Refusal {
  readonly pattern: RegExp
  readonly reason: string
}

/** A rule made ready: its flags by name. */
export interface CompiledRule {
  readonly rule: ProgramRule
  readonly flags: ReadonlyMap<string, Meaning>
  readonly instead: ReadonlySet<string>
  readonly harmless: ReadonlySet<string>
  readonly required: ReadonlySet<string>
  readonly refuseOperands: readonly Refusal[]
  readonly refuseWords: readonly Refusal[]
  /** Both. */
  readonly refusals: readonly Refusal[]
}

/** The names in a list with blanks between them. */
export const names = (list: string | undefined): string[] =>
  list?.split(/\s+/).filter(Boolean) ?? []

export function compileRule(rule: ProgramRule): CompiledRule {
  const flags = new Map<string, Meaning>()
  const put = (list: string | undefined, meaning: Meaning) => {
    for (const name of names(list)) flags.set(name, meaning)
  }
  // Known by their whole names, so that no beginning of one passes for another flag.
  for (const [list, other] of Object.entries(rule.onlyWith ?? {})) {
    put(`${list} ${other}`, { kind: 'flag' })
  }
  put(rule.flags, { kind: 'flag' })
  put(rule.glued, { kind: 'glued' })
  for (const [use, list] of Object.entries(rule.values ?? {})) {
    put(list, { kind: 'value', use: use as WordUse }) // Object.entries widens the keys
  }
  for (const [use, list] of Object.entries(rule.pairs ?? {})) {
    put(list, { kind: 'pair', use: use as WordUse }) // as above
  }
  for (const [list, reason] of Object.entries(rule.refuse ?? {})) {
    put(list, { kind: 'refused', reason })
  }
  const refuseOperands = refusals(rule.refuseOperands)
  const refuseWords = refusals({
    ...rule.refuseWords,
    ...(rule.responseFiles && { '^@': 'it takes more words from that file; write them out' }),
  })
  return {
    rule,
    flags,
    instead: new Set(names(rule.instead)),
    harmless: new Set(names(rule.needsOperand)),
    required: new Set(names(rule.requires)),
    refuseOperands,
    refuseWords,
    refusals: [...refuseOperands, ...refuseWords],
  }
}

function refusals(list: Readonly<Record<string, string>> = {}): readonly Refusal[] {
  return Object.entries(list).map(([pattern, reason]) => ({ pattern: new RegExp(pattern), reason }))
}

/** Compiles a rule, or finds it compiled. */
export type Compile = (rule: ProgramRule) => CompiledRule
