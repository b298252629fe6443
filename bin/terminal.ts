import { escapeText } from '../lib/redact.ts'

/** The part of a stream that decides how text on it may look. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** The environment variables that decide about colour. */
export type Environment = Readonly<Record<string, string | undefined>>

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 }

/** A colour or weight of text. */
export type Style = keyof typeof CODES

/** Wraps a text in the codes of a style, or leaves it plain. */
export type Paint = (style: Style, text: string) => string

/** Colours for a terminal; plain text for anything else, with `NO_COLOR` set, or on a dumb terminal. */
export function paintFor(screen: Screen, env: Environment): Paint {
  const plain = !screen.isTTY || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb'
  if (plain && !env.FORCE_COLOR) return (_, text) => text
  return (style, text) => (text === '' ? '' : `\u001b[${CODES[style]}m${text}\u001b[0m`)
}

/** Text of the terminal's width; 80 when it does not say. */
export function widthOf(screen: Screen): number {
  return Math.max(40, screen.columns ?? 80)
}

/** Foreign text on one line, harmless on a terminal. */
export function plain(text: string): string {
  return escapeText(text.replace(/\s*[\r\n]+\s*/g, ' · ').replaceAll('\t', ' '))
}

const ZERO = /\p{M}|\u200d|\ufe0f/u
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
const ASCII = /^[ -~]*$/

/** Columns that a text takes. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const c of text) width += ZERO.test(c) ? 0 : WIDE.test(c) ? 2 : 1
  return width
}

/** The text, cut to so many columns with `…`. */
export function cut(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${head(text, width - 1)}…`
}

/** As much of the start as fits; at least one character. */
function head(text: string, width: number): string {
  let out = ''
  let used = 0
  for (const c of text) {
    used += textWidth(c)
    if (used > width && out !== '') break
    out += c
  }
  return out
}

/** The text, cut or filled with blanks to so many columns. */
export function pad(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const shown = cut(text, width)
  const blanks = ' '.repeat(Math.max(0, width - textWidth(shown)))
  return side === 'left' ? shown + blanks : blanks + shown
}

/** The text in lines of at most so many columns, broken at blanks; the last of `maxLines` is cut. */
export function wrap(text: string, width: number, maxLines: number): string[] {
  const lines: string[] = []
  let line = ''
  const words = text.split(' ')
  for (const [i, word] of words.entries()) {
    const longer = line === '' ? word : `${line} ${word}`
    if (textWidth(longer) <= width) {
      line = longer
      continue
    }
    if (lines.length === maxLines - 1) {
      return [...lines, cut([line, ...words.slice(i)].filter(Boolean).join(' '), width)]
    }
    if (line !== '') lines.push(line)
    line = word
    while (textWidth(line) > width && lines.length < maxLines - 1) {
      const first = head(line, width)
      lines.push(first)
      line = line.slice(first.length)
    }
  }
  return [...lines, cut(line, width)]
}
