import { fold, foldKey } from './fold.ts'

/** What an argument's name says about its value. */
export type NameKind = 'path' | 'maybe-path' | 'glob' | 'patch' | undefined

const PATHS = new Set(
  `path filepath file filename targetfile absolutepath relativepath relativeworkspacepath dirpath dir
  directory folder cwd workdir workingdir workingdirectory rootdir basepath basedir src destination dest dst
  oldpath newpath linkpath notebookpath outputpath outfile outdir savepath archive attachment sourcepath
  targetpath destinationpath targetdirectory inputpath inputfile outputfile configpath configfile logfile
  imagepath repositorypath repopath pathname dirname directoryname foldername`.split(/\s+/),
)
const MAYBE = new Set(
  'output from to source target root uri url image media pdf input dist entry link'.split(' '),
)
const NO_PATHS = new Set(
  'xpath jsonpath keypath classpath urlpath fieldpath profile curl'.split(' '),
)
const GLOBS = new Set('include includepattern globpattern filepattern pathpattern'.split(' '))
/** What is left alone. */
const LEFT_OUT = /^(?:exclude|ignore|skip|not)/
const PATCH_NAME = /(?:patch|diff)(?:e?s|text|content|body|string)?$/

const MAX_NAME = 128
/** More letters than any of the names above has. */
const MAX_SAYING = 24
const SURROGATE = /[\uD800-\uDFFF]/
/** What folding leaves out of a name, and what becomes it. */
const BETWEEN = /[\s_\-\uFF3F\uFF0D\uFE63\uFE33\uFE34\uFE4D-\uFE4F]+/gu
// Most names say nothing; these two look once, before folding.
const PLAIN = /^[A-Za-z0-9_-]+$/
const HINT =
  /path|file|dir|folder|cwd|src|de?st|archive|attachment|put|from|to|source|target|root|ur[il]|href|image|media|pdf|entry|link|include|glob|patch|diff|repo/i

function singular(key: string): string {
  if (key.endsWith('ies')) return `${key.slice(0, -3)}y`
  return key.endsWith('s') && !key.endsWith('ss') ? key.slice(0, -1) : key
}

/**
 * What the name of an argument says, compared without case, `_` and `-`, without a number or `list` at its end.
 * `exclude` is none: it names what is left alone.
 */
export function nameKind(name: string): NameKind {
  if (name.length > MAX_NAME) return undefined
  if (PLAIN.test(name) && !HINT.test(name.replace(/[_-]/g, ''))) return undefined
  const key = endOf(name).replace(/\d+$/, '').replace(/list$/, '')
  if (NO_PATHS.has(key)) return undefined
  const single = singular(key)
  if (PATHS.has(key) || PATHS.has(single)) return 'path'
  if (GLOBS.has(single) || (single.endsWith('glob') && !LEFT_OUT.test(single))) return 'glob'
  if (PATCH_NAME.test(key)) return 'patch'
  if (MAYBE.has(key) || MAYBE.has(single)) return 'maybe-path'
  return /(?:path|file|filename|directory|folder|dir|uri|url|href)$/.test(single)
    ? 'maybe-path'
    : undefined
}

/** A name folded. Of longer ones only the end says something, and folding is slow. */
function endOf(name: string): string {
  const letters = name.replace(BETWEEN, '')
  // A letter may be two units.
  const end = letters.slice(SURROGATE.test(letters) ? -2 * MAX_SAYING : -MAX_SAYING)
  let from = end.length
  while (from > 0 && !isLigature(end.charCodeAt(from - 1))) from--
  return from === 0 ? foldKey(end) : `ا${foldKey(end.slice(from))}`
}

/** Arabic or Katakana: it may become 18 letters, none of them Latin, so that no name of ours can hold it. */
function isLigature(code: number): boolean {
  return (code >= 0xfb50 && code <= 0xfdff) || (code >= 0x3300 && code <= 0x3357)
}

const CLIMBS = /(?:^|[\\/])\.\.(?:[\\/]|$)/

/** True for an address on the web that no tool could take for a path: one that does not climb. */
export function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && !CLIMBS.test(value)
}

/** True for the name of an argument that holds an address. */
export function isUrlName(name: string): boolean {
  return name.length <= MAX_NAME && /(?:ur[il]|href)s?\d*$/.test(endOf(name))
}

