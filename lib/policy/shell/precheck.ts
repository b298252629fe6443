import { type Finding, finding } from '../finding.ts'
import { countPieces } from './pieces.ts'

/** Longest text that is parsed, in bytes. */
const MAX_COMMAND_BYTES = 16_384
/** Most `$(`, `${`, `<(`, `>(`, `$[` in one text. */
const MAX_OPENERS = 256
/** The parser's time grows with openers times length: as much as 16 openers in the longest text. */
const MAX_WORK = 16 * MAX_COMMAND_BYTES
/** Most backticks, `;`, `&`, `|`, newlines and redirects of one kind that can matter. */
const MAX_BACKTICKS = 512
/** Most words, operators, quotes, expansions and wildcards: what the parser and the judge take their time for. */
export const MAX_PIECES = 1000

// Controls but tab and newline, blanks but the space, and what cannot be seen: a shell and a reader
// may take them differently.
const UNSAFE =
  /[^\P{Cc}\t\n]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|[^\P{Zs} ]|[\u115f\u1160\u2800\u3164\uffa0]/u

/** Refuses what would make parsing slow or a reading ambiguous, before the parser sees it. */
export function precheck(text: string): Finding | undefined {
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
  if (isTangled(text)) {
    return finding('shell: limits', 'too many substitutions for one command; split it up', text)
  }
  return countPieces(text, MAX_PIECES) > MAX_PIECES ? tooMany(text) : undefined
}

function tooMany(text: string): Finding {
  const reason = `more than ${MAX_PIECES} words and operators in one call; split it up`
  return finding('shell: limits', reason, text)
}

/** Refuses several texts that are more together than one may be. */
export function precheckAll(texts: readonly string[]): Finding | undefined {
  const all = texts.join('\n')
  if (isLong(all) || isTangled(all)) {
    return finding('shell: limits', 'these commands are too much for one call; split it up', all)
  }
  return countPieces(all, MAX_PIECES) > MAX_PIECES ? tooMany(all) : undefined
}

function isLong(text: string): boolean {
  return text.length > MAX_COMMAND_BYTES || Buffer.byteLength(text) > MAX_COMMAND_BYTES
}

function isTangled(text: string): boolean {
  const openers = text.match(/[$<>][({[]/g)?.length ?? 0
  const backticks = text.match(/`/g)?.length ?? 0
  return openers > MAX_OPENERS || openers * text.length > MAX_WORK || backticks > MAX_BACKTICKS
}
