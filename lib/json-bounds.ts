/** What JSON text may hold before it is worth parsing. */
export interface JsonBounds {
  readonly maxDepth: number
  readonly maxNodes: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/**
 * Looks over JSON text for what parsing it would show as too much: a parser builds the whole first, which takes
 * hundreds of times the memory of the text. One pass, no allocation; says nothing about text that is no JSON.
 *
 * @returns What there is too much of, or undefined.
 */
export function beyondBounds(text: string, bounds: JsonBounds): 'depth' | 'nodes' | undefined {
  let depth = 0
  // Each comma stands between two values.
  let nodes = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === QUOTE) i = endOfText(text, i)
    else if (c === COMMA) {
      if (++nodes >= bounds.maxNodes) return 'nodes'
    } else if (c === 0x5b || c === 0x7b) {
      if (++depth > bounds.maxDepth) return 'depth'
    } else if (c === 0x5d || c === 0x7d) depth--
  }
  return undefined
}

/** Where the text that begins at a quote ends: at the next one without an odd number of backslashes before it. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  return json.length
}
