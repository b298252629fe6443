/**
 * Whether bash may make several words of one: an unquoted `{` with a `,` or `..` before the `}` that ends it. As in
 * bash, a `}` ends a brace only when such a separator came before it at the same depth: `{a}` is text, `{a}b,c}` is two
 * words.
 *
 * @param text The unquoted text of a word, with backslashes; what is quoted stands as something that is no brace.
 */
export function expandsBraces(text: string): boolean {
  // For each depth: whether a brace is open there, and whether a separator followed it.
  const open = [false]
  const separated = [false]
  for (let i = 0; i < text.length; i++) {
    const depth = open.length - 1
    if (text[i] === '\\') {
      i++
    } else if (text[i] === '{') {
      open.push(true)
      separated.push(false)
    } else if (text[i] === ',' || (text.startsWith('..', i) && text[i + 2] !== '}')) {
      if (open[depth]) separated[depth] = true
    } else if (text[i] === '}') {
      if (separated[depth]) return true
      if (depth === 0) continue
      open.pop()
      separated.pop()
      // To bash this brace is still open, until a separator and another `}` come.
      open[depth - 1] = true
    }
  }
  return false
}
