import { homedir } from 'node:os'
import { posix } from 'node:path'
import { configError } from '../errors.ts'
import { type Finding, finding, shorten } from './finding.ts'
import { withoutCase } from './fold.ts'
import { forbiddenPaths } from './forbidden.ts'
import { openGround } from './ground.ts'
import { judgePath, judgePlace, type PathRules, type PathUse } from './judge-path.ts'
import { expandShellGlob, type GlobBudget, type GlobGuard } from './shell-glob.ts'
import { type PathPlatform, readSpelling } from './spelling.ts'
import { negatedGlob, toolGlob } from './tool-glob.ts'
import { kindOf, type StepBudget } from './walk.ts'

export type { PathUse } from './judge-path.ts'
export type { PathPlatform } from './spelling.ts'

/**
 * Judges paths: where they lead, whether that is allowed, and whether it is forbidden. Synchronous; looks at
 * the disk when the platform judged is this machine's.
 *
 * `cwd` is always an absolute directory that `enter` gave, or left out for `policy.cwd`.
 */
export interface PathPolicy {
  /** True when any path could be refused for where it leads. */
  readonly restricted: boolean
  /** Where relative paths start: `workspaceRoot`, else the working directory. */
  readonly cwd: string
  /** A path argument of a tool: `file:` URLs are understood, other schemes refused. */
  judge(spelled: string, use: PathUse, cwd?: string): Finding | undefined
  /** An operand or redirect target of a command, quotes removed: as `judge`, but `a:b` is a plain name. */
  judgeWord(word: string, use: PathUse, cwd?: string): Finding | undefined
  /** A glob that a tool or a program expands itself: where it begins, and whether it names something forbidden. */
  judgeGlob(pattern: string, use: PathUse, cwd?: string): Finding | undefined
  /**
   * A word with unquoted `*`, `?` or `[`, expanded on disk as bash does (no dotglob, no globstar), at most
   * 1000 entries looked at, and as many matches. Quoted characters are escaped with a backslash. Every match is judged; without a
   * match, the pattern itself as a name.
   *
   * @param asWord Judges each match as a word.
   */
  judgeShellGlob(
    pattern: string,
    use: PathUse,
    cwd?: string,
    asWord?: (name: string) => Finding | undefined,
  ): Finding | undefined
  /** True when the word names an entry in `cwd`, dangling links included. */
  exists(word: string, cwd?: string): boolean
  /** Where `cd` to this directory leads. Refused like a read, and when it is no directory. */
  enter(spelled: string, cwd?: string): { readonly dir: string } | { readonly found: Finding }
  /** The directories a path argument of a tool may lead to, without links; none when there are none. Judges nothing. */
  directories(spelled: string): readonly string[]
  /** The same policy for one call: it remembers answers, and what it looks at on disk has one budget. */
  begin(): PathPolicy
}

/** What {@link pathPolicy} takes. */
export interface PathPolicyOptions {
  /** Where relative paths start. Default: the working directory. */
  readonly base?: string | undefined
  /** The only directories that may be touched, relative to `base`, and the rule that says so. Unset: any. */
  readonly within?: { readonly rule: string; readonly dirs: readonly string[] } | undefined
  readonly forbidden?: readonly unknown[] | undefined
  /** False refuses to write to a file that has another name as well. Default: true. */
  readonly allowHardLinkWrites?: boolean | undefined
  /** The configuration key of `base`, for error texts. Default `workspaceRoot`. */
  readonly baseKey?: string | undefined
  /** Default: this machine's. Another machine's paths are judged by their spelling only. */
  readonly platform?: PathPlatform | undefined
  /** Compare allowed directories without case. Default: true on win32. Forbidding always does. */
  readonly caseInsensitive?: boolean | undefined
  /** Default: the home directory of this process. */
  readonly home?: string | undefined
}

/** What one call may cost: entries listed for shell globs and their matches, directories looked at, alternatives of globs. */
const MAX_ENTRIES = 1000
const MAX_MATCHES = 1000
const MAX_STEPS = 2500
const MAX_GLOBS = 64
/** Directories that a path does not plainly lead to, and names that are nothing but letters. */
const UNEVEN = /(?:^|\/)\.\.(?:\/|$)|[^\w./+@=,-]/
const PLAIN = /^[\w.+@=,-]+$/

/** The platform of this process, as path policies name it. */
export function hostPlatform(): PathPlatform {
  return process.platform === 'win32' ? 'win32' : 'posix'
}

/**
 * Makes a path policy. The base is resolved once; when another directory stands in its place later, every
 * path is refused.
 *
 * @throws {ToolwareError} `CONFIG` when the base is no directory or a glob is not acceptable.
 */
export function pathPolicy(options: PathPolicyOptions = {}): PathPolicy {
  const platform = options.platform ?? hostPlatform()
  const home = options.home ?? homedir()
  const ground = openGround(options.base ?? process.cwd(), platform, options.baseKey)
  const insensitive = options.caseInsensitive ?? platform === 'win32'
  const same = (path: string): string => (insensitive ? withoutCase(path) : path)
  const slashed = (path: string): string =>
    platform === 'win32' ? path.replaceAll('\\', '/') : path
  const dirs = options.within?.dirs.map((dir) => {
    const spelled = dir === '~' || dir.startsWith('~/') ? home + dir.slice(1) : dir
    const place = ground.place(spelled, ground.dir)
    if (typeof place !== 'string') return same(place.real)
    throw configError(options.within?.rule ?? 'allowedPaths', `"${shorten(dir)}": ${place}`)
  })
  const forbidden =
    options.forbidden && options.forbidden.length > 0
      ? forbiddenPaths(options.forbidden, {
          path: 'forbiddenPathGlobs',
          bases: [...new Set([slashed(ground.lexical), slashed(ground.dir)])],
          home: slashed(home),
          platform,
          follow: (path) => ground.follow(path),
        })
      : undefined
  const rules: PathRules = {
    platform,
    home,
    ground,
    dirs,
    forbidden,
    same,
    rule: options.within?.rule,
    allowsSharedWrites: options.allowHardLinkWrites ?? true,
  }
  return judgeOver(rules, undefined)
}

