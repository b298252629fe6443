/** At most this many values are shown: the first and the last ones. */
const MAX_SHOWN = 40
/** At most this many characters of one value are shown: its head and its tail. */
const MAX_VALUE = 400
const MAX_PATH = 80
/** Of longer texts only the ends are looked at, so that megabytes cost nothing. */
const MAX_LOOK = 10_000
/** A longer run of blanks is written as its count, so that it cannot push text out of sight. */
const MAX_BLANKS = 8

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{DI}\u2800⟨⟩]|(?! )\p{Zs}/u
const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '⟨newline⟩'],
  ['\t', '⟨tab⟩'],
])

/** Text in the form a person is shown. */
export interface SafeText {
  readonly text: string
  /** True when the middle was left out. */
  readonly cut: boolean
  /** How many characters, or runs of blanks, are not shown as they are. */
  readonly escaped: number
}

/** One value among the params. */
export interface ShownValue extends SafeText {
  /** Where it stands, such as `edits[0].path`; safe to show as well. */
  readonly path: string
  /** Length of the whole value in UTF-16 units. */
  readonly length: number
}

/** Params in the form a person is shown: the first and the last values, `omitted` ones between them left out. */
export interface ShownParams {
  readonly values: readonly ShownValue[]
  readonly omitted: number
}

/**
 * Makes text safe to show in at most `max` characters. Control, bidi and invisible characters become `⟨U+202E⟩`,
 * runs of more than 8 blanks `⟨12 blanks⟩`, and the middle of what is too long `⟨…⟩`, so that the tail always shows.
 * The brackets themselves are escaped too: whatever stands in them is ours.
 */
export function safeText(text: string, max: number): SafeText {
  const marker = '⟨…⟩'
  const room = max - marker.length
  const half = MAX_LOOK / 2
  const long = text.length > MAX_LOOK
  const start = escapeAll(long ? text.slice(0, half) : text)
  const end = long ? escapeAll(text.slice(-half)) : start
  const escaped = start.escaped + (long ? end.escaped : 0)
  if (!long && start.units.reduce((sum, { length }) => sum + length, 0) <= max) {
    return { text: start.units.join(''), cut: false, escaped }
  }
  const first = leading(start.units, Math.ceil(room / 2))
  const last = leading(end.units.reverse(), Math.floor(room / 2)).reverse()
  return { text: first.join('') + marker + last.join(''), cut: true, escaped }
}

/** Lists the leaves of `params`, each in its safe form. */
export function showParams(params: object): ShownParams {
  const leaves: Leaf[] = []
  collect(params, '', leaves)
  const omitted = Math.max(0, leaves.length - MAX_SHOWN)
  const half = MAX_SHOWN / 2
  const shown = omitted === 0 ? leaves : [...leaves.slice(0, half), ...leaves.slice(-half)]
  return { omitted, values: shown.map(showLeaf) }
}

type Leaf = readonly [path: string, value: unknown]

function showLeaf([path, value]: Leaf): ShownValue {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return { path: safeText(path, MAX_PATH).text, ...safeText(text, MAX_VALUE), length: text.length }
}

function collect(value: unknown, path: string, into: Leaf[]): void {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0 && path !== '') into.push([path, value])
  for (const [key, inner] of entries) {
    const name = key === '' ? '""' : key
    const step = Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`
    collect(inner, path + step, into)
  }
}

function escapeAll(text: string): { units: string[]; escaped: number } {
  const units: string[] = []
  let escaped = 0
  let blanks = 0
  const flush = (): void => {
    if (blanks > MAX_BLANKS) {
      units.push(`⟨${blanks} blanks⟩`)
      escaped++
    } else if (blanks > 0) units.push(' '.repeat(blanks))
    blanks = 0
  }
  for (const char of text) {
    if (char === ' ') {
      blanks++
      continue
    }
    flush()
    const safe = INVISIBLE.test(char) ? escapeOne(char) : char
    if (safe !== char) escaped++
    units.push(safe)
  }
  flush()
  return { units, escaped }
}

function escapeOne(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return NAMED.get(char) ?? `⟨U+${code}⟩`
}

/** As many of the first units as fit into `max` characters. */
function leading(units: readonly string[], max: number): string[] {
  const taken: string[] = []
  let length = 0
  for (const unit of units) {
    length += unit.length
    if (length > max) break
    taken.push(unit)
  }
  return taken
}
