import { fileURLToPath } from 'node:url'
import { type Finding, finding } from './finding.ts'

/** Whose path rules are judged. */
export type PathPlatform = 'posix' | 'win32'

/** How a path text is read. */
export interface SpellingOptions {
  readonly platform: PathPlatform
  /** Where `~/` leads. */
  readonly home: string
  /** False for words of commands, where `HEAD:file` and `a:b` are no URLs. */
  readonly schemes: boolean
}

const MAX_BYTES = 4096
const MAX_NAME_BYTES = 255
/** Variation selectors aside, which names with emoji hold. */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/
const VARIABLE = /^(?:\$[A-Za-z_{(]|%[A-Za-z_][^%\\/]*%)/
// `..` between separators of which at least one is a backslash
const BACKSLASH_CLIMB = /(?:^|[\\/])\.\.\\|\\\.\.(?:[\\/]|$)/

function refuse(problem: string, value: string): Finding {
  return finding('path', problem, value)
}

function isTooLong(name: string): boolean {
  return Buffer.byteLength(name) > MAX_NAME_BYTES
}

/** What no path text may hold on any platform: rule P1 of `docs/security.md`. */
export function badText(text: string): Finding | undefined {
  if (text === '') return refuse('the path is empty; name a file or directory', text)
  if (text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES) {
    return refuse(`the path is longer than ${MAX_BYTES} bytes`, text)
  }
  if (text.length > MAX_NAME_BYTES / 3 && text.split('/').some(isTooLong)) {
    return refuse(`a name in the path is longer than ${MAX_NAME_BYTES} bytes`, text)
  }
  if (UNSAFE.test(text)) {
    return refuse('the path holds control or invisible characters; write it without them', text)
  }
  if (text !== text.trim()) {
    return refuse('the path begins or ends with a blank; write it without', text)
  }
  return undefined
}

function fromFileUrl(text: string, platform: PathPlatform): string | Finding {
  // Some readers decode before they look for `..`, others after.
  const dotted = text.replace(/%2e/gi, '.')
  if (/%(?:2f|5c|00)/i.test(text) || /(?:^|[\\/:])\.\.(?:[\\/?#]|$)/.test(dotted)) {
    return refuse('the file: URL hides separators or climbs; give the plain path', text)
  }
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return refuse('the file: URL cannot be read; give the plain path', text)
  }
  if (url.hostname !== '' && url.hostname !== 'localhost') {
    return refuse('the file: URL names another host; give a path in the workspace', text)
  }
  if (url.search !== '' || url.hash !== '') {
    return refuse('the file: URL has a query or a fragment; give the plain path', text)
  }
  url.hostname = ''
  try {
    const path = fileURLToPath(url, { windows: platform === 'win32' })
    return badText(path) ?? path
  } catch {
    return refuse('the file: URL is not a path of this platform; give the plain path', text)
  }
}

function isDrive(text: string, platform: PathPlatform): boolean {
  return platform === 'win32' && /^[A-Za-z]:/.test(text)
}

/**
 * Reads a path text as tools would: one text, or two where tools differ (`~/x` is in HOME for some, and for others
 * in a directory named `~`, if there is one).
 */
export function readSpelling(text: string, options: SpellingOptions): readonly string[] | Finding {
  const bad = badText(text)
  if (bad) return bad
  if (VARIABLE.test(text)) {
    return refuse('the path begins with a variable; write the path itself', text)
  }
  if (text.startsWith('~')) {
    if (text !== '~' && !text.startsWith('~/') && !text.startsWith('~\\')) {
      return refuse('~user and ~+ are not followed; write the path itself', text)
    }
    return [options.home + text.slice(1), text]
  }
  const scheme = options.schemes && !isDrive(text, options.platform) ? SCHEME.exec(text) : null
  if (scheme) {
    if (scheme[1]?.toLowerCase() !== 'file') {
      return refuse('this is a URL or a drive, not a path here; give a plain path', text)
    }
    const path = fromFileUrl(text, options.platform)
    return typeof path === 'string' ? [path] : path
  }
  if (options.platform === 'posix' && (BACKSLASH_CLIMB.test(text) || text.startsWith('\\\\'))) {
    return refuse('the path leads elsewhere where backslashes count; write it with slashes', text)
  }
  return [text]
}
