import { precheckText } from './precheck.ts'
import type { ShellWord } from './types.ts'

/** Why a text is refused. Leaves the walk at once; `parseCommand` turns it into a finding. */
export class Refused {
  readonly reason: string
  readonly value: string
  readonly rule: string
  constructor(reason: string, value: string, rule = 'shell: syntax') {
    this.reason = reason
    this.value = value
    this.rule = rule
  }
}

/** How a refused node is called in a reason. */
export const SYNTAX: Readonly<Record<string, string>> = {
  If: 'if',
  For: 'for',
  ArithmeticFor: 'for',
  While: 'a loop',
  Select: 'select',
  Case: 'case',
  Function: 'a function',
  Coproc: 'coproc',
  TestCommand: '[[ ]]',
  ArithmeticCommand: 'arithmetic',
  ArithmeticExpansion: 'arithmetic',
  Assignment: 'an assignment',
  SimpleExpansion: 'a variable',
  ParameterExpansion: 'a variable',
  ProcessSubstitution: 'process substitution',
  BraceExpansion: 'brace expansion',
  ExtendedGlob: 'an extended glob',
  LocaleString: '$"..."',
}

/** Bash takes a backslash before a line break out, and the break with it, before it looks at anything else. */
export function joined(text: string): string {
  if (!text.includes('\\\n')) return text
  return text.replace(/\\(\n|[^\n])/g, (pair, escaped: string) => (escaped === '\n' ? '' : pair))
}

/** A word holds syntax that is not understood. */
export function notAllowed(type: string, text: string): Refused {
  const what = SYNTAX[type] ?? 'this syntax'
  return new Refused(`${what} is not allowed; write the value out, or quote it with '...'`, text)
}

/** One spelling for one list of words: blanks, quotes and backslashes make a word quoted. */
export function canonical({ text, glob }: ShellWord): string {
  const shown = glob === undefined ? text : glob.replace(/\\(.)/gsu, '$1')
  return /^$|[\s'"\\]/u.test(shown) ? `'${shown.replaceAll("'", "'\\''")}'` : shown
}

// sh takes these quotes for plain ones behind a `$`: an escape may not stand for what ends a text or a command, here or there.
const PLAIN_ANSI_C = /^\$'(?:[^\\']|\\[nt])*'$/

/** The value of a `$'...'` word that ends where every shell ends it. */
export function plainAnsiC(text: string, value: string): string {
  if (!PLAIN_ANSI_C.test(text) || precheckText(`:${value}`) !== undefined) {
    throw new Refused(
      "in $'...' only \\n and \\t are allowed, other shells read the rest otherwise; use '...' or \"...\"",
      text,
    )
  }
  return value
}
