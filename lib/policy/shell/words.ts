const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i
/** `file:`, also as the transport of another scheme: `git+file:`. */
const FILE_URL = /^([a-z][a-z0-9.-]*\+)?file:/i

/** Addresses of other machines; what stands in others, such as `fileb://x`, may be a path. */
const REMOTE_URL =
  /^(?:[a-z][a-z0-9.-]*\+)?(?:https?|ftps?|sftp|ssh|git|wss?|rsync|s3|gs|docker|oci|redis|postgres(?:ql)?|mysql|mongodb):\/\//i

const SEPARATOR = /[=:,;@<]/

/** A text to judge: as a path, or as a URL of the `file:` scheme. */
export interface Candidate {
  readonly text: string
  readonly fileUrl?: boolean
}

/**
 * The paths that a word of unknown meaning may hold: the word itself, what follows an `=`, what begins
 * like a path after `:`, `,` or `@`, and what may be glued to a short flag. Addresses of other machines hold none.
 */
export function candidatesOf(word: string): Candidate[] {
  const local = FILE_URL.exec(word)
  if (local) return [{ text: word.slice(local[1]?.length ?? 0), fileUrl: true }]
  if (word === '' || word === '-') return []
  if (URL_START.test(word)) return insideUrl(word)
  const found: Candidate[] = []
  if (!word.startsWith('-')) found.push({ text: word })
  else if (!word.startsWith('--')) {
    found.push({ text: word.slice(2) })
    const path = /[/~.]/.exec(word)
    if (path && path.index > 2) found.push({ text: word.slice(path.index) })
  }
  for (let at = word.search(SEPARATOR); at !== -1; ) {
    const rest = word.slice(at + 1)
    const url = FILE_URL.exec(rest)
    if (url) {
      found.push({ text: rest.slice(url[1]?.length ?? 0), fileUrl: true })
      break
    }
    if (URL_START.test(rest)) {
      found.push(...insideUrl(rest))
      break
    }
    const length = rest.search(SEPARATOR)
    if (word[at] === '=' || /^[/~.]/.test(rest)) {
      found.push({ text: rest })
      if (length !== -1) found.push({ text: rest.slice(0, length) })
    }
    at = length === -1 ? -1 : at + 1 + length
  }
  // As in JSON: `{"root": "/etc"}`.
  for (const [, quoted = ''] of word.matchAll(/(?<=["'])([/~.][^"']*)/g))
    found.push({ text: quoted })
  return found.filter(({ text }) => text !== '' && text !== '-')
}

function insideUrl(url: string): Candidate[] {
  return REMOTE_URL.test(url) ? [] : [{ text: url.replace(URL_START, '') }]
}

/** Where a program may take relative paths from, by the directories that its flags name; the shell's own is `''`. */
export function basesOf(places: readonly string[]): readonly string[] {
  const bases = ['']
  for (const place of places) bases.push(...bases.map((base) => under(base, place)))
  return bases
}

/** A path as another directory has it. */
export function under(base: string, path: string): string {
  return base === '' || /^[/~]/.test(path) ? path : `${base}/${path}`
}

/** The last name of a path. */
export function baseOf(path: string): string {
  return /[^/]*(?=\/*$)/.exec(path)?.[0] ?? path
}

/** A path as a glob that means it alone. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&')
}

/** The files that a value of curl names: after an `@` or `<` at its beginning or behind a name and `=`. */
export function filesOf(value: string): Candidate[] {
  const [all, name = '', path = ''] = /^([^=@<]*=?)[@<](.*)$/s.exec(value) ?? []
  if (all === undefined) return []
  const files = new Set([path, path.split(/[;,]/, 1)[0] ?? path])
  // Part of a form: a file may be quoted, more of them follow behind commas, headers may come from one.
  if (name.endsWith('=')) {
    for (const [, file = ''] of value.matchAll(/[@<,]"?([^",;]*)/g)) files.add(file)
  }
  return [...files].filter((text) => text !== '' && text !== '-').map((text) => ({ text }))
}

/** A path in a git operand, and whether git takes it from the top of the work tree. */
export interface GitPath {
  readonly text: string
  readonly fromTop: boolean
}

/** Magic that leaves paths out, and nothing in it that could be the value of an attribute. */
const EXCLUDES = /^(?=.*(?:[!^]|exclude))(?:[!^/]+|(?:(?:top|icase|literal|glob|exclude)(?:,|$))+)$/

/** The paths that a git operand may name: itself, and what follows a `:` (`rev:path`, pathspec magic). */
export function gitPaths(word: string): GitPath[] {
  if (URL_START.test(word) && !/^file:/i.test(word)) return []
  const magic = /^:\(([^)]*)\)/.exec(word) ?? /^:([!^/]+):?/.exec(word)
  if (magic) {
    const [all, signs = ''] = magic
    if (EXCLUDES.test(signs)) return []
    // The value of an attribute may hold a parenthesis.
    const starts = all.startsWith(':(')
      ? [...word.matchAll(/\)/g)].map(({ index }) => index + 1)
      : [all.length]
    return starts.flatMap((start) =>
      start < word.length ? [{ text: word.slice(start), fromTop: true }] : [],
    )
  }
  const found: GitPath[] = word.startsWith(':') ? [] : [{ text: word, fromTop: false }]
  for (const match of word.matchAll(/:/g)) {
    const path = word.slice(match.index + 1)
    if (path !== '') found.push({ text: path, fromTop: !/^\.{1,2}\//.test(path) })
  }
  return found
}
