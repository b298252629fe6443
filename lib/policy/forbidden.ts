import { configError } from '../errors.ts'
import { expandBraces } from './braces.ts'
import { shorten } from './finding.ts'
import { fold } from './fold.ts'
import { badSegment, type Segment, segment, vetPattern } from './glob.ts'
import { type Tree, type TreeState, TreeStates } from './tree-states.ts'

/** Compiled `forbiddenPathGlobs`. Compares folded; a hit on a directory covers what is below it. */
export interface ForbiddenPaths {
  /** The glob that forbids an absolute path, as the operator wrote it. */
  hit(path: string): string | undefined
  /** The glob of which a tool's own glob, given as its alternatives, names a file: `**\/.env*` names `**\/.env`, `**\/*` names nothing. */
  named(alternatives: ReadonlyArray<readonly Segment[]>): string | undefined
}

/** Where the patterns of a configuration begin. */
export interface ForbiddenOptions {
  /** The key of the list, for error texts. */
  readonly path: string
  /** Absolute directories that relative patterns start from: as configured, and without links. */
  readonly bases: readonly string[]
  readonly home: string
  readonly platform: 'posix' | 'win32'
  /** Follows the links in a pattern's literal beginning; undefined when there are none. */
  readonly follow?: ((path: string) => string | undefined) | undefined
}

function splitPath(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

function refuse(path: string, pattern: string, problem: string): never {
  throw configError(path, `the pattern "${shorten(pattern)}" has ${problem}`)
}

function withBase(pattern: string, options: ForbiddenOptions): readonly string[] {
  if (pattern.startsWith('/') || /^[A-Za-z]:\//.test(pattern)) return [pattern]
  if (pattern === '**' || pattern.startsWith('**/')) return [pattern]
  if (pattern.startsWith('~')) {
    if (pattern !== '~' && !pattern.startsWith('~/')) {
      refuse(options.path, pattern, '~user in it; write the absolute path')
    }
    return [escapeGlob(options.home) + pattern.slice(1)]
  }
  return options.bases.map((base) => `${escapeGlob(base)}/${pattern}`)
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}]/g, '\\$&')
}

const MAGIC = /[\\*?[\]{}]/

function followPrefix(pattern: string, options: ForbiddenOptions): readonly string[] {
  if (!options.follow || pattern.startsWith('**')) return [pattern]
  const names = splitPath(pattern)
  const cut = names.findIndex((name) => MAGIC.test(name.replace(/\\(?=.)/gs, '')))
  const literal = cut === -1 ? names : names.slice(0, cut)
  const spelled = `/${literal.join('/').replace(/\\(.)/gs, '$1')}`
  const real = options.follow(spelled)
  if (real === undefined || real === spelled) return [pattern]
  const rest = cut === -1 ? [] : names.slice(cut)
  return [pattern, [escapeGlob(real), ...rest].join('/')]
}

