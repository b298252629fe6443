/** A file that a patch touches, or a place that a link in it leads to. */
export interface PatchPath {
  readonly path: string
  /** The text without its first directory, where a tool may strip it. */
  readonly stripped?: string | undefined
  /** True when `path` is as tools use it only if its first directory exists. */
  readonly isPrefixed?: boolean | undefined
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

/** How a date begins that stands behind a name without a tab between. */
const DATE = /\s(?:\d{2,4}-\d\d-\d\d\s|[A-Z][a-z]{2} [A-Z][a-z]{2} )/

/** What C takes for a blank. Others are parts of names. */
const BLANK = /[ \t\r\v\f]/

function trimmed(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && BLANK.test(text[from] as string)) from++
  while (to > from && BLANK.test(text[to - 1] as string)) to--
  return text.slice(from, to)
}

/**
 * The names that the rest of a header may mean: all before a tab; without a date; and the first word, which is what
 * GNU patch takes. Undefined when it names nothing that can be read.
 */
export function headerNames(rest: string): readonly string[] | undefined {
  const text = trimmed(rest)
  if (text.startsWith('"')) {
    const name = unquote(text)
    return name ? [name] : undefined
  }
  const whole = trimmed(text.split('\t', 1)[0] as string)
  if (whole === '') return undefined
  // With a date at its end a name may hold tabs for git.
  const date = text.search(DATE)
  const undated = date === -1 ? whole : trimmed(text.slice(0, date))
  if (undated === '/dev/null') return [undated]
  return [...new Set([whole, undated, whole.split(BLANK, 1)[0] as string])]
}

export function asPatchPath(name: string): PatchPath {
  const cut = name.indexOf('/')
  if (cut <= 0) return { path: name }
  // Several slashes count as one.
  const stripped = name.slice(cut + 1).replace(/^\/+/, '')
  return { path: name, stripped, isPrefixed: /^[abciow]$/.test(name.slice(0, cut)) }
}

/** The two names of a `diff --git` line, `most` words at most; undefined when they cannot be told apart. */
export function gitNames(rest: string, most: number): readonly string[] | undefined {
  if (rest.startsWith('"') || rest.includes(' "')) {
    const quoted = rest.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/gs) ?? []
    if (quoted.length > most) return undefined
    const names = quoted.map(unquote)
    return names.includes(undefined) ? undefined : (names as string[])
  }
  const half = (rest.length - 1) / 2
  const [one, two] = [rest.slice(0, half), rest.slice(half + 1)]
  if (rest[half] === ' ' && one.slice(1) === two.slice(1)) return [one, two]
  const words = rest.split(' ', most + 1)
  return words.length > most ? undefined : words.length === 2 ? words : alike(rest, words)
}

/** With blanks in them they are alike but for their first directories. */
function alike(rest: string, words: readonly string[]): readonly string[] | undefined {
  const below = (name: string): string => name.slice(name.indexOf('/') + 1)
  let at = -1
  for (const word of words) {
    at += word.length + 1
    const [one, two] = [rest.slice(0, at), rest.slice(at + 1)]
    if (two !== '' && below(one) === below(two)) return [one, two]
  }
  return undefined
}

const MODE = /^(?:(?:new|old|new file|deleted file) mode|index \S+)\s+([-+]?)0*([0-7]+)(?:\s|$)/

/** True for a header that gives a file the mode of a link, in any of the spellings that `strtoul` reads. */
export function isLinkMode(line: string): boolean {
  const found = MODE.exec(line)
  if (!found) return false
  const bits = Number.parseInt((found[2] as string).slice(-6), 8)
  return ((found[1] === '-' ? -bits : bits) & 0o170000) === 0o120000
}

/** Where a link that the patch makes would lead, relative to where the paths of the patch start. */
export function linkTarget(link: string, target: string): PatchPath {
  if (target.startsWith('/')) return { path: target }
  const beside = (file: string): string => file.slice(0, file.lastIndexOf('/') + 1) + target
  const { path, stripped, isPrefixed } = asPatchPath(link)
  return stripped === undefined
    ? { path: beside(path) }
    : { path: beside(path), stripped: beside(stripped), isPrefixed }
}

/** What begins a new line for some readers only: for Python, for old Macs, or as a blank for Rust. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const ODD = /[\v\f\x1c-\x1f\x85\u2028\u2029]|\r(?!\n)/
const HEADER = /^[\sX]*(?:- )*(?:\*\*\*\s|---\s|\+\+\+\s|@@ |diff |Index:|rename |copy )/

/** True when a header follows what ends a line for some readers only, so that others see another patch. */
export function hidesHeader(text: string, most: number): boolean {
  if (!ODD.test(text)) return false
  const pieces = text.split(ODD, most + 1)
  return pieces.length > most || pieces.some((piece, i) => i > 0 && HEADER.test(piece))
}
