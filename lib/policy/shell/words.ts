const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i

/** A text to judge: as a path, or as a URL of the `file:` scheme. */
export interface Candidate {
  readonly text: string
  readonly fileUrl?: boolean
}

/**
 * The paths that a word of unknown meaning may hold: the word itself, what follows an `=`, what begins
 * like a path after `:`, `,` or `@`, and what may be glued to a short flag. Other URLs hold none.
 */
export function candidatesOf(word: string): Candidate[] {
  if (/^file:/i.test(word)) return [{ text: word, fileUrl: true }]
  if (word === '' || word === '-' || URL_START.test(word)) return []
  const found: Candidate[] = []
  if (!word.startsWith('-')) found.push({ text: word })
  else if (!word.startsWith('--')) {
    found.push({ text: word.slice(2) })
    const path = /[/~.]/.exec(word)
    if (path && path.index > 2) found.push({ text: word.slice(path.index) })
  }
  for (const match of word.matchAll(/[=:,@]/g)) {
    const rest = word.slice(match.index + 1)
    if (URL_START.test(rest)) break
    if (match[0] === ':' && rest.startsWith('//')) continue
    if (/^file:/i.test(rest)) {
      found.push({ text: rest, fileUrl: true })
      break
    }
    const segment = rest.split(/[=:,@]/, 1)[0] ?? ''
    for (const text of new Set([rest, segment])) {
      if (match[0] === '=' || /^[/~.]/.test(text)) found.push({ text })
    }
  }
  return found.filter(({ text }) => text !== '' && text !== '-')
}

/** A path in a git operand, and whether git takes it from the top of the work tree. */
export interface GitPath {
  readonly text: string
  readonly fromTop: boolean
}

/** The paths that a git operand may name: itself, and what follows a `:` (`rev:path`, pathspec magic). */
export function gitPaths(word: string): GitPath[] {
  if (URL_START.test(word) && !/^file:/i.test(word)) return []
  const magic = /^:\(([^)]*)\)(.*)$/s.exec(word) ?? /^:([!^/]+)(.*)$/s.exec(word)
  if (magic) {
    const [, signs = '', path = ''] = magic
    if (/[!^]|exclude/.test(signs) || path === '') return []
    return [{ text: path, fromTop: true }]
  }
  const found: GitPath[] = word.startsWith(':') ? [] : [{ text: word, fromTop: false }]
  for (const match of word.matchAll(/:/g)) {
    const path = word.slice(match.index + 1)
    if (path !== '') found.push({ text: path, fromTop: !/^\.{1,2}\//.test(path) })
  }
  return found
}