function compile(source: unknown, path: string, options: ForbiddenOptions): Tree[] {
  const vetted = vetPattern(source, path)
  if (vetted.startsWith('!')) refuse(path, vetted, 'a leading "!"; list what is forbidden')
  if (/^(?:\$[A-Za-z_{]|%[A-Za-z_][^%]*%)/.test(vetted)) {
    refuse(path, vetted, 'a variable at its start; write the path itself')
  }
  const slashed = options.platform === 'win32' ? vetted.replaceAll('\\', '/') : vetted
  const alternatives = expandBraces(slashed)
  if (typeof alternatives === 'string') refuse(path, vetted, alternatives)
  return alternatives.flatMap((alternative) => {
    for (const name of splitPath(alternative)) {
      const problem = badSegment(name)
      if (problem !== undefined) refuse(path, vetted, problem)
    }
    const absolute = withBase(alternative, { ...options, path })
    const all = new Set(absolute.flatMap((pattern) => followPrefix(pattern, options)))
    return [...all].map((pattern) => tree(vetted, pattern, path))
  })
}

function tree(source: string, pattern: string, path: string): Tree {
  const segments = splitPath(pattern).map((name) => {
    const compiled = segment(name)
    return typeof compiled === 'string' ? refuse(path, source, compiled) : compiled
  })
  const last = segments.findLastIndex((s) => s.kind === 'literal' || s.kind === 'pattern')
  return { source, segments, last }
}

/** Vets and compiles a list of path globs. Relative ones start from the bases, `~/` is HOME. */
export function forbiddenPaths(
  patterns: readonly unknown[],
  options: ForbiddenOptions,
): ForbiddenPaths {
  const trees = patterns.flatMap((p, i) => compile(p, `${options.path}[${i}]`, options))
  const states = new TreeStates(trees)
  // The paths of one call often share their directory.
  let known = { dir: '', state: states.start }
  const reach = (path: string): TreeState => {
    const end = path.lastIndexOf('/') + 1
    const dir = path.slice(0, end)
    if (dir !== known.dir) known = { dir, state: states.enter(splitPath(dir)) }
    const name = path.slice(end)
    return name === '' || name === '.' ? known.state : states.step(known.state, name)
  }
  return {
    hit: (path) => {
      for (const reading of readings(path, options.platform)) {
        const { covered } = reach(reading)
        if (covered !== undefined) return covered
      }
      return undefined
    },
    named: (alternatives) => {
      // The alternatives of a glob share most of their segments.
      const given = [...new Set(alternatives.flat())]
      return trees
        .filter((tree) => mayBeNamed(tree, given))
        .find((tree) => alternatives.some((glob) => isNamed(tree, glob)))?.source
    },
  }
}

/** ASCII without backslashes: no folding makes more slashes of it. */
const PLAIN = /^[ -[\]-~]*$/

/** The texts a path may be cut into names from: where folding or another system makes more slashes, there are two. */
function readings(path: string, platform: 'posix' | 'win32'): readonly string[] {
  if (platform === 'win32') return [path.replaceAll('\\', '/')]
  if (PLAIN.test(path)) return [path]
  const wide = fold(path).replaceAll('\\', '/')
  return wide.split('/').length === path.split('/').length ? [path] : [path, wide]
}

/** Whether two segments could match one name. */
function meet(a: Segment, b: Segment): boolean {
  if (a.kind === 'literal') return b.matches(a.text)
  return b.kind === 'literal' ? a.matches(b.text) : true
}

/** Whether the literal parts of a tool's segment name what the forbidden one is about. */
function names(tool: Segment, forbidden: Segment): boolean {
  // A name of which every letter is asked for is named, however it is asked.
  if (tool.isFixed && forbidden.kind === 'literal') return tool.matches(forbidden.text)
  // `*.*` names nothing, `.*` names hidden files.
  if (!tool.isDotted && !/[\p{L}\p{N}]/u.test(tool.text)) return false
  if (forbidden.matches(tool.text)) return true
  return tool.matches(forbidden.text)
}

/** False when no segment could be the one that names it. */
function mayBeNamed({ segments, last }: Tree, given: readonly Segment[]): boolean {
  const wanted = segments[last]
  return wanted === undefined || given.some((each) => meet(each, wanted) && names(each, wanted))
}

function isNamed({ segments, last }: Tree, glob: readonly Segment[]): boolean {
  const seen = new Set<number>()
  const search = (i: number, j: number, named: boolean): boolean => {
    const wanted = segments[i]
    const given = glob[j]
    if (wanted === undefined || (given === undefined && i > last)) return named
    if (given === undefined) return false
    const key = (i * (glob.length + 1) + j) * 2 + (named ? 1 : 0)
    if (seen.has(key)) return false
    seen.add(key)
    if (wanted.kind === 'globstar') return search(i + 1, j, named) || search(i, j + 1, named)
    if (given.kind === 'globstar')
      return search(i, j + 1, named) || search(i + 1, j, named && i !== last)
    if (!meet(given, wanted)) return false
    return search(i + 1, j + 1, i === last ? names(given, wanted) : named)
  }
  return search(0, 0, last === -1)
}
