/** What a scan of a text knows: how much it holds, and the contexts it is in. */
interface Scan {
  readonly text: string
  readonly max: number
  at: number
  count: number
  openers: number
  /** Openers that are not closed: `"` and `(`. */
  readonly open: string[]
  /** Here-documents whose bodies begin after this line. */
  pending: HereDocument[]
}

interface HereDocument {
  readonly delimiter: string
  readonly isQuoted: boolean
  readonly stripsTabs: boolean
  readonly depth: number
}

/** What a parser has to do with a text. */
export interface Pieces {
  /** Words, operators, quotes, expansions and wildcards. */
  readonly count: number
  /** Beginnings of what it parses anew: `(`, `$(`, `${`, `$[`, `<(`, `>(`. */
  readonly openers: number
}

/**
 * Counts what a parser would make something of. What stands in quotes, comments and here-documents is one, as long as
 * every shell agrees where they end; else nothing is.
 *
 * @param max Counting ends beyond so many.
 */
export function piecesOf(text: string, max: number): Pieces {
  const scan: Scan = { text, max, at: 0, count: 0, openers: 0, open: [], pending: [] }
  const isClear = readAll(scan)
  return isClear ? scan : { count: text.match(ANY)?.length ?? 0, openers: openersOf(text) }
}

/** As if nothing were quoted. */
export function openersOf(text: string): number {
  return text.match(/[$<>][({[]/g)?.length ?? 0
}

const ANY = /[^\s'"\\;&|<>()$`*?[{]+|[^\s\\]/g

/** False when the text holds what makes its quotes uncertain, or something that is not closed. */
function readAll(scan: Scan): boolean {
  // Local, since they remember where they are.
  const inCommand =
    /[ \t]+|\$?'|(?<![^\s;&|()<>])#[^\n]*|<<<|<<-?|\(\(|\$[({[]|\[\[|(?:[^\s'"\\;&|<>()$`*?[{]|\\.)+|./sy
  const inQuotes = /(?:[^"\\$`]|\\.)+|\$[({[]|./sy
  while (scan.at < scan.text.length && scan.count <= scan.max) {
    const isQuoted = scan.open.at(-1) === '"'
    const next = isQuoted ? inQuotes : inCommand
    next.lastIndex = scan.at
    const token = next.exec(scan.text)?.[0] ?? ''
    scan.at += token.length
    const isClear = isQuoted ? quoted(token, scan) : plain(token, scan)
    if (!isClear) return false
  }
  return scan.count > scan.max || (scan.open.length === 0 && scan.pending.length === 0)
}

function quoted(token: string, scan: Scan): boolean {
  if (token === '"') scan.open.pop()
  else if (token.startsWith('$')) {
    scan.count++
    return token === '$(' ? enter(scan) : token === '$'
  }
  return token !== '`'
}

function plain(token: string, scan: Scan): boolean {
  if (/^(?:[ \t]|#.)/.test(token)) return true
  scan.count++
  switch (token) {
    case '`':
    case '((':
    case '[[':
    case '${':
    case '$[':
    case 'case':
      return false
    case '"':
      scan.open.push('"')
      return true
    case "'":
      return skip(scan, /[^']*'/y)
    case "$'":
      return skip(scan, /(?:[^'\\]|\\.)*'/sy)
    case '(':
    case '$(':
      return enter(scan)
    case ')':
      return scan.open.pop() === '('
    case '<<':
    case '<<-':
      return hereDocument(token === '<<-', scan)
    case '\n':
      return bodies(scan)
    default:
      return true
  }
}

function enter(scan: Scan): boolean {
  scan.open.push('(')
  scan.openers++
  // Arithmetic.
  return scan.text[scan.at] !== '('
}

function skip(scan: Scan, wanted: RegExp): boolean {
  wanted.lastIndex = scan.at
  const found = wanted.exec(scan.text)?.[0]
  scan.at += found?.length ?? 0
  return found !== undefined
}

function hereDocument(stripsTabs: boolean, scan: Scan): boolean {
  const wanted = /[ \t]*(?:(['"])([\w.-]+)\1|(\\?)([\w.-]+))(?=[\s;&|<>()]|$)/y
  wanted.lastIndex = scan.at
  const found = wanted.exec(scan.text)
  if (found === null) return false
  const [all, quote, quotedName, backslash, name] = found
  scan.at += all.length
  scan.pending.push({
    delimiter: quotedName ?? name ?? '',
    isQuoted: quote !== undefined || backslash === '\\',
    stripsTabs,
    depth: scan.open.length,
  })
  return true
}

/** Skips the bodies that begin here; expansions in them count. */
function bodies(scan: Scan): boolean {
  const { text, open } = scan
  for (const { delimiter, isQuoted, stripsTabs, depth } of scan.pending) {
    if (depth !== open.length) return false
    const start = scan.at
    let line = ''
    do {
      if (scan.at >= text.length) return false
      const end = text.indexOf('\n', scan.at)
      line = text.slice(scan.at, end === -1 ? text.length : end)
      scan.at = end === -1 ? text.length : end + 1
      if (stripsTabs) line = line.replace(/^\t+/, '')
    } while (line !== delimiter)
    if (isQuoted) continue
    const body = text.slice(start, scan.at).replace(/\\./gs, '')
    if (body.includes('`')) return false
    const expansions = body.match(/\$/g)?.length ?? 0
    scan.count += expansions
    scan.openers += expansions
  }
  scan.pending = []
  return true
}
