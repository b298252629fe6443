import type { BadArgument, CallArguments, TextArgument } from './arguments.ts'
import type { ToolFacts } from './catalogue.ts'
import { type Finding, finding } from './finding.ts'
import { judgePatch } from './judge-patch.ts'
import { patchBudget, patchPaths } from './patch.ts'
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
  const dirs = startsOf(args, policy, use)
  if ('found' in dirs) return dirs
  const tooMuch = tooMuchFrom(dirs.length, args)
  if (tooMuch) return tooMuch
  const everywhere = (judge: (dir: string) => Finding | undefined): Finding | undefined => {
    for (const dir of dirs) {
      const found = judge(dir)
      if (found) return found
    }
    return undefined
  }
  for (const argument of args.paths) {
    if (args.cwds.some(({ at }) => at === argument.at)) continue
    const found = argument.text.startsWith('/')
      ? policy.judge(argument.text, use)
      : everywhere((dir) => policy.judge(argument.text, use, dir))
    if (found) return { at: argument.at, found }
  }
  for (const { at, text } of args.addresses) {
    const first = text.slice(0, text.indexOf('/'))
    const found = everywhere((dir) =>
      policy.exists(first, dir) ? policy.judgeWord(text, use, dir) : undefined,
    )
    if (found) return { at, found }
  }
  return (
    judgeGlobs(args, facts, policy, use, dirs) ??
    judgePatches(args.patches, policy, dirs.length, everywhere) ??
    judgeHere(args, facts, policy, use)
  )
}

/** Most directories that relative paths are judged from. */
const MAX_STARTS = 4

/** The directories that relative paths may start from: the workspace, and what top arguments name. */
function startsOf(
  args: CallArguments,
  policy: PathPolicy,
  use: PathUse,
): readonly string[] | BadArgument {
  const starts = new Set([policy.cwd])
  for (const { at, text } of args.cwds) {
    const found = policy.judge(text, use)
    if (found) return { at, found }
  }
  for (const { at, text } of [...args.cwds, ...args.bases]) {
    if (isAlone(at, args)) continue
    for (const dir of policy.directories(text)) starts.add(dir)
    if (starts.size <= MAX_STARTS) continue
    const reason = `relative paths could start from more than ${MAX_STARTS} directories; split the call`
    return { at, found: finding('arguments', reason) }
  }
  return [...starts]
}

/** True when nothing else in the call could start from what the argument names. */
function isAlone(at: string, { paths, globs, patches, addresses }: CallArguments): boolean {
  const named = paths.length + globs.length + patches.length + addresses.length
  return named === 0 || (named === 1 && paths[0]?.at === at)
}

/** Most names, and characters of them, that are read, each as often as there are directories to start from. */
const MAX_READ = 1000
const MAX_CHARACTERS = 65_536

function tooMuchFrom(starts: number, args: CallArguments): BadArgument | undefined {
  const named = [...args.paths, ...args.globs]
  const characters = named.reduce((sum, { text }) => sum + text.length, 0)
  if (
    (named.length + args.addresses.length) * starts <= MAX_READ &&
    characters * starts <= MAX_CHARACTERS
  )
    return undefined
  const reason = `the call names too many files that could start from ${starts} directories; split it`
  return { at: 'arguments', found: finding('arguments', reason) }
}

/** True when a call names a file, or its tool works on some anyway. */
export function touchesFiles(args: CallArguments, facts: ToolFacts | undefined): boolean {
  return (
    args.paths.length + args.globs.length + args.patches.length > 0 ||
    args.bad !== undefined ||
    args.cwds.length > 0 ||
    facts?.worksHere !== undefined ||
    [facts?.paths, facts?.globs, facts?.patches].some(
      (names) => names !== undefined && names.length > 0,
    )
  )
}

/** A glob of a known tool starts in the directories that its call names beside it. */
function judgeGlobs(
  args: CallArguments,
  facts: ToolFacts | undefined,
  policy: PathPolicy,
  use: PathUse,
  dirs: readonly string[],
): BadArgument | undefined {
  if (args.globs.length === 0) return undefined
  const below = args.paths.filter(
    ({ at }) =>
      facts?.globs && facts.paths?.includes(at) && args.cwds.every((cwd) => cwd.at !== at),
  )
  const named = new Set(below.flatMap(({ text }) => policy.directories(text)))
  const from = named.size > 0 ? named : dirs
  const [first] = args.globs
  if (first && args.globs.every(({ text }) => text.startsWith('!'))) {
    // All but what is left out.
    for (const dir of from) {
      const found = policy.judge('.', use, dir)
      if (found) return { at: first.at, found }
    }
  }
  for (const { at, text } of args.globs) {
    for (const dir of from) {
      const found = policy.judgeGlob(text, use, dir) ?? judgeAsName(text, policy, use, dir)
      if (found) return { at, found }
    }
  }
  return undefined
}

/** Where the disk holds what a glob begins with, letter by letter, tools may take the whole for a name. */
function judgeAsName(
  glob: string,
  policy: PathPolicy,
  use: PathUse,
  dir: string,
): Finding | undefined {
  const magic = /^[^*?[\]{}()!\\]*[^/]*/.exec(glob)?.[0] ?? glob
  return policy.exists(magic, dir) ? policy.judgeWord(glob, use, dir) : undefined
}

function judgePatches(
  patches: readonly TextArgument[],
  policy: PathPolicy,
  starts: number,
  everywhere: (judge: (dir: string) => Finding | undefined) => Finding | undefined,
): BadArgument | undefined {
  const budget = patchBudget(starts)
  for (const { at, text } of patches) {
    const paths = patchPaths(text, budget)
    if (typeof paths === 'string') {
      return { at, found: finding('patch', `the patch cannot be judged: ${paths}`) }
    }
    const found = everywhere((dir) =>
      judgePatch(
        paths,
        (name) => policy.exists(name, dir),
        (path) => policy.judgeWord(path, 'write', dir),
      ),
    )
    if (found) return { at, found }
  }
  return undefined
}

function judgeHere(
  args: CallArguments,
  facts: ToolFacts | undefined,
  policy: PathPolicy,
  use: PathUse,
): BadArgument | undefined {
  if (args.paths.length + args.patches.length + args.cwds.length > 0) return undefined
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
