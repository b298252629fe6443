/** A file that a patch touches, or a place that a link in it leads to. */
export interface PatchPath {
  readonly path: string
  /** The text without its first directory, where a tool may strip it. */
  readonly stripped?: string | undefined
  /** True when `path` is as tools use it only if its first directory exists. */
  readonly isPrefixed?: boolean | undefined
}

const MAX_CHARACTERS = 1_048_576
const MAX_LINES = 100_000
const MAX_PATHS = 500
/** Longer names are no paths, even when every byte is escaped. */
const MAX_NAME = 32_768

const CODEX_HEADER = /^\s*\*\*\* (?:Add File|Update File|Delete File|Move to):(.*)$/s
const CODEX_BEGIN = /^\s*\*\*\* Begin Patch\s*$/
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const LINK_MODE = /^(?:(?:new|old|new file|deleted file) mode 120000|index \S+ 120000)\s*$/

/**
 * The files that a patch touches: the format of Codex `apply_patch`, unified, git and context diffs. Only headers
 * count, body lines are skipped by the counts of their hunks.
 *
 * @returns The paths, or a text that says why the patch cannot be read.
 */
export function patchPaths(text: string): readonly PatchPath[] | string {
  if (text.length > MAX_CHARACTERS) return 'it is longer than 1 MiB; split it'
  const lines = text.split('\n', MAX_LINES + 1)
  if (lines.length > MAX_LINES) return `it has more than ${MAX_LINES} lines; split it`
  const first = lines.find((line) => line.trim() !== '') ?? ''
  if (CODEX_BEGIN.test(first) || /^\s*<</.test(first)) return codexPaths(lines)
  const codex = lines.some((line) => CODEX_BEGIN.test(line)) ? codexPaths(lines) : []
  const unified = diffPaths(lines)
  if (typeof codex === 'string' || typeof unified === 'string') {
    return typeof codex === 'string' ? codex : unified
  }
  const paths = [...codex, ...unified]
  return paths.length > 0 ? paths : 'it has neither "*** Begin Patch" nor the headers of a diff'
}

function codexPaths(lines: readonly string[]): readonly PatchPath[] | string {
  const paths: PatchPath[] = []
  for (const line of lines) {
    // Names are taken whole: what ends a line elsewhere, such as U+2028, is part of them here.
    const found = CODEX_HEADER.exec(line)?.[1]
    if (found === undefined) continue
    const path = found.trim()
    if (path === '') return 'a file header names no file'
    if (paths.length === MAX_PATHS) return TOO_MANY
    paths.push({ path })
  }
  return paths.length > 0
    ? paths
    : 'no "*** Add File:", "*** Update File:" or "*** Delete File:" is in it'
}

function unquote(name: string): string | undefined {
  if (!name.startsWith('"')) return name
  if (name.length > MAX_NAME) return undefined
  const body = /^"((?:[^"\\]|\\.)*)"/s.exec(name)?.[1]
  if (body === undefined) return undefined
  const simple: Readonly<Record<string, string>> = {
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
  const bytes: number[] = []
  for (let i = 0; i < body.length; i++) {
    if (body[i] !== '\\') {
      const c = String.fromCodePoint(body.codePointAt(i) ?? 0)
      bytes.push(...Buffer.from(c))
      i += c.length - 1
      continue
    }
    const octal = /^[0-7]{3}/.exec(body.slice(i + 1))?.[0]
    if (octal) {
      bytes.push(Number.parseInt(octal, 8) & 0xff)
      i += 3
    } else {
      const c = simple[body[++i] ?? '']
      if (c === undefined) return undefined
      bytes.push(...Buffer.from(c))
    }
  }
  return Buffer.from(bytes).toString('utf8')
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
const UNREADABLE = 'a file name in it cannot be read'

/** Reads the headers of a diff; `state` follows the hunks so that bodies are not taken for headers. */
function diffPaths(lines: readonly string[]): readonly PatchPath[] | string {
  const paths: PatchPath[] = []
  let old = 0
  let fresh = 0
  let isLink = false
  let current = ''
  const add = (name: string | undefined): boolean => {
    if (name === undefined || name === '') return false
    if (name === '/dev/null') return true
    current = name
    paths.push(asPatchPath(name))
    return true
  }
  for (const text of lines) {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text
    if (paths.length > MAX_PATHS) return TOO_MANY
    if (old > 0 || fresh > 0) {
      const c = line[0] ?? ' '
      if (c === '\\') continue
      if (c === ' ' || c === '-') old--
      if (c === ' ' || c === '+') fresh--
      if ((c !== ' ' && c !== '-' && c !== '+') || old < 0 || fresh < 0) {
        return 'the lines of a hunk do not fit its header'
      }
      if (isLink && c === '+') paths.push(linkTarget(current, line.slice(1)))
      continue
    }
    const hunk = HUNK.exec(line)
    if (hunk) {
      old = Number(hunk[1] ?? 1)
      fresh = Number(hunk[2] ?? 1)
      continue
    }
    if (LINK_MODE.test(line)) {
      isLink = true
    } else if (line.startsWith('diff --git ')) {
      isLink = false
      const names = gitNames(line.slice('diff --git '.length).trimEnd())
      if (names === undefined) return UNREADABLE
      for (const name of names) add(name)
    } else if (/^(?:Index:|(?:rename|copy) (?:from|to)) /.test(line)) {
      const name = headerName(line.replace(/^(?:Index:|\w+ \w+) /, ''))
      if (!name) return UNREADABLE
      current = name
      paths.push({ path: name })
    } else if (/^(?:GIT binary patch|Binary files )/.test(line) && isLink) {
      return 'a link in it has a binary body'
    } else {
      const found = /^(?:--- |\+\+\+ |\*\*\* (?!\d+(?:,\d+)? \*))(.*)$/s.exec(line)
      if (found && !add(headerName(found[1] as string))) return UNREADABLE
    }
  }
  return old > 0 || fresh > 0 ? 'its last hunk is cut off' : paths
}

/** Where a link that the patch makes would lead, relative to where the paths of the patch start. */
function linkTarget(link: string, target: string): PatchPath {
  if (target.startsWith('/')) return { path: target }
  const { path, stripped, isPrefixed } = asPatchPath(link)
  const file = isPrefixed && stripped !== undefined ? stripped : path
  const cut = file.lastIndexOf('/')
  return { path: cut === -1 ? target : `${file.slice(0, cut)}/${target}` }
}
