import type { HereDoc } from './parser.ts'
import type { HandedText, ShellWord } from './types.ts'
import { baseOf } from './words.ts'

/** Programs that take the patch as an argument. */
const TAKES_PATCH = /^apply_?patch$/
const READS_PATCH = /^g?patch$/

/** True for a command that applies patches. */
export function appliesPatches([name, ...words]: readonly ShellWord[]): boolean {
  const program = baseOf(name?.text ?? '')
  if (program === 'git') return words.some(({ text }) => text === 'apply' || text === 'am')
  return TAKES_PATCH.test(program) || READS_PATCH.test(program)
}

/** What a command prints that may be a patch, for one that a pipe leads to: texts of several lines. */
export function printed([name, ...words]: readonly ShellWord[]): readonly HandedText[] {
  const program = name?.text
  if (program !== 'echo' && program !== 'printf') return []
  return words.flatMap(({ text, dynamic }) => {
    const lines = text.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
    return lines.includes('\n') ? [{ text: lines, ...(dynamic && { dynamic }) }] : []
  })
}

/** The arguments that may be patches. */
export function patchArguments([name, ...words]: readonly ShellWord[]): readonly HandedText[] {
  return TAKES_PATCH.test(baseOf(name?.text ?? '')) ? words : []
}

/** What a shell makes of a here-document: joined lines first, then the tabs of `<<-`. */
export function handedBy({ body, delimiter, operator }: HereDoc): HandedText {
  const isQuoted = delimiter?.quoted === true
  const value = isQuoted
    ? body.text
    : body.text.replace(/\\([\n\\$`])/g, (_, c: string) => (c === '\n' ? '' : c))
  const text = operator === '<<-' ? value.replace(/^\t+/gm, '') : value
  const dynamic = !isQuoted && body.parts?.some(({ type }) => type !== 'Literal')
  return { text, ...(dynamic && { dynamic }) }
}
