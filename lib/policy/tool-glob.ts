import { posix, win32 } from 'node:path'
import { expandBraces } from './braces.ts'
import { type Finding, finding } from './finding.ts'
import { type Segment, segment } from './glob.ts'
import { badText, type PathPlatform } from './spelling.ts'

/** One alternative of a tool's glob: the directory it begins in, and its segments when it holds wildcards. */
export interface ToolGlob {
  readonly base: string
  readonly segments: ((cwd: string, home: string) => readonly Segment[]) | undefined
}

const MAX_SEGMENTS = 16
const MAX_LENGTH = 1024
const MAGIC = /[*?[\]]/
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]+:/

function refuse(problem: string, value: string): Finding {
  return finding('path', problem, value)
}

function escaped(name: string): string {
  return name.replace(/[\\*?[\]]/g, '\\$&')
}

/** To some tools a backslash is a character, to others it makes the next one plain. */
function readings(alternative: string, platform: PathPlatform): readonly string[] {
  const isPlain = platform === 'win32' || !alternative.includes('\\')
  return isPlain ? [alternative] : [alternative, alternative.replace(/\\(.)/gs, '$1')]
}

/** Takes a glob that a tool will expand apart: braces, the literal beginning, the rest. */
export function toolGlob(pattern: string, platform: PathPlatform): readonly ToolGlob[] | Finding {
  const bad = badText(pattern)
  if (bad) return bad
  if (pattern.length > MAX_LENGTH) {
    return refuse(`the glob is longer than ${MAX_LENGTH} characters`, pattern)
  }
  if (/[@!+?*]\(/.test(pattern)) {
    return refuse('extglobs such as @(a|b) are refused; use {a,b}', pattern)
  }
  const slashed = platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern
  const alternatives = expandBraces(slashed)
  if (typeof alternatives === 'string') {
    return refuse(`the glob has ${alternatives}; write it more simply`, pattern)
  }
  if (SCHEME.test(pattern) && MAGIC.test(pattern)) {
    return refuse('a URL with wildcards is refused; give a plain glob', pattern)
  }
  const globs: ToolGlob[] = []
  // Alternatives share most of their segments.
  const known = new Map<string, Segment | string>()
  const compile = (name: string): Segment | string => {
    const found = known.get(name) ?? segment(name)
    known.set(name, found)
    return found
  }
  for (const alternative of alternatives.flatMap((each) => readings(each, platform))) {
    const names = alternative.split('/')
    if (names.length > MAX_SEGMENTS) return refuse('the glob has too many segments', pattern)
    const cut = names.findIndex((name) => MAGIC.test(name))
    if (cut === -1) {
      globs.push({ base: alternative === '' ? '.' : alternative, segments: undefined })
      continue
    }
    if (names.includes('..') || names.some((name) => /\\\.|\.\\/.test(name))) {
      return refuse('the glob climbs with ".."; name the directory to look in', pattern)
    }
    const rest = names.slice(cut).filter((name) => name !== '' && name !== '.')
    const compiled: Segment[] = []
    for (const name of rest) {
      const found = compile(name)
      if (typeof found === 'string') return refuse(`the glob has ${found}`, pattern)
      compiled.push(found)
    }
    const head = names.slice(0, cut).join('/')
    const base = head === '' ? (cut > 0 ? '/' : '.') : head
    globs.push({
      base,
      segments: (cwd, home) => {
        const from = base.startsWith('~') ? home + base.slice(1) : base
        const start = platform === 'win32' ? win32.resolve(cwd, from) : posix.resolve(cwd, from)
        const above = (platform === 'win32' ? start.replaceAll('\\', '/') : start).split('/')
        const literal = (name: string): Segment => compile(escaped(name)) as Segment // escaped, so well-formed
        return [...above.filter(Boolean).map(literal), ...compiled]
      },
    })
  }
  return globs
}
