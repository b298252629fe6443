import { resolve } from 'node:path'
import { type Finding, finding } from '../finding.ts'
import type { CommandRun } from './command.ts'
import type { ShellStep, SimpleCommand } from './types.ts'

/** A working directory as `cd` spells it and as it really is; `cd ..` goes by the first, files by the second. */
export interface Place {
  readonly spelled: string
  readonly real: string
}

/** Where the shell may be after a step, by whether the step succeeded. */
interface Exits {
  readonly ok: readonly Place[]
  readonly failed: readonly Place[]
}

/** Most working directories a text may be in at one point. */
const MAX_PLACES = 8

/** Judges every command of a script in every directory it may run in. */
export function walkSteps(step: ShellStep, run: CommandRun, start: Place): Finding | undefined {
  const exits = walk(step, run, [start])
  return 'rule' in exits ? exits : undefined
}

function walk(step: ShellStep, run: CommandRun, places: readonly Place[]): Exits | Finding {
  switch (step.kind) {
    case 'command':
      return command(step, run, places)
    case 'negated': {
      const exits = walk(step.step, run, places)
      return 'rule' in exits ? exits : { ok: exits.failed, failed: exits.ok }
    }
    case 'sequence':
      return sequence(step.steps, run, places)
    case 'and-or':
      return andOr(step.steps, step.operators, run, places)
    default:
      return compound(step, run, places)
  }
}

function sequence(
  steps: readonly ShellStep[],
  run: CommandRun,
  places: readonly Place[],
): Exits | Finding {
  let exits: Exits = { ok: places, failed: places }
  let first = true
  for (const step of steps) {
    const from = first ? places : union(exits.ok, exits.failed)
    first = false
    if ('rule' in from) return from
    const next = walk(step, run, from)
    if ('rule' in next) return next
    exits = next
  }
  return exits
}

function andOr(
  steps: readonly ShellStep[],
  operators: readonly ('&&' | '||')[],
  run: CommandRun,
  places: readonly Place[],
): Exits | Finding {
  let exits: Exits = { ok: places, failed: places }
  for (const [i, step] of steps.entries()) {
    const operator = i === 0 ? undefined : operators[i - 1]
    const from = operator === '||' ? exits.failed : operator === '&&' ? exits.ok : places
    const next = walk(step, run, from)
    if ('rule' in next) return next
    const other = operator === '||' ? exits.ok : operator === '&&' ? exits.failed : []
    const merged = union(operator === '||' ? next.ok : next.failed, other)
    if ('rule' in merged) return merged
    exits =
      operator === '||' ? { ok: merged, failed: next.failed } : { ok: next.ok, failed: merged }
  }
  return exits
}

type Compound = Extract<ShellStep, { readonly kind: 'apart' | 'group' }>

function compound(step: Compound, run: CommandRun, places: readonly Place[]): Exits | Finding {
  for (const place of places) {
    const found = run.redirects(step.redirects, place)
    if (found !== undefined) return found
  }
  for (const inner of step.inner) {
    const exits = walk(inner, run, places)
    if ('rule' in exits) return exits
  }
  let last: Exits = { ok: places, failed: places }
  for (const each of step.steps) {
    const exits = walk(each, run, places)
    if ('rule' in exits) return exits
    last = exits
  }
  if (step.kind === 'group') {
    const failed = step.mayNotRun ? union(last.failed, places) : last.failed
    return 'rule' in failed ? failed : { ok: last.ok, failed }
  }
  // In some shells the last part of a pipeline runs in the shell itself.
  if (step.steps.length === 1) return { ok: places, failed: places }
  const after = union(places, [...last.ok, ...last.failed])
  return 'rule' in after ? after : { ok: after, failed: after }
}

function command(step: SimpleCommand, run: CommandRun, places: readonly Place[]): Exits | Finding {
  for (const inner of step.inner) {
    const exits = walk(inner, run, places)
    if ('rule' in exits) return exits
  }
  const entered: Place[] = []
  const changes = step.words[0]?.text === 'cd'
  for (const place of places) {
    const found = run.judge(step, place)
    if (found !== undefined) return found
    if (!changes) continue
    const to = changeDirectory(step, run, place)
    if ('rule' in to) return to
    entered.push(to)
  }
  if (!changes) return { ok: places, failed: places }
  const mayFail = step.mayNotRun || run.mayFailToEnter(entered)
  return { ok: entered, failed: mayFail ? places : entered }
}

function changeDirectory(step: SimpleCommand, run: CommandRun, place: Place): Place | Finding {
  const refuse = (reason: string) => finding('shell program: cd', `cd: ${reason}`, step.canonical)
  const words = step.words.slice(1)
  if (words[0]?.text === '--') words.shift()
  const [target] = words
  if (target === undefined || words.length > 1) return refuse('name one directory')
  if (target.text === '' || target.text.startsWith('-')) return refuse('name a directory, no flags')
  const { glob, literalTilde, ansiC, composed } = target
  if (glob !== undefined || literalTilde || ansiC || composed) {
    return refuse('write the directory out')
  }
  if (run.paths === undefined) {
    const spelled = resolve(place.spelled, target.text)
    return { spelled, real: spelled }
  }
  const entered = run.paths.enter(target.text, place.real)
  if ('found' in entered) return entered.found
  const spelled = target.text.startsWith('~/') ? entered.dir : resolve(place.spelled, target.text)
  const followed = run.paths.enter(spelled, place.real)
  if ('found' in followed) return followed.found
  return followed.dir === entered.dir
    ? { spelled, real: entered.dir }
    : refuse('`..` after a link means different places to different shells; use a full path')
}

function union(a: readonly Place[], b: readonly Place[]): readonly Place[] | Finding {
  const all = [...a]
  for (const place of b) {
    if (!all.some(({ spelled, real }) => spelled === place.spelled && real === place.real)) {
      all.push(place)
    }
  }
  return all.length > MAX_PLACES
    ? finding('shell: limits', 'the working directory changes too often; use paths instead of cd')
    : all
}
