import {
  asPatchPath,
  gitNames,
  headerNames,
  hidesHeader,
  isLinkMode,
  linkTarget,
  type PatchPath,
} from './patch-names.ts'

export type { PatchPath } from './patch-names.ts'

/** How a text begins, or one of its lines, that may be a patch. Programs read indented ones too. */
export const PATCH: RegExp =
  /^[ \tX]*(?:- )*(?:\*\*\*[ \t]|---[ \t]|\+\+\+[ \t]|diff -|Index:|rename |copy )/m

const MAX_CHARACTERS = 1_048_576
const MAX_LINES = 50_000
const MAX_PATHS = 500
/** Most lines outside of hunks that are read. */
const MAX_HEADERS = 10_000
/** Most bytes of such names, as they are written. */
const MAX_NAMES = 32_768

const CODEX_HEADER =
  /^\s*\*\*\*\s*(?:(?:Add|Create|Update|Delete|Remove|Rename|Move|Copy)\s+File|(?:Move|Rename|Copy)\s+to)\s*:(.*)$/is
const CODEX_BEGIN = /(?:^|\n)[^\S\n]*\*\*\*[^\S\n]*Begin Patch[^\S\n]*(?:\n|$)/i
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/** What is left for the patches of one call. */
export interface PatchBudget {
  charactersLeft: number
  linesLeft: number
  headersLeft: number
  namesLeft: number
  pathsLeft: number
}

/** What the patches of one call may hold together; less where their names are read from several directories. */
export function patchBudget(starts = 1): PatchBudget {
  const share = starts > 2 ? 2 / starts : 1
  return {
    charactersLeft: MAX_CHARACTERS,
    linesLeft: MAX_LINES,
    headersLeft: MAX_HEADERS,
    namesLeft: Math.floor(MAX_NAMES * share),
    pathsLeft: Math.floor(MAX_PATHS * share),
  }
}

/**
 * The files that a patch touches: the format of Codex `apply_patch`, unified, git and context diffs. Only headers
 * count, body lines are skipped by the counts of their hunks.
 *
 * @param budget Shared by the patches of a call.
 * @returns The paths, or a text that says why the patch cannot be read.
 */
export function patchPaths(
  text: string,
  budget: PatchBudget = patchBudget(),
): readonly PatchPath[] | string {
  budget.charactersLeft -= text.length
  if (budget.charactersLeft < 0) return 'it is longer than 1 MiB; split it'
  const lines = text.split('\n', budget.linesLeft + 1)
  budget.linesLeft -= lines.length
  if (budget.linesLeft < 0) return `it has more than ${MAX_LINES} lines; split it`
  if (hidesHeader(text, MAX_LINES)) return 'it holds odd line ends before headers; use "\\n"'
  const first = lines.find((line) => line.trim() !== '') ?? ''
  const holdsCodex = text.includes('***') && CODEX_BEGIN.test(text)
  if ((holdsCodex && CODEX_BEGIN.test(first)) || /^\s*<</.test(first)) {
    return codexPaths(lines, budget)
  }
  // Read twice, counted once.
  const again = { ...budget }
  const codex = holdsCodex ? codexPaths(lines, again) : []
  const unified = diffPaths(lines, budget)
  budget.pathsLeft = Math.min(budget.pathsLeft, again.pathsLeft)
  budget.namesLeft = Math.min(budget.namesLeft, again.namesLeft)
  if (typeof codex === 'string' || typeof unified === 'string') {
    return typeof codex === 'string' ? codex : unified
  }
  const paths = [...codex, ...unified]
  return paths.length > 0 ? paths : 'it has neither "*** Begin Patch" nor the headers of a diff'
}

function codexPaths(lines: readonly string[], budget: PatchBudget): readonly PatchPath[] | string {
  const paths: PatchPath[] = []
  for (const line of lines) {
    if (!line.includes('***')) continue
    // Names are taken whole: what ends a line elsewhere, such as U+2028, is part of them here.
    const found = CODEX_HEADER.exec(line)?.[1]
    if (found === undefined) continue
    const path = found.trim()
    if (path === '') return 'a file header names no file'
    budget.namesLeft -= Buffer.byteLength(path)
    if (budget.namesLeft < 0) return LONG_NAMES
    if (--budget.pathsLeft < 0) return TOO_MANY
    paths.push({ path })
  }
  return paths.length > 0
    ? paths
    : 'no "*** Add File:", "*** Update File:" or "*** Delete File:" is in it'
}

