const NEWLINE = 0x0a
const RETURN = 0x0d

/**
 * Cuts a byte stream into lines. Linear in the bytes, and holds at most one line of `maxBytes`: bytes are
 * counted before they are kept. A character split between chunks stays whole, since only lines are decoded.
 */
export class LineReader {
  readonly #maxBytes: number
  readonly #onLine: (line: string) => void
  #parts: Buffer[] = []
  #held = 0
  #broken = false

  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes
    this.#onLine = onLine
  }

  /** Bytes of a line that has not ended yet. */
  get heldBytes(): number {
    return this.#held
  }

  /**
   * Takes the next bytes and hands out the lines they complete, blank ones left out.
   *
   * @returns false once a line was too long; nothing is read after that, what came before it was handed out.
   */
  push(chunk: Buffer): boolean {
    if (this.#broken) return false
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start)
      const stop = end === -1 ? chunk.length : end
      if (this.#held + stop - start > this.#maxBytes) {
        this.#broken = true
        this.#parts = []
        return false
      }
      if (end === -1) break
      this.#emit(chunk, start, end)
      start = end + 1
    }
    if (start < chunk.length) {
      const rest = chunk.subarray(start)
      this.#held += rest.length
      this.#parts.push(rest)
    }
    return true
  }

  #emit(chunk: Buffer, start: number, end: number): void {
    let bytes = chunk
    let [from, to] = [start, end]
    if (this.#held > 0) {
      bytes = Buffer.concat([...this.#parts, chunk.subarray(start, end)])
      ;[from, to] = [0, bytes.length]
      this.#parts = []
      this.#held = 0
    }
    if (to > from && bytes[to - 1] === RETURN) to -= 1
    if (to > from) this.#onLine(bytes.toString('utf8', from, to))
  }
}
