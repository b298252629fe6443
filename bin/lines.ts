import { isUtf8 } from 'node:buffer'
import { UsageError } from './usage-error.ts'

/** A line of input with its number, counted from 1. */
export interface Line {
  readonly number: number
  readonly text: string
}

const LINE_FEED = 10
const MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * Splits bytes into lines at line feeds only, so that JSON texts may hold any other separator. A byte order mark at
 * the start and a carriage return at a line's end are dropped. Memory: one line.
 *
 * @param source Names the input in errors.
 * @throws {UsageError} with the number of a line that is not UTF-8, or is longer than 64 MiB.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  source: string,
): AsyncGenerator<Line> {
  let number = 0
  let rest: Buffer[] = []
  let held = 0
  const take = (last: Buffer): Line => {
    number++
    const bytes = rest.length === 0 ? last : Buffer.concat([...rest, last])
    rest = []
    held = 0
    return { number, text: decode(bytes, number, source) }
  }
  for await (const chunk of chunks) {
    const bytes = asBuffer(chunk)
    let from = 0
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, from)) {
      yield take(bytes.subarray(from, at))
      from = at + 1
    }
    if (from === bytes.length) continue
    rest.push(bytes.subarray(from))
    held += bytes.length - from
    if (held > MAX_LINE_BYTES) {
      throw new UsageError(`${source}:${number + 1}: the line is longer than 64 MiB`)
    }
  }
  if (held > 0) yield take(Buffer.alloc(0))
}

function asBuffer(chunk: Uint8Array | string): Buffer {
  if (typeof chunk === 'string') return Buffer.from(chunk)
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

function decode(bytes: Buffer, number: number, source: string): string {
  if (!isUtf8(bytes)) throw new UsageError(`${source}:${number}: the line is not UTF-8 text`)
  const text = bytes.toString('utf8')
  const start = number === 1 && text.charCodeAt(0) === 0xfeff ? 1 : 0
  return text.slice(start, text.endsWith('\r') ? -1 : undefined)
}
