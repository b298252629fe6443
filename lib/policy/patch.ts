/** A file that a patch touches, or a place that a link in it leads to. */
export interface PatchPath {
  readonly path: string
  /** The text without its first directory, where a tool may strip it. */
  readonly stripped?: string | undefined
  /** True when `path` is as tools use it only if its first directory exists. */
  readonly isPrefixed?: boolean | undefined
}

const MAX_CHARACTERS = 1_048_576
const MAX_LINES = 50_000
const MAX_PATHS = 500
/** Most lines outside of hunks that are read. */
const MAX_HEADERS = 10_000
/** Most bytes of such names, as they are written. */
const MAX_NAMES = 32_768

const CODEX_HEADER = /^\s*\*\*\* (?:Add File|Update File|Delete File|Move to):(.*)$/s
const CODEX_BEGIN = /(?:^|\n)[^\S\n]*\*\*\* Begin Patch[^\S\n]*(?:\n|$)/
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const LINK_MODE = /^(?:(?:new|old|new file|deleted file) mode 120000|index \S+ 120000)\s*$/

/** What is left for the patches of one call. */
export interface PatchBudget {
  charactersLeft: number
  linesLeft: number
  headersLeft: number
  namesLeft: number
  pathsLeft: number
}

/** What the patches of one call may hold together. */
export function patchBudget(): PatchBudget {
  return {
    charactersLeft: MAX_CHARACTERS,
    linesLeft: MAX_LINES,
    headersLeft: MAX_HEADERS,
    namesLeft: MAX_NAMES,
    pathsLeft: MAX_PATHS,
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
  const first = lines.find((line) => line.trim() !== '') ?? ''
  const holdsCodex = text.includes('*** Begin Patch') && CODEX_BEGIN.test(text)
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
    if (!line.includes('*** ')) continue
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

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
}

function unquote(name: string): string | undefined {
  if (!name.startsWith('"')) return name
  const body = /^"((?:[^"\\]|\\.)*)"/s.exec(name)?.[1]
  if (body === undefined) return undefined
  let isKnown = true
  // Escapes stand for bytes, so each character of this is one.
  const bytes = Buffer.from(body).toString('latin1')
  const plain = bytes.replace(/\\(?:([0-7]{3})|(.))/gs, (_, octal?: string, c = '') => {
    if (octal) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
    isKnown &&= Object.hasOwn(ESCAPES, c)
    return ESCAPES[c] ?? ''
  })
  return isKnown ? Buffer.from(plain, 'latin1').toString('utf8') : undefined
}

function headerName(rest: string): string | undefined {
  const text = rest.trimStart()
  return text.startsWith('"') ? unquote(text) : (text.split('\t')[0] as string).trimEnd()
}

function asPatchPath(name: string): PatchPath {
  const cut = name.indexOf('/')
  if (cut <= 0) return { path: name }
  const stripped = name.slice(cut + 1)
  return { path: name, stripped, isPrefixed: /^[abciow]$/.test(name.slice(0, cut)) }
}

function gitNames(rest: string): readonly string[] | undefined {
  if (rest.startsWith('"') || rest.includes(' "')) {
    const quoted = rest.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/gs) ?? []
    if (quoted.length > MAX_PATHS) return undefined
    const names = quoted.map(unquote)
    return names.includes(undefined) ? undefined : (names as string[])
  }
  const half = (rest.length - 1) / 2
  const [one, two] = [rest.slice(0, half), rest.slice(half + 1)]
  if (rest[half] === ' ' && one.slice(1) === two.slice(1)) return [one, two]
  const names = rest.split(' ')
  return names.length === 2 ? names : []
}

const TOO_MANY = `it has more than ${MAX_PATHS} files; split it`
const TOO_MANY_HEADERS = `it has more than ${MAX_HEADERS} lines outside of hunks; split it`
const LONG_NAMES = `its headers are longer than ${MAX_NAMES} bytes; split it`
const UNREADABLE = 'a file name in it cannot be read'

/** How the lines begin that say something outside of hunks. */
const SAYS =
  /^(?:@@ |new |old |deleted |diff |index |Index: |rename |copy |GIT |Binary |--- |\+\+\+ |\*\*\* )/

/** Reads the headers of a diff; the counts of its hunks are followed so that bodies are not taken for headers. */
function diffPaths(lines: readonly string[], budget: PatchBudget): readonly PatchPath[] | string {
  const paths: PatchPath[] = []
  let old = 0
  let fresh = 0
  let isLink = false
  let current = ''
  const add = (path: PatchPath): void => {
    budget.pathsLeft--
    paths.push(path)
  }
  const addName = (name: string | undefined): boolean => {
    if (name === undefined || name === '') return false
    if (name === '/dev/null') return true
    current = name
    add(asPatchPath(name))
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
      if (isLink && c === '+') add(linkTarget(current, withoutReturn(text).slice(1)))
      continue
    }
    if (!SAYS.test(text)) continue
    const line = withoutReturn(text)
    if (--budget.headersLeft < 0) return TOO_MANY_HEADERS
    if (!/^(?:@@|index|new|old|deleted) /.test(line)) budget.namesLeft -= Buffer.byteLength(line)
    if (budget.namesLeft < 0) return LONG_NAMES
    const hunk = HUNK.exec(line)
    if (hunk) {
      old = Number(hunk[1] ?? 1)
      fresh = Number(hunk[2] ?? 1)
    } else if (LINK_MODE.test(line)) {
      isLink = true
    } else if (line.startsWith('diff --git ')) {
      isLink = false
      const names = gitNames(line.slice('diff --git '.length).trimEnd())
      if (names === undefined) return UNREADABLE
      for (const name of names) addName(name)
    } else if (/^(?:Index:|(?:rename|copy) (?:from|to)) /.test(line)) {
      const name = headerName(line.replace(/^(?:Index:|\w+ \w+) /, ''))
      if (!name) return UNREADABLE
      current = name
      add({ path: name })
    } else if (/^(?:GIT binary patch|Binary files )/.test(line) && isLink) {
      return 'a link in it has a binary body'
    } else {
      const found = /^(?:--- |\+\+\+ |\*\*\* (?!\d+(?:,\d+)? \*))(.*)$/s.exec(line)
      if (found && !addName(headerName(found[1] as string))) return UNREADABLE
    }
  }
  return old > 0 || fresh > 0 ? 'its last hunk is cut off' : paths
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Where a link that the patch makes would lead, relative to where the paths of the patch start. */
function linkTarget(link: string, target: string): PatchPath {
  if (target.startsWith('/')) return { path: target }
  const { path, stripped, isPrefixed } = asPatchPath(link)
  const file = isPrefixed && stripped !== undefined ? stripped : path
  const cut = file.lastIndexOf('/')
  return { path: cut === -1 ? target : `${file.slice(0, cut)}/${target}` }
}
