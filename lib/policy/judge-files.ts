import type { BadArgument, CallArguments, TextArgument } from './arguments.ts'
import type { ToolFacts } from './catalogue.ts'
import { type Finding, finding } from './finding.ts'
import { type PatchPath, patchBudget, patchPaths } from './patch.ts'
import type { PathPolicy, PathUse } from './paths.ts'

/** Judges the files that a call names: paths, globs and patches; and where it works when it names none. */
export function judgeFiles(
  args: CallArguments,
  facts: ToolFacts | undefined,
  standing: PathPolicy,
  use: PathUse,
): BadArgument | undefined {
  if (args.bad) return args.bad
  const policy = standing.begin()
  const dirs = [policy.cwd]
  if (args.cwd) {
    const found = policy.judge(args.cwd.text, use)
    if (found) return { at: args.cwd.at, found }
    const entered = policy.enter(args.cwd.text)
    if ('dir' in entered && entered.dir !== policy.cwd) dirs.push(entered.dir)
  }
  const everywhere = (judge: (dir: string) => Finding | undefined): Finding | undefined => {
    for (const dir of dirs) {
      const found = judge(dir)
      if (found) return found
    }
    return undefined
  }
  for (const argument of args.paths) {
    if (argument.at === args.cwd?.at) continue
    const found = everywhere((dir) => policy.judge(argument.text, use, dir))
    if (found) return { at: argument.at, found }
  }
  return (
    judgeGlobs(args, facts, policy, use, dirs) ??
    judgePatches(args.patches, policy, everywhere) ??
    judgeHere(args, facts, policy, use)
  )
}

/** True when a call names a file, or its tool works on some anyway. */
export function touchesFiles(args: CallArguments, facts: ToolFacts | undefined): boolean {
  return (
    args.paths.length + args.globs.length + args.patches.length > 0 ||
    args.bad !== undefined ||
    args.cwd !== undefined ||
    facts?.worksHere !== undefined ||
    [facts?.paths, facts?.globs, facts?.patches].some(
      (names) => names !== undefined && names.length > 0,
    )
  )
}

/** A glob starts in the directory that its call names beside it. */
function judgeGlobs(
  args: CallArguments,
  facts: ToolFacts | undefined,
  policy: PathPolicy,
  use: PathUse,
  dirs: readonly string[],
): BadArgument | undefined {
  if (args.globs.length === 0) return undefined
  const from = new Set(dirs)
  if (facts?.globs) {
    const below = args.paths.find(({ at }) => facts.paths?.includes(at) && at !== args.cwd?.at)
    if (below) {
      const entered = policy.enter(below.text)
      if ('dir' in entered) {
        from.clear()
        from.add(entered.dir)
      }
    }
  }
  for (const { at, text } of args.globs) {
    for (const dir of from) {
      const found = policy.judgeGlob(text, use, dir)
      if (found) return { at, found }
    }
  }
  return undefined
}

function judgePatches(
  patches: readonly TextArgument[],
  policy: PathPolicy,
  everywhere: (judge: (dir: string) => Finding | undefined) => Finding | undefined,
): BadArgument | undefined {
  const budget = patchBudget()
  for (const { at, text } of patches) {
    const paths = patchPaths(text, budget)
    if (typeof paths === 'string') {
      return { at, found: finding('patch', `the patch cannot be judged: ${paths}`) }
    }
    const found = everywhere((dir) => judgePatch(paths, policy, dir))
    if (found) return { at, found }
  }
  return undefined
}

function judgePatch(
  paths: readonly PatchPath[],
  policy: PathPolicy,
  dir: string,
): Finding | undefined {
  for (const { path, stripped, isPrefixed } of paths) {
    const first = path.slice(0, Math.max(0, path.indexOf('/')))
    if (!isPrefixed || policy.exists(first, dir)) {
      const found = policy.judgeWord(path, 'write', dir)
      if (found) return found
    }
    if (stripped !== undefined) {
      const found = policy.judgeWord(stripped, 'write', dir)
      if (found) return found
    }
  }
  return undefined
}

function judgeHere(
  args: CallArguments,
  facts: ToolFacts | undefined,
  policy: PathPolicy,
  use: PathUse,
): BadArgument | undefined {
  if (args.paths.length + args.patches.length > 0 || args.cwd) return undefined
  if (facts?.worksHere === undefined) {
    const expected = [...(facts?.paths ?? []), ...(facts?.globs ?? []), ...(facts?.patches ?? [])]
    if (expected.length === 0 || args.globs.length > 0) return undefined
    const reason = `no file is named; give it as ${expected[0]}`
    return { at: expected[0] as string, found: finding('arguments', reason) }
  }
  if (facts.worksHere === 'without-glob' && args.globs.length > 0) return undefined
  const found = policy.judge('.', use)
  return found && { at: facts.paths?.[0] ?? 'cwd', found }
}
