import { lstatSync, opendirSync } from 'node:fs'
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

/** What the globs of a call may cost: names read in directories, and those that match. */
export interface GlobBudget {
  entriesLeft: number
  matchesLeft: number
}

class Overflow extends Error {}

/** Names in `dir` that the segment matches; counts what it looks at. */
function* list(dir: string, name: string, budget: GlobBudget): Generator<string> {
  const wanted = compile(name)
  const showsHidden = plainText(name).startsWith('.')
  let handle: ReturnType<typeof opendirSync>
  try {
    handle = opendirSync(dir)
  } catch {
    return
  }
  try {
    if (showsHidden) for (const dots of ['.', '..']) if (wanted.matches(dots)) yield dots
    for (let entry = handle.readSync(); entry; entry = handle.readSync()) {
      if (--budget.entriesLeft < 0) throw new Overflow()
      if (entry.name.startsWith('.') && !showsHidden) continue
      if (!wanted.matches(fold(entry.name))) continue
      if (--budget.matchesLeft < 0) throw new Overflow()
      yield entry.name
    }
  } finally {
    handle.closeSync()
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/**
 * Expands a glob word as bash does and judges every match, each directory before it is read. Matches more than
 * bash where locales and options differ, never less, `dotglob` and `globstar` aside.
 */
export function expandShellGlob(
  pattern: string,
  cwd: string,
  home: string,
  budget: GlobBudget,
  judge: (path: string) => Finding | undefined,
): Finding | undefined {
  const whole = pattern.startsWith('~/') ? home + pattern.slice(1) : pattern
  const names = whole.split('/')
  // Not tidied: the kernel follows links before "..", and so must this.
  const onDisk = (path: string): string => (path.startsWith('/') ? path : `${cwd}/${path}`)
  let matches = 0
  const visit = (prefix: string, index: number, isListed = false): Finding | undefined => {
    const name = names[index]
    if (name === undefined) {
      if (!isListed && !isThere(onDisk(prefix))) return undefined
      matches++
      return judge(prefix)
    }
    const isLast = index === names.length - 1
    const next = (entry: string): string => prefix + entry + (isLast ? '' : '/')
    if (!MAGIC.test(name)) return visit(next(plainText(name)), index + 1)
    const found = judge(prefix === '' ? '.' : prefix)
    if (found) return found
    for (const entry of list(onDisk(prefix), name, budget)) {
      const bad = visit(next(entry), index + 1, isLast)
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
  return matches === 0 ? judge(plainText(whole)) : undefined
}
