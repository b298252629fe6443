import picomatch from 'picomatch'
import { configError } from '../errors.ts'
import { shorten } from './finding.ts'
import { fold } from './fold.ts'

const MAX_PATTERN = 256
const MAX_STARS = 3

/** A compiled glob over text. Matching takes time linear in the text. */
export interface TextGlob {
  readonly source: string
  matches(text: string): boolean
}

/**
 * Compiles a glob in which `*` is any text, slashes and line ends included, and everything else is itself.
 * It must match the whole text, case and all.
 */
export function textGlob(source: string): TextGlob {
  return { source, matches: starred(source.split('*')) }
}

// Leftmost-first search for each part, the last one anchored: no backtracking.
function starred(parts: readonly string[]): (text: string) => boolean {
  const first = parts[0] as string
  if (parts.length === 1) return (text) => text === first
  const last = parts[parts.length - 1] as string
  const middle = parts.slice(1, -1).filter((part) => part !== '')
  const shortest = first.length + last.length
  return (text) => {
    if (text.length < shortest || !text.startsWith(first) || !text.endsWith(last)) return false
    const end = text.length - last.length
    let at = first.length
    for (const part of middle) {
      const found = text.indexOf(part, at)
      if (found === -1 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}

/** What every pattern of a configuration must be: a text that is not blank at its ends, nor too long. */
export function vetPattern(pattern: unknown, path: string): string {
  if (typeof pattern !== 'string') {
    throw configError(path, `a pattern must be text, not ${JSON.stringify(pattern) ?? 'undefined'}`)
  }
  const quoted = `"${shorten(pattern)}"`
  if (pattern.trim() === '') throw configError(path, `the pattern ${quoted} is blank; remove it`)
  if (pattern !== pattern.trim()) {
    throw configError(path, `the pattern ${quoted} begins or ends with a blank; write it without`)
  }
  if (pattern.length > MAX_PATTERN) {
    throw configError(path, `the pattern ${quoted} is longer than ${MAX_PATTERN} characters`)
  }
  if (/[\p{Cc}\p{Cs}]/u.test(pattern)) {
    throw configError(path, `the pattern ${quoted} holds control characters; write it without`)
  }
  return pattern
}

/** Vets and compiles a glob over tool names. */
export function nameGlob(pattern: unknown, path: string): TextGlob {
  const vetted = vetPattern(pattern, path)
  if (!/^[A-Za-z0-9_.:/*-]{1,128}$/.test(vetted)) {
    const quoted = `"${shorten(vetted)}"`
    throw configError(path, `${quoted} can match no tool; use letters, digits, _.:/- and *`)
  }
  return textGlob(vetted)
}

/** Vets and compiles a glob over the canonical text of one command. */
export function commandGlob(pattern: unknown, path: string): TextGlob {
  return textGlob(vetPattern(pattern, path))
}

/** One segment of a path glob. It compares folded names. */
export interface Segment {
  readonly kind: 'globstar' | 'star' | 'literal' | 'pattern'
  /** The literal characters, folded. */
  readonly text: string
  /** True when it begins with a literal dot, and so is meant for hidden files too. */
  readonly isDotted: boolean
  /** True when it matches names of one length only. */
  readonly isFixed: boolean
  matches(name: string): boolean
}

const STAR = Symbol('any text')
const ANY = Symbol('any character')
type Piece = string | RegExp | typeof STAR | typeof ANY

const CLASS: picomatch.PicomatchOptions = {
  dot: true,
  nocase: true,
  posix: true,
  nobrace: true,
  noextglob: true,
  nonegate: true,
  strictBrackets: true,
}

// A class as bash reads it: a `]` right after the opening is a member, `[:alpha:]` may stand inside.
const BRACKETS = /^\[[!^]?\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*\]/su

/** A class of one character: that character. */
const ONE = /^\[\\?([^\]\\!^[])\]$/u

/** A glob with what is escaped, by a backslash or as the only one of its class, in the open. */
export function inTheOpen(pattern: string): string {
  return pattern.replace(
    /\\(.)|\[\\?([^\]\\!^[])\]/gsu,
    (_, escaped?: string, only = '') => escaped ?? only,
  )
}

function pieces(segment: string): Piece[] | string {
  const found: Piece[] = []
  let rest = segment
  while (rest !== '') {
    const c = String.fromCodePoint(rest.codePointAt(0) ?? 0)
    let length = c.length
    if (c === '*') {
      if (found[found.length - 1] !== STAR) found.push(STAR)
    } else if (c === '?') found.push(ANY)
    else if (c === '[') {
      const text = BRACKETS.exec(rest)?.[0]
      if (text === undefined) return 'a [ that is not closed; write \\[ for the character'
      const only = ONE.exec(text)?.[1]
      const one = only ?? picomatch.makeRe(text, CLASS)
      if (typeof one !== 'string' && one.source === '$^') {
        return `${text} is no valid set of characters`
      }
      found.push(one)
      length = text.length
    } else if (c === '\\') {
      if (rest.length < 2) return 'a backslash at its end'
      const escaped = String.fromCodePoint(rest.codePointAt(1) ?? 0)
      found.push(escaped)
      length = 1 + escaped.length
    } else found.push(c)
    rest = rest.slice(length)
  }
  return found
}

const ANYTHING: Segment = {
  kind: 'star',
  text: '',
  isDotted: false,
  isFixed: false,
  matches: () => true,
}

/**
 * Compiles one segment of a path glob: `*`, `?`, `[...]`, a backslash before a literal character; `**` alone
 * is any number of segments.
 *
 * @returns The segment, or a text that says what is wrong with it.
 */
export function segment(source: string): Segment | string {
  if (source === '**') return { ...ANYTHING, kind: 'globstar' }
  if (/^\*+$/.test(source)) return ANYTHING
  const found = pieces(source)
  if (typeof found === 'string') return found
  const literal = (all: readonly Piece[]): string =>
    fold(all.filter((piece) => typeof piece === 'string').join(''))
  const text = literal(found)
  const isDotted = found[0] === '.'
  if (found.every((piece) => typeof piece === 'string')) {
    return { kind: 'literal', text, isDotted, isFixed: true, matches: (name) => name === text }
  }
  // Literals are folded in runs, since folding joins characters (`e` and an accent) and splits them (`ﬁ`).
  const folded: Piece[] = []
  let run: Piece[] = []
  const flush = (): void => {
    folded.push(...literal(run))
    run = []
  }
  for (const piece of found) {
    if (typeof piece === 'string') run.push(piece)
    else {
      flush()
      folded.push(piece)
    }
  }
  flush()
  if (folded.every((piece) => typeof piece === 'string' || piece === STAR)) {
    return {
      kind: 'pattern',
      text,
      isDotted,
      isFixed: false,
      matches: starred(folded.reduce<string[]>(joinRuns, [''])),
    }
  }
  // Most names fail at their end, which is quickly seen.
  const end = folded.slice(folded.findLastIndex((piece) => typeof piece !== 'string') + 1).join('')
  const matches = (name: string): boolean => name.endsWith(end) && matchesPieces(folded, [...name])
  return { kind: 'pattern', text, isDotted, isFixed: !folded.includes(STAR), matches }
}

function joinRuns(runs: string[], piece: Piece): string[] {
  if (typeof piece === 'string') runs[runs.length - 1] += piece
  else runs.push('')
  return runs
}

function matchesPiece(piece: Piece, c: string): boolean {
  if (typeof piece === 'string') return piece === c
  // Sets know single UTF-16 units only; other characters count as members, which only forbids more.
  return piece === ANY || (piece instanceof RegExp && (c.length > 1 || piece.test(c)))
}

// Greedy with one point to come back to: time is at most the product of both lengths.
function matchesPieces(pattern: readonly Piece[], text: readonly string[]): boolean {
  let p = 0
  let t = 0
  let starAt = -1
  let textAt = 0
  while (t < text.length) {
    const piece = pattern[p]
    if (piece === STAR) {
      starAt = p++
      textAt = t
    } else if (piece !== undefined && matchesPiece(piece, text[t] as string)) {
      p++
      t++
    } else if (starAt >= 0) {
      p = starAt + 1
      t = ++textAt
    } else return false
  }
  while (pattern[p] === STAR) p++
  return p === pattern.length
}

/** What is wrong with a path glob in a configuration, segment by segment; undefined when nothing is. */
export function badSegment(source: string): string | undefined {
  if (source === '..') return 'a ".." in it; write the absolute path'
  if (/[@!+?*]\(/.test(source)) return 'an extglob such as @(a|b) in it; use {a,b}'
  if (source !== '**' && source.includes('**'))
    return 'a "**" that does not stand alone between slashes'
  const stars = source === '**' ? 0 : source.split('*').length - 1
  if (stars > MAX_STARS) return `more than ${MAX_STARS} stars in one segment`
  const compiled = segment(source)
  return typeof compiled === 'string' ? compiled : undefined
}
