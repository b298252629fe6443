import { lstatSync, readlinkSync, type Stats } from 'node:fs'

/** What a path leads to. `special`: a device, a pipe or a socket. */
export type Kind = 'directory' | 'file' | 'special'

/** Where a path leads on disk. */
export interface Walked {
  /** Absolute, without links, `.` and `..`. Where something is missing, the rest as spelled. */
  readonly real: string
  /** What is there; undefined when nothing is. */
  readonly kind: Kind | undefined
  /** True for a file that has another name as well (a hard link). */
  readonly isShared: boolean
  /** The places of the links that were followed, each without links before it. */
  readonly links: readonly string[]
}

/** Looks at the disk that are left for one call, and what it has seen there: it looks once. */
export interface StepBudget {
  stepsLeft: number
  /** Real directories, no links. */
  readonly seen: Map<string, Kind>
  /** True once the directory that relative paths start from was found to be the one it was. */
  isIntact: boolean
}

const MAX_LINKS = 40
const MAX_STEPS = 512
/** What following a link costs beyond a step. */
const LINK = 3
const NO_LINKS: readonly string[] = []
const TOO_LONG = `the path has more than ${MAX_STEPS} steps`
const TOO_MANY = 'the call names too many directories at once'

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'a directory on the way may not be searched',
  EPERM: 'a directory on the way may not be searched',
  ELOOP: 'the links on the way lead round in circles',
  ENOTDIR: 'something on the way is not a directory',
  ENAMETOOLONG: 'a name in the path is too long',
}

function cause(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return CAUSES[code] ?? `the path cannot be followed (${code || 'unknown error'})`
}

function parent(dir: string): string {
  const cut = dir.lastIndexOf('/')
  return cut <= 0 ? '/' : dir.slice(0, cut)
}

function child(dir: string, name: string): string {
  return dir === '/' ? `/${name}` : `${dir}/${name}`
}

/**
 * Follows a POSIX path component by component as the kernel does: links before `..`. Stops at the first
 * component that does not exist.
 *
 * @param path Absolute, or relative to `from`.
 * @param from An absolute directory that holds no links itself.
 * @param budget Shared by the paths of a call; each path has one of its own beside.
 * @returns Where it leads, or a text that says why it cannot be followed.
 */
export function walk(path: string, from: string, budget?: StepBudget): Walked | string {
  const todo = path.split('/').reverse()
  let at = path.startsWith('/') ? '/' : from
  let kind: Kind | undefined
  let isShared = false
  let links: string[] | undefined
  let steps = 0
  if (todo.length > MAX_STEPS) return TOO_LONG
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === '') continue
    if (++steps > MAX_STEPS) return TOO_LONG
    if (budget && --budget.stepsLeft < 0) return TOO_MANY
    if (kind && kind !== 'directory') return CAUSES.ENOTDIR as string
    if (name === '.') continue
    if (name === '..') {
      at = parent(at)
      kind = undefined
      continue
    }
    const next = child(at, name)
    const known = budget?.seen.get(next)
    if (known !== undefined) {
      at = next
      kind = known
      continue
    }
    let found: Stats | undefined
    try {
      found = lstatSync(next, { throwIfNoEntry: false })
      if (found?.isSymbolicLink()) {
        if (budget) budget.stepsLeft -= LINK
        links ??= []
        if (links.push(next) > MAX_LINKS) return `more than ${MAX_LINKS} links lie on the way`
        const target = readlinkSync(next)
        if (target.startsWith('/')) at = '/'
        const parts = target.split('/')
        for (let i = parts.length - 1; i >= 0; i--) todo.push(parts[i] as string)
        kind = undefined
        continue
      }
    } catch (error) {
      return cause(error)
    }
    if (found === undefined) {
      if (budget) budget.stepsLeft -= todo.length
      return budget && budget.stepsLeft < 0 ? TOO_MANY : missing(next, todo, links)
    }
    kind = kindOf(found)
    isShared = kind === 'file' && found.nlink > 1
    if (kind === 'directory') budget?.seen.set(next, kind)
    at = next
  }
  kind ??= budget?.seen.get(at) ?? lookAt(at)
  return { real: at, kind, isShared, links: links ?? NO_LINKS }
}

function lookAt(dir: string): Kind | undefined {
  try {
    const found = lstatSync(dir, { throwIfNoEntry: false })
    return found && kindOf(found)
  } catch {
    return undefined
  }
}

/** The kind of what is no link. */
export function kindOf(found: Pick<Stats, 'isDirectory' | 'isFile'>): Kind {
  if (found.isDirectory()) return 'directory'
  return found.isFile() ? 'file' : 'special'
}

function missing(at: string, todo: string[], links: string[] | undefined): Walked | string {
  let real = at
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === '' || name === '.') continue
    if (name === '..') return 'it climbs with ".." out of a directory that does not exist'
    real = child(real, name)
  }
  return { real, kind: undefined, isShared: false, links: links ?? NO_LINKS }
}
