import { expandsBraces } from './braces.ts'
import type {
  Assignment,
  BraceGroup,
  Command,
  HereDoc,
  ParsedScript,
  Pipeline,
  Redirection,
  Subshell,
  Word,
  WordPart,
} from './parser.ts'
import { joined, notAllowed, Refused } from './syntax.ts'

/** Where something stands in its source. */
interface Span {
  readonly pos: number
  readonly end: number
}

/** Between the words of a command. */
const BLANKS = /^(?:[ \t]|\\\n)*$/
/** What else may stand between the commands of a text; a comment needs a blank or an operator before it. */
const BETWEEN = /^(?:[ \t\n;&|]|\\\n|(?<=[ \t\n;&|])#[^\n]*)*$/
/** Bash takes the line break out and reads one operator. */
const BROKEN_OPERATOR = /[;&|](?:\\\n)+[;&|]/

/** Most words: nothing in them means anything to a shell. */
const PLAIN = /^[\w./:=@%+,^-]+$/
// What may stand outside quotes, between double quotes, and in a here-document, once broken lines are joined: no `$` that
// begins an expansion.
const UNQUOTED = /^(?:[^\\|&;()<>\s'"`$*?]|\\.|\$(?![\w@*#?$!({['"-]))*$/
const IN_QUOTES = /^(?:[^\\"`$]|\\[\s\S]|\$(?![\w@*#?$!({[-]))*$/
const IN_HERE_DOC = /^(?:[^\\`$]|\\[\s\S]|\$(?![\w@*#?$!({[-]))*$/
/** With the next part it may be an expansion. */
const ENDS_IN_DOLLAR = /(?<!\\)(?:\\\\)*\$$/
const GLOB = /^(?:\*+|\?|\[[^|&;()<>\s]+\])$/

/**
 * Holds what the parser says against the text itself: a parser that takes one operator for a letter lets a whole
 * command through. Each character of a script must belong to a word, a redirect, a here-document or to the
 * operators and blanks between them, and each word must be spelled as what the parser says it is.
 */
export class Witness {
  readonly #source: string
  readonly #seen: Span[] = []

  constructor(source: string) {
    this.#source = source
  }

  /** Nothing but blanks stands between the words and redirects of a command, and something does. */
  command(of: Command): void {
    const parts = [...of.prefix, ...(of.name ? [of.name] : []), ...of.suffix].sort(
      (a, b) => a.pos - b.pos,
    )
    let end = of.pos
    for (const part of parts) {
      const gap = this.#source.slice(end, part.pos)
      const isSplit = gap !== '' || part === parts[0] || standsAlone(part)
      if (!isSplit || !BLANKS.test(gap)) throw invalid(this.#source.slice(of.pos, of.end))
      end = part.end
    }
    if (end !== of.end) throw invalid(this.#source.slice(of.pos, of.end))
    this.#seen.push(of)
  }

  /** A redirect is a number, its operator and its target, as the parser has them. */
  redirect(of: Redirection): void {
    const target = of.type === 'HereDoc' ? of.delimiter : of.target
    const spelled = this.#source.slice(of.pos, target?.pos)
    const [, number, operator] = /^(\d*)([<>&|-]+)(?:[ \t]|\\\n)*$/.exec(spelled) ?? []
    if (
      target?.end !== of.end ||
      operator !== of.operator ||
      (number === '') !== (of.descriptor === undefined)
    ) {
      throw invalid(this.#source.slice(of.pos, of.end))
    }
    this.#seen.push(of)
  }

  /** A here-document ends with a line that is its delimiter. */
  hereDoc(of: HereDoc, closing: Span): void {
    const { value } = of.delimiter ?? {}
    if (this.#source.slice(closing.pos, closing.end) !== value) throw invalid(of.body.text)
    const { text, parts } = of.body
    if (parts !== undefined) tile(text, parts, IN_HERE_DOC)
    else if (!of.delimiter?.quoted && !IN_HERE_DOC.test(joined(text))) throw unclear(text)
    this.#seen.push({ pos: of.body.pos, end: closing.end })
  }

  /** A group begins and ends with its brackets; two that follow each other would be arithmetic. */
  group({ type, pos, end }: Subshell | BraceGroup): void {
    const [open, close] = type === 'Subshell' ? ['(', ')'] : ['{', '}']
    const text = this.#source.slice(pos, end)
    if (text[0] !== open || !text.endsWith(close) || /^\((?:\\\n)*\(/.test(text)) {
      throw invalid(text)
    }
    this.#seen.push({ pos, end: pos + 1 }, { pos: end - 1, end })
  }

  /** Before the commands of a pipeline stand `!` and `time` with its options. */
  pipeline({ prefixes }: Pipeline): void {
    for (const { pos, end } of prefixes) {
      const text = this.#source.slice(pos, end)
      if (!/^(?:!|time(?:[ \t]+-p)?(?:[ \t]+--)?)$/.test(text)) throw invalid(text)
      this.#seen.push({ pos, end })
    }
  }

  /** Nothing of a script was left out. To be called when all of it has been seen. */
  script({ pos, end }: ParsedScript): void {
    let at = pos
    for (const span of [...this.#seen.sort((a, b) => a.pos - b.pos), { pos: end, end }]) {
      const gap = this.#source.slice(at, span.pos)
      // A comment may begin at once where the script does, or behind a bracket.
      const before = at === pos || /[()]/.test(this.#source.charAt(at - 1)) ? '\n' : ''
      if (!BETWEEN.test(before + gap) || BROKEN_OPERATOR.test(gap)) throw invalid(gap)
      at = Math.max(at, span.end)
    }
  }

  /** A word is spelled as what its parts are said to be, and bash makes one word of it. */
  word({ text, value, parts, pos, end }: Word): void {
    const isWhole = text === this.#source.slice(pos, end) && !text.startsWith('#')
    // In the next line a redirect would take it for its number.
    const isOver = !text.endsWith('\\\n') || !/[<>]/.test(this.#source.charAt(end))
    if (!isWhole || !isOver) throw unclear(text)
    if (PLAIN.test(text) && text === value) return
    const tiles = parts ?? [{ type: 'Literal', text, value, pos, end }]
    tile(text, tiles, UNQUOTED)
    if (!text.includes('{')) return
    const unquoted = tiles.map((part) => (isUnquoted(part) ? joined(part.text) : '_')).join('')
    if (expandsBraces(unquoted)) throw notAllowed('BraceExpansion', text)
  }

  /** What is between `$(` and `)`, or backticks, is the script that the parser has read. */
  substitution(text: string, script: ParsedScript): void {
    const inside = text.startsWith('`') ? text.slice(1, -1) : text.slice(2, -1)
    const read = script.source ?? this.#source.slice(script.pos, script.end)
    const isRead =
      script.source === undefined
        ? read === inside
        : [/\\([`\\$])/g, /\\([`\\$"])/g].some((escaped) => read === inside.replace(escaped, '$1'))
    if (!isRead) throw invalid(text)
  }
}

/** After an operator a word or redirect may follow at once; a word needs a blank, and so does a redirect with a number. */
function standsAlone(part: Word | Assignment | Redirection): boolean {
  return part.type !== 'Word' && part.type !== 'Assignment' && part.descriptor === undefined
}

function isUnquoted(part: WordPart): boolean {
  return part.type === 'Literal' || part.type === 'Glob'
}

/** The parts of a text are its characters, one after the other, each spelled as its kind is. */
function tile(text: string, parts: readonly WordPart[], literal: RegExp): void {
  if (parts.map((part) => part.text).join('') !== text) throw unclear(text)
  for (const [i, part] of parts.entries()) {
    if (!isSpelled(part, literal, i === parts.length - 1)) throw unclear(part.text)
  }
}

function isSpelled(part: WordPart, literal: RegExp, isLast: boolean): boolean {
  switch (part.type) {
    case 'Literal': {
      const text = joined(part.text)
      const value = !text.includes('\\')
        ? text
        : text.replace(literal === UNQUOTED ? /\\(.)/gs : /\\([$`"\\])/g, '$1')
      const isFinished = isLast || !ENDS_IN_DOLLAR.test(text)
      return literal.test(text) && value === part.value && isFinished
    }
    case 'SingleQuoted':
      return /^'[^']*'$/.test(part.text) && part.text.slice(1, -1) === part.value
    case 'DoubleQuoted': {
      const inside = /^"([\s\S]*)"$/.exec(part.text)?.[1]
      if (inside === undefined) return false
      tile(inside, part.parts, IN_QUOTES)
      return true
    }
    case 'Glob':
      return GLOB.test(part.text)
    default:
      // Expansions are refused but for those whose script is read, and `$'...'` words have a rule of their own.
      return true
  }
}

function invalid(text: string): Refused {
  return new Refused('the command is not valid shell; correct it', text)
}

function unclear(text: string): Refused {
  const reason = "this word cannot be read for certain; quote it with '...', on one line"
  return new Refused(reason, text)
}
