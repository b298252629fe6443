import type { Reading } from './arguments.ts'
import { LANGUAGES } from './languages.ts'
import type { Language } from './programs/rule.ts'

/** An address that is a program itself, for what loads modules. */
export const CODE_URL: RegExp = /(?:^|[=,])data:[a-z]+\/(?:x-)?(?:java|ecma|type)script\b/i

/** Languages of texts that are paths as well. */
export const PATH_LANGUAGES: ReadonlySet<Language> = new Set<Language>([
  'target',
  'archive',
  'reporter',
  'download',
  'upload',
])

/** Uses of words of which a part may be a path, and characters that may stand before it. */
export const GRAMMATICAL: ReadonlySet<Reading['use']> = new Set<Reading['use']>([
  'git',
  'lines',
  'any',
  'at',
])
export const HAS_GRAMMAR: RegExp = /[:=,;@<"']/
/** Uses whose relative paths may begin somewhere else. */
export const REBASED: ReadonlySet<Reading['use']> = new Set<Reading['use']>([
  'read',
  'write',
  'script',
  'any',
  'download',
  'upload',
])

/** Uses that name nothing on disk. */
export const AS_TEXT: ReadonlySet<Reading['use']> = new Set<Reading['use']>([
  'text',
  'sed',
  'awk',
  'jq',
  'format',
])

export function isLanguage(use: Reading['use']): use is Language {
  return Object.hasOwn(LANGUAGES, use)
}

/** True for what is one path at least, so that too many are refused before the first is looked at. */
export function isPath({ use, text, glob }: Reading): boolean {
  if (glob !== undefined || text === '/dev/null') return false
  if (use === 'any') return /^[^-:]+$/.test(text)
  return (use === 'read' || use === 'write' || use === 'script') && text !== '-' && text !== ''
}