const MAX_PADDING = 4096
/** More than other schemes in front of `file:` need. */
const MAX_SCHEMES = 128
/** A file's address, in others such as `view-source:` too. */
const FILE_URL = /^(?:[a-z0-9+.:-]*[:+])?file:/i

/** True when a value under an ambiguous name is meant as a path. */
export function looksLikePath(value: string, isUrl: boolean): boolean {
  // Whoever parses addresses leaves blanks and line ends out of them.
  const head = value
    .slice(0, MAX_PADDING)
    .replace(/[\p{Cc} ]+/gu, '')
    .slice(0, MAX_SCHEMES)
  if (FILE_URL.test(head) || /^[A-Za-z]:[\\/]/.test(value)) return true
  if (head === '') return value.length >= MAX_PADDING
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(value)) return !isUrl && CLIMBS.test(value)
  if (isUrl) return /^(?:\.\.?(?:[\\/]|$)|~|\\)/.test(head)
  return value.includes('/') || value.includes('\\') || value === '..' || value.startsWith('~')
}

/** True for a text that begins as only paths do, wherever it stands. */
export function beginsAsPath(value: string): boolean {
  return /^(?:[\\/]|~[\\/]|\.\.(?:[\\/]|$)|[A-Za-z]:[\\/]|file:)/i.test(value)
}

/** True for the name of an argument that is no word of a schema but names a file. */
export function isFileName(name: string): boolean {
  return /[./\\]|^~/.test(name)
}

const COMMAND = spellings(['command', 'cmd'])
const COMMAND_OR_CODE = spellings(['command', 'cmd', 'commands', 'script', 'code'])
const MAX_COMMAND_NAME = 16
const MAX_ODD_NAMES = 1000

/** Matches names without folding them: a call may have very many. */
function spellings(names: readonly string[]): RegExp {
  const spelled = names.map((name) => [...name].join('[\\s_-]*')).join('|')
  return new RegExp(`^[\\s_-]*(?:${spelled})[\\s_-]*$`, 'i')
}

const CONTENT = spellings([
  'content',
  'contents',
  'filecontent',
  'filecontents',
  'text',
  'body',
  'code',
  'data',
  'message',
  'query',
  'description',
  'prompt',
  'oldstring',
  'newstring',
  'oldstr',
  'newstr',
  'oldtext',
  'newtext',
  'snippet',
])

/** True for the name of an argument that holds text, which may begin in any way. */
export function isContentName(name: string): boolean {
  return name.length <= MAX_NAME && CONTENT.test(name)
}

/**
 * The arguments of an undeclared tool that hold what it runs, compared without case, blanks, `_` and `-`.
 *
 * @param withCode For tools that are known to execute: under these names only code makes sense.
 */
export function commandNames(
  params: Readonly<Record<string, unknown>>,
  withCode: boolean,
): readonly string[] {
  return Object.keys(params).filter(commandName(withCode))
}

/** Tells which names of one call are those of commands. */
export function commandName(withCode: boolean): (name: string) => boolean {
  const wanted = withCode ? COMMAND_OR_CODE : COMMAND
  const odd = new Map<string, boolean>()
  return (name) => {
    if (name.length > MAX_COMMAND_NAME) return false
    if (wanted.test(name)) return true
    if (PLAIN.test(name)) return false
    const known = odd.get(name)
    if (known !== undefined) return known
    // Folding is slow, so of very many odd names the rest counts as what they might be.
    const is = odd.size >= MAX_ODD_NAMES || wanted.test(fold(name))
    odd.set(name, is)
    return is
  }
}

const BASES = new Set(
  'base project workspace repo repository rootpath projectroot workspaceroot reporoot'.split(' '),
)

/** True for the name of an argument that other paths of the call may start from. */
export function mayBeBase(name: string, kind: NameKind): boolean {
  return kind === 'path' || kind === 'maybe-path' || (PLAIN.test(name) && BASES.has(foldKey(name)))
}

/** Names of the argument that says where a command runs. */
export function isCwdName(name: string, isExec: boolean): boolean {
  if (name.length > MAX_NAME) return false
  const key = foldKey(name)
  if (/^(?:cwd|workdir|workingdir|workingdirectory)$/.test(key)) return true
  return isExec && /^(?:dir|directory|dirpath|folder)$/.test(key)
}

/** Names of the argument that holds environment variables. */
export function isEnvName(name: string): boolean {
  if (name.length > MAX_NAME) return false
  return /^(?:env|environment|envvars|environmentvariables|envs)$/.test(foldKey(name))
}
