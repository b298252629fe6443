// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII, on purpose
const ASCII = /^[\x00-\x7f]*$/

/** True for a text that folding only lower-cases. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/**
 * Folds a text for comparing what is forbidden: compatibility forms, case, and both together, so that `ſ`
 * is `s` and `ß` is `ss`. Never used to allow.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

/** A tool name folded for comparing: as `fold`, without blanks. */
export function foldName(name: string): string {
  return fold(name).replace(/\s+/gu, '')
}

/** An argument name folded for comparing: `file_path`, `filePath` and `File-Path` are one. */
export function foldKey(key: string): string {
  return fold(key).replace(/[\s_-]+/gu, '')
}

/**
 * The names one path segment may stand for where tools or file systems are lax: folded, and folded without
 * `:stream`, trailing dots and blanks.
 */
export function segmentNames(segment: string): readonly string[] {
  const name = fold(segment)
  const colon = name.indexOf(':', 1)
  let end = colon === -1 ? name.length : colon
  while (end > 0 && /[.\s]/u.test(name[end - 1] as string)) end--
  return end === name.length || end === 0 ? [name] : [name, name.slice(0, end)]
}