interface Scope extends StepBudget, GlobBudget {
  globsLeft: number
  readonly answers: Map<string, Finding | undefined>
}

function judgeOver(rules: PathRules, scope: Scope | undefined): PathPolicy {
  const { ground, platform, home } = rules

  const judgeText = (
    text: string,
    use: PathUse,
    cwd: string,
    schemes: boolean,
  ): Finding | undefined => {
    const spelled = readSpelling(text, { platform, home, schemes })
    if ('rule' in spelled) return spelled
    for (const [i, path] of spelled.entries()) {
      if (i > 0 && !ground.exists('~', cwd)) continue
      const found = judgePath(rules, path, text, use, cwd, scope)
      if (found) return found
    }
    return undefined
  }
  const remember = (key: string, judge: () => Finding | undefined): Finding | undefined => {
    if (scope === undefined) return judge()
    if (!scope.answers.has(key)) scope.answers.set(key, judge())
    return scope.answers.get(key)
  }
  /** For entries of a directory whose place is known: each is as its path would be, without a walk. */
  const open = (path: string, cwd: string, use: PathUse): ReturnType<GlobGuard['open']> => {
    if (platform !== 'posix' || UNEVEN.test(path)) return undefined
    // An entry of a directory does not tell how many names its file has.
    if (use === 'write' && !rules.allowsSharedWrites) return undefined
    const dir = ground.enter(path === '' ? '.' : path, cwd, scope)
    if (dir === undefined) return undefined
    const [tidied, followed] = [posix.resolve(cwd, path), dir].map((each) =>
      each === '/' ? each : `${each}/`,
    )
    return (entry, spelled) => {
      if (entry.isSymbolicLink() || !PLAIN.test(entry.name)) {
        return judgeText(spelled, use, cwd, false)
      }
      const [plain, real] = [tidied + entry.name, followed + entry.name]
      return judgePlace(
        rules,
        {
          real,
          reals: [real],
          marks: plain === real ? [real] : [plain, real],
          special: kindOf(entry) === 'special',
          isShared: false,
        },
        spelled,
        use,
      )
    }
  }
  const policy: PathPolicy = {
    restricted:
      rules.dirs !== undefined || rules.forbidden !== undefined || !rules.allowsSharedWrites,
    cwd: ground.dir,
    judge: (text, use, cwd = ground.dir) => judgeText(text, use, cwd, true),
    judgeWord: (word, use, cwd = ground.dir) =>
      remember(`${use} ${cwd}\0${word}`, () => judgeText(word, use, cwd, false)),
    judgeGlob: (pattern, use, cwd = ground.dir) => {
      if (pattern.startsWith('!')) {
        const negated = negatedGlob(pattern)
        if ('rule' in negated) return negated
        return negated.glob === undefined ? undefined : policy.judgeGlob(negated.glob, use, cwd)
      }
      const glob = toolGlob(pattern, platform)
      if ('rule' in glob) return glob
      if (scope) scope.globsLeft -= glob.filter(({ segments }, i) => segments || i > 0).length
      if (scope && scope.globsLeft < 0) {
        return finding('path', 'the call has too many globs; split it', pattern)
      }
      for (const base of new Set(glob.map((each) => each.base))) {
        const found = policy.judge(base, use, cwd)
        if (found) return { ...found, value: shorten(pattern) }
      }
      const globs = glob.flatMap(({ segments }) => (segments ? [segments(cwd, home)] : []))
      const named = rules.forbidden?.named(globs)
      return named === undefined
        ? undefined
        : finding(
            `forbiddenPathGlobs: ${named}`,
            'the glob names forbidden files; leave them out of it',
            pattern,
          )
    },
    judgeShellGlob: (pattern, use, cwd = ground.dir, asWord) => {
      const budget = scope ?? { entriesLeft: MAX_ENTRIES, matchesLeft: MAX_MATCHES }
      const expand = () =>
        expandShellGlob(pattern, cwd, home, budget, {
          judge: (path) => judgeText(path, use, cwd, false),
          open: (dir) => open(dir, cwd, use),
          asWord,
        })
      return asWord ? expand() : remember(`${use} ${cwd}\0${pattern}\0glob`, expand)
    },
    exists: (word, cwd = ground.dir) => ground.exists(word, cwd),
    enter: (spelled, cwd = ground.dir) => {
      const found = judgeText(spelled, 'read', cwd, false)
      if (found) return { found }
      const path = spelled === '~' || spelled.startsWith('~/') ? home + spelled.slice(1) : spelled
      const dir = ground.enter(path, cwd, scope)
      return dir === undefined
        ? {
            found: finding(
              'path',
              'there is no such directory to work in; create it or name another',
              spelled,
            ),
          }
        : { dir }
    },
    directories: (spelled) => {
      const read = readSpelling(spelled, { platform, home, schemes: true })
      if ('rule' in read) return []
      return read.flatMap((path) => ground.enter(path, ground.dir, scope) ?? [])
    },
    begin: () =>
      judgeOver(rules, {
        entriesLeft: MAX_ENTRIES,
        matchesLeft: MAX_MATCHES,
        stepsLeft: MAX_STEPS,
        seen: new Map(),
        isIntact: false,
        globsLeft: MAX_GLOBS,
        answers: new Map(),
      }),
  }
  return policy
}
