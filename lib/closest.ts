/** Edit distance, where swapping two neighbours counts as one edit. */
export function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min(
        at(i - 1, j) + 1,
        (row[j - 1] ?? 0) + 1,
        at(i - 1, j - 1) + (same ? 0 : 1),
      )
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) best = Math.min(best, at(i - 2, j - 2) + 1)
      row.push(best)
    }
  }
  return at(a.length, b.length)
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
const words = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** The known name that is meant most likely: fewest edits, without regard to case and punctuation, then shared words. */
export function closest(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name)
  const wantedWords = new Set(words(name))
  let best: string | undefined
  let bestScore = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const edits = distance(wanted, plain(candidate))
    const shared = words(candidate).filter((word) => wantedWords.has(word)).length
    const score = edits - 3 * shared
    const near = edits <= Math.max(2, Math.floor(wanted.length / 3)) || shared > 0
    if (near && score < bestScore) {
      best = candidate
      bestScore = score
    }
  }
  return best
}
