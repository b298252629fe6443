/** How many bytes a value has as JSON; `complete` is false when it is at least this much, or no JSON at all. */
export interface JsonBytes {
  readonly bytes: number
  readonly complete: boolean
}

/**
 * Counts the UTF-8 bytes of `JSON.stringify(value)` without building it, and stops once they are more than `limit`.
 * A cycle, a `bigint` and a `toJSON` other than a date's count as incomplete, since nobody knows what they become.
 */
export function jsonBytes(value: unknown, limit: number): JsonBytes {
  const walk = new Walk(limit)
  walk.value(value)
  return { bytes: walk.bytes, complete: !walk.stopped }
}

const MAX_DEPTH = 500

class Walk {
  readonly #limit: number
  readonly #open = new Set<object>()
  bytes = 0
  stopped = false

  constructor(limit: number) {
    this.#limit = limit
  }

  value(value: unknown): void {
    if (typeof value === 'object' && value !== null) this.#object(value)
    else if (typeof value === 'bigint') this.stopped = true
    else this.#add(primitiveBytes(value))
  }

  #object(value: object): void {
    if (value instanceof Date) {
      this.#date(value)
      return
    }
    const custom = 'toJSON' in value && typeof value.toJSON === 'function'
    if (custom || this.#open.has(value) || this.#open.size >= MAX_DEPTH) {
      this.stopped = true
      return
    }
    this.#open.add(value)
    this.#add(2)
    if (Array.isArray(value)) this.#items(value)
    else this.#fields(value as Record<string, unknown>)
    this.#open.delete(value)
  }

  #date(value: Date): void {
    this.#add(Number.isNaN(value.getTime()) ? 4 : value.toISOString().length + 2)
  }

  #items(list: readonly unknown[]): void {
    for (let index = 0; index < list.length && !this.stopped; index++) {
      if (index > 0) this.#add(1)
      const item = list[index]
      if (isSkipped(item)) this.#add(4)
      else this.value(item)
    }
  }

  #fields(record: Record<string, unknown>): void {
    let first = true
    for (const key of Object.keys(record)) {
      if (this.stopped) return
      const field = record[key]
      if (isSkipped(field)) continue
      this.#add(Buffer.byteLength(JSON.stringify(key)) + (first ? 1 : 2))
      first = false
      this.value(field)
    }
  }

  #add(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > this.#limit) this.stopped = true
  }
}

function primitiveBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(JSON.stringify(value))
  if (typeof value === 'boolean') return value ? 4 : 5
  return typeof value === 'number' && Number.isFinite(value) ? String(value).length : 4
}

/** What JSON leaves out of objects and writes as `null` in arrays. */
const isSkipped = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol'
