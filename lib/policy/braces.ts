const MAX_ALTERNATIVES = 64

/**
 * Expands `{a,b}` to its alternatives; braces without a comma stay as they are.
 *
 * @returns The alternatives, or a text that says what is wrong with the pattern.
 */
export function expandBraces(pattern: string): readonly string[] | string {
  const done: string[] = []
  const todo = [pattern]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const found = firstBraces(next, 0)
    if (typeof found === 'string') return found
    if (found === undefined) {
      done.push(next)
    } else {
      const head = next.slice(0, found.start)
      const tail = next.slice(found.end + 1)
      for (const option of found.options) todo.push(head + option + tail)
    }
    if (done.length + todo.length > MAX_ALTERNATIVES) {
      return `more than ${MAX_ALTERNATIVES} alternatives in braces`
    }
  }
  return done.reverse()
}

interface Braces {
  readonly start: number
  readonly end: number
  readonly options: readonly string[]
}

function firstBraces(text: string, from: number): Braces | string | undefined {
  let start = -1
  let depth = 0
  let commas: number[] = []
  for (let i = from; i < text.length; i++) {
    const c = text[i]
    if (c === '\\') i++
    else if (c === '{') {
      if (depth++ === 0) {
        start = i
        commas = []
      }
    } else if (c === ',' && depth === 1) commas.push(i)
    else if (c === '}' && depth > 0 && --depth === 0) {
      const inside = text.slice(start + 1, i)
      if (commas.length > 0) {
        const ends = [...commas, i]
        return {
          start,
          end: i,
          options: ends.map((end, n) => text.slice((ends[n - 1] ?? start) + 1, end)),
        }
      }
      if (/^-?\w+\.\.-?\w+(?:\.\.-?\w+)?$/.test(inside))
        return 'a range in braces; list the alternatives'
      if (inside.includes('{')) return 'braces in braces without a comma'
    }
  }
  return depth > 0 ? 'a brace that is not closed' : undefined
}
