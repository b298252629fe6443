import { type Dirent, lstatSync, opendirSync } from 'node:fs'
import { type Finding, finding } from './finding.ts'
import { fold } from './fold.ts'
import { type Segment, segment } from './glob.ts'

const MAGIC = /(?:^|[^\\])(?:\\\\)*[*?[]/

function plainText(name: string): string {
  return name.replace(/\\(.)/gsu, '$1')
}

/** As bash reads it: a set that is not closed is a plain bracket. */
function compile(name: string): Segment {
  const found = segment(name)
  if (typeof found !== 'string') return found
  const plain = segment(name.replace(/\[/g, '\\[').replace(/\\$/, ''))
  return typeof plain === 'string' ? (segment('*') as Segment) : plain
}

/** Where a shell counts bytes, as dash does, a letter that is more than one is matched by several `?` and sets. */
function compileLoosely(name: string): Segment {
  const anything = name.replace(VAGUE, (_, escaped?: string) => escaped ?? '*')
  return compile(anything.replace(/\*+/g, '*'))
}

const VAGUE = /(\\.)|\[[!^]?\]?(?:\[:[^\]]*:\]|\\.|[^\]\\])*\]|[?*]/gsu
const NON_ASCII = /[^\0-\x7f]/
/** What stands for bytes that are no text. */
const UNREADABLE = '\uFFFD'

/** What the globs of a call may cost: names read in directories, and those that match. */
export interface GlobBudget {
  entriesLeft: number
  matchesLeft: number
}

/** What an expansion asks of a path policy. */
export interface GlobGuard {
  judge(path: string): Finding | undefined
  /**
   * Opens a directory that was judged, for judging entries that a listing shows: nobody need look at each again. Undefined
   * where its entries must be judged by their paths.
   */
  open(dir: string): ((entry: Dirent, path: string) => Finding | undefined) | undefined
  /** Judges a match as the word that a program is given. */
  readonly asWord?: ((name: string) => Finding | undefined) | undefined
}

/** Opening a directory counts as so many entries. */
const DIRECTORY = 4
/** A name counts once more for each so many bytes. */
const LONG = 64
/** Fewer entries of a directory are looked at one by one. */
const MIN_LISTED = 8

class Overflow extends Error {}

/** Entries in `dir` that the segment matches; counts what it looks at. Undefined where there is nothing to list. */
function list(dir: string, name: string, budget: GlobBudget): Dirent[] | undefined {
  const wanted = compile(name)
  let loose: Segment | undefined
  const excludes = name.includes('[!')
  const showsHidden = plainText(name).startsWith('.')
  const found: Dirent[] = []
  let handle: ReturnType<typeof opendirSync>
  try {
    handle = opendirSync(dir)
  } catch {
    return undefined
  }
  budget.entriesLeft -= DIRECTORY
  try {
    for (let entry = handle.readSync(); entry; entry = handle.readSync()) {
      budget.entriesLeft -= 1 + Math.floor(Buffer.byteLength(entry.name) / LONG)
      if (budget.entriesLeft < 0) throw new Overflow()
      if (entry.name.startsWith('.') && !showsHidden) continue
      if (!wanted.matches(fold(entry.name))) {
        // Without case, a set that leaves letters out leaves out too many.
        const isUncertain = NON_ASCII.test(entry.name) || (excludes && /[A-Z]/.test(entry.name))
        if (!isUncertain) continue
        loose ??= compileLoosely(name)
        if (!loose.matches(fold(entry.name))) continue
      }
      if (--budget.matchesLeft < 0) throw new Overflow()
      found.push(entry)
    }
  } finally {
    handle.closeSync()
  }
  return found
}

/** `.` and `..`, where the segment matches them: a listing leaves them out. */
function dots(name: string): readonly string[] {
  if (!plainText(name).startsWith('.')) return []
  const wanted = compile(name)
  return ['.', '..'].filter((each) => wanted.matches(each))
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/**
 * Expands a glob word as bash does and judges each directory before it is read, then every match. Matches more than
 * bash where locales and options differ, never less, `dotglob` and `globstar` aside.
 */
export function expandShellGlob(
  pattern: string,
  cwd: string,
  home: string,
  budget: GlobBudget,
  { judge, open, asWord }: GlobGuard,
): Finding | undefined {
  const whole = pattern.startsWith('~/') ? home + pattern.slice(1) : pattern
  const names = whole.split('/')
  // Not tidied: the kernel follows links before "..", and so must this.
  const onDisk = (path: string): string => (path.startsWith('/') ? path : `${cwd}/${path}`)
  // Judged last: a glob that looks at too much is refused before anything it found costs more.
  const matches: Array<() => Finding | undefined> = []
  const add = (path: string, judgeMatch: () => Finding | undefined): void => {
    matches.push(() => judgeMatch() ?? asWord?.(path))
  }
  const visit = (prefix: string, index: number): Finding | undefined => {
    const name = names[index]
    if (name === undefined) {
      if (isThere(onDisk(prefix))) add(prefix, () => judge(prefix))
      return undefined
    }
    const isLast = index === names.length - 1
    const next = (entry: string): string => prefix + entry + (isLast ? '' : '/')
    if (!MAGIC.test(name)) return visit(next(plainText(name)), index + 1)
    const found = judge(prefix === '' ? '.' : prefix)
    if (found) return found
    const entries = list(onDisk(prefix), name, budget)
    if (entries === undefined) return undefined
    const unreadable = entries.find((entry) => entry.name.includes(UNREADABLE))
    if (unreadable) {
      const reason = 'the glob finds a name that is no valid text; name the files instead'
      return finding('path', reason, pattern)
    }
    if (isLast) {
      const judgeEntry = entries.length < MIN_LISTED ? undefined : open(prefix)
      for (const each of dots(name)) add(next(each), () => judge(next(each)))
      for (const entry of entries) {
        const path = next(entry.name)
        add(path, () => (judgeEntry ? judgeEntry(entry, path) : judge(path)))
      }
      return undefined
    }
    for (const entry of [...dots(name), ...entries.map((each) => each.name)]) {
      const bad = visit(next(entry), index + 1)
      if (bad) return bad
    }
    return undefined
  }
  try {
    const found = visit('', 0)
    if (found) return found
  } catch (error) {
    if (!(error instanceof Overflow)) throw error
    const reason =
      'the glob looks at more than 1000 entries, or matches more than that; name the files or a narrower directory'
    return finding('path', reason, pattern)
  }
  // Shells that match less take the pattern itself, which only matters where its directory is there.
  const literal = plainText(whole)
  const above = literal.slice(0, literal.lastIndexOf('/') + 1)
  if (matches.length === 0 || isThere(onDisk(above))) {
    const bad = judge(literal)
    if (bad) return bad
  }
  for (const judgeMatch of matches) {
    const found = judgeMatch()
    if (found) return found
  }
  return undefined
}