const TOO_MANY = `it has more than ${MAX_PATHS} files; split it`
const TOO_MANY_HEADERS = `it has more than ${MAX_HEADERS} lines outside of hunks; split it`
const LONG_NAMES = `its headers are longer than ${MAX_NAMES} bytes; split it`
const UNREADABLE = 'a file name in it cannot be read'

/** How the lines begin that say something outside of hunks. */
const SAYS =
  /^(?:@@ |new |old |deleted |diff |index |Index:|rename |copy |GIT |Binary |---[ \t]|\+\+\+[ \t]|\*\*\*)/
/** What GNU patch takes for an indentation: it reads headers behind it. */
const INDENT = /^(?:[ \tX]+(?:- )*|(?:- )+)/

/** Reads the headers of a diff; the counts of its hunks are followed so that bodies are not taken for headers. */
function diffPaths(lines: readonly string[], budget: PatchBudget): readonly PatchPath[] | string {
  const paths: PatchPath[] = []
  let old = 0
  let fresh = 0
  let isLink = false
  let current: readonly string[] = []
  const add = (path: PatchPath): void => {
    budget.pathsLeft--
    paths.push(path)
  }
  const addNames = (names: readonly string[] | undefined, read = asPatchPath): boolean => {
    if (names === undefined || names.includes('')) return false
    const files = names.filter((name) => name !== '/dev/null')
    if (files.length > 0) current = files
    for (const name of files) add(read(name))
    return true
  }
  for (const text of lines) {
    if (budget.pathsLeft < 0) return TOO_MANY
    if (old > 0 || fresh > 0) {
      const c = text[0] ?? ' '
      if (c === '\\') continue
      const isBoth = c === ' ' || text === '\r'
      if (isBoth || c === '-') old--
      if (isBoth || c === '+') fresh--
      if ((!isBoth && c !== '-' && c !== '+') || old < 0 || fresh < 0) {
        return 'the lines of a hunk do not fit its header'
      }
      if (isLink && c === '+') {
        for (const link of current) add(linkTarget(link, withoutReturn(text).slice(1)))
      }
      continue
    }
    const isPlain = SAYS.test(text)
    const said = isPlain ? text : text.replace(INDENT, '')
    if (!isPlain && !SAYS.test(said)) continue
    const line = withoutReturn(said)
    if (--budget.headersLeft < 0) return TOO_MANY_HEADERS
    if (!/^(?:@@|index|new|old|deleted) /.test(line)) budget.namesLeft -= Buffer.byteLength(line)
    if (budget.namesLeft < 0) return LONG_NAMES
    const hunk = HUNK.exec(line)
    if (hunk && isPlain) {
      old = Number(hunk[1] ?? 1)
      fresh = Number(hunk[2] ?? 1)
    } else if (isLinkMode(line)) {
      isLink = true
    } else if (line.startsWith('diff --git ')) {
      isLink = false
      if (!addNames(gitNames(line.slice('diff --git '.length).trimEnd(), MAX_PATHS))) {
        return UNREADABLE
      }
    } else if (isLink && /^(?:GIT binary patch|Binary files |@@ )/.test(line)) {
      return 'a link in it has a body that cannot be read'
    } else {
      const whole = WHOLE.exec(line)
      const file = whole ?? FILE.exec(line)
      const rest = file?.[1] ?? file?.[2] ?? ''
      if (file && STARTS_BLANK.test(line)) return UNREADABLE
      if (file && !addNames(headerNames(rest), whole ? asWhole : asPatchPath)) return UNREADABLE
    }
  }
  return old > 0 || fresh > 0 ? 'its last hunk is cut off' : paths
}

/** Headers whose names have no directory in front: git's renames and those of Codex. */
const WHOLE = new RegExp(`^(?:rename|copy) (?:from|to)\\s(.*)$|${CODEX_HEADER.source}`, 'is')
/** Headers of a file, those of Subversion and Mercurial too; in a context diff they look like those of hunks. */
const FILE =
  /^(?:Index:|diff(?: -r \w+)+\s|---\s|\+\+\+\s|\*\*\*\s(?!\d+(?:,\d+)? \*|(?:Begin|End) Patch\s*$|End of File\s*$))(.*)$/is
/** Names that begin with a blank for git, and do not for GNU patch. */
const STARTS_BLANK = /^(?:---|\+\+\+|(?:rename|copy) (?:from|to)) {2}/

function asWhole(path: string): PatchPath {
  return { path }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
