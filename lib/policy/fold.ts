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

/** Letters that are one for every system that ignores case. */
const PAIRED = /^[\u00C0-\u058F\u1E00-\u1EFF]$/

/**
 * A path with the case taken out of it for allowing: only of letters that have exactly one other form. `K` (Kelvin),
 * `ſ` and `ı` stay what they are, since file systems differ about them.
 */
export function withoutCase(path: string): string {
  if (isAscii(path)) return path.toLowerCase()
  return path.replace(/[A-Z\u0080-\u{10FFFF}]/gu, (c) => {
    const lower = c.toLowerCase()
    if (c <= 'Z') return lower
    const upper = c.toUpperCase()
    const isPair = PAIRED.test(c) && PAIRED.test(lower) && PAIRED.test(upper)
    return isPair && lower.toUpperCase() === upper && upper.toLowerCase() === lower ? lower : c
  })
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
