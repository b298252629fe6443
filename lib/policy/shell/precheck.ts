import { type Finding, finding } from '../finding.ts'
import { openersOf, piecesOf } from './pieces.ts'

/** Longest text that is parsed, in bytes. */
const MAX_COMMAND_BYTES = 16_384
/** Most `$(`, `${`, `<(`, `>(`, `$[` in one text, but for those in quotes. */
const MAX_OPENERS = 256
/** The parser's time grows with openers times length: as much as 8 openers in the longest text. */
const MAX_WORK = 8 * MAX_COMMAND_BYTES
/** Most backticks, `;`, `&`, `|`, newlines and redirects of one kind that can matter. */
const MAX_BACKTICKS = 512
/** Most words, operators, quotes, expansions and wildcards: what the parser and the judge take their time for. */
export const MAX_PIECES = 600

// Controls but tab and newline, blanks but the space, and what cannot be seen: a shell and a reader
// may take them differently.
const UNSAFE =
  /[^\P{Cc}\t\n]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|[^\P{Zs} ]|[\u115f\u1160\u2800\u3164\uffa0]/u

/** Refuses what would make parsing slow or a reading ambiguous, before the parser sees it. */
export function precheck(text: string): Finding | undefined {
  const found = characters(text)
  if (found) return found
  const { count, openers } = piecesOf(text, MAX_PIECES)
  return count > MAX_PIECES ? tooMany(text) : tangled(text, openers)
}

/** As `precheck`, for a text that is one word: what it holds is not counted. */
export function precheckText(text: string): Finding | undefined {
  return characters(text) ?? tangled(text, openersOf(text))
}

function characters(text: string): Finding | undefined {
  if (text.trim() === '')
    return finding('shell: syntax', 'the command is blank; give a command', text)
  if (isLong(text)) {
    return finding(
      'shell: limits',
      `the command is longer than ${MAX_COMMAND_BYTES} bytes; write the content with a file tool instead`,
      text,
    )
  }
  const unsafe = UNSAFE.exec(text)?.[0]
  if (unsafe !== undefined) {
    return finding(
      'shell: characters',
      'the command holds a control, invisible or special blank character; use plain spaces and newlines',
      unsafe,
    )
  }
  return undefined
}

function tangled(text: string, openers: number): Finding | undefined {
  return isTangled(openers, backticksOf(text), text.length)
    ? finding('shell: limits', 'too many substitutions for one command; split it up', text)
    : undefined
}

function tooMany(text: string): Finding {
  const reason = `more than ${MAX_PIECES} words and operators in one call; split it up`
  return finding('shell: limits', reason, text)
}

/** Refuses several texts that are more together than one may be. */
export class TextBudget {
  #bytes = 0
  #openers = 0
  #backticks = 0
  #pieces = 0

  /** Adds a text. The first is left to its own check. */
  add(text: string): Finding | undefined {
    const isFirst = this.#bytes === 0
    this.#bytes += Buffer.byteLength(text) + 1
    const { count, openers } = piecesOf(text, MAX_PIECES)
    this.#openers += openers
    this.#backticks += backticksOf(text)
    this.#pieces += count
    if (isFirst) return undefined
    if (this.#pieces > MAX_PIECES) return tooMany(text)
    return this.#bytes > MAX_COMMAND_BYTES + 1 ||
      isTangled(this.#openers, this.#backticks, this.#bytes)
      ? finding('shell: limits', 'these commands are too much for one call; split it up', text)
      : undefined
  }
}

function isLong(text: string): boolean {
  return text.length > MAX_COMMAND_BYTES || Buffer.byteLength(text) > MAX_COMMAND_BYTES
}

function backticksOf(text: string): number {
  return text.match(/`/g)?.length ?? 0
}

function isTangled(openers: number, backticks: number, length: number): boolean {
  return openers > MAX_OPENERS || openers * length > MAX_WORK || backticks > MAX_BACKTICKS
}
