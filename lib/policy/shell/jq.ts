/** A filter that reads no modules and no environment: why another one is refused. */
export function jq(filter: string): string | undefined {
  const code = withoutTexts(filter) ?? filter
  return /(?<![.\w$])(?:(?:import|include|env)\b(?!\s*:(?!:))|modulemeta\b)|(?<![.\w])ENV\b/.test(
    code,
  )
    ? 'jq filters that read modules or the environment are not allowed; read files only'
    : undefined
}

/**
 * The filter with its texts emptied; what stands in `\(...)` within them is code and stays. Undefined where that is
 * uncertain: after a comment, and for texts that do not end.
 */
function withoutTexts(filter: string): string | undefined {
  // One for each text that is open: how deep in parentheses its `\(` is; -1 while the text itself is read.
  const open: number[] = []
  let code = ''
  for (let at = 0; at < filter.length; at++) {
    const c = filter[at] as string // at < length
    const depth = open.at(-1)
    if (depth === -1) {
      if (c === '"') {
        open.pop()
        code += c
      } else if (c === '\\') {
        at++
        if (filter[at] !== '(') continue
        open[open.length - 1] = 1
        code += '('
      }
      continue
    }
    if (c === '#') return undefined
    code += c
    if (c === '"') open.push(-1)
    if (depth === undefined) continue
    const now = depth + (c === '(' ? 1 : c === ')' ? -1 : 0)
    // The parenthesis that closes it leads back into the text.
    if (c === '(' || c === ')') open[open.length - 1] = now === 0 ? -1 : now
  }
  return open.length === 0 ? code : undefined
}
