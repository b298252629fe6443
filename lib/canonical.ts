import { createHash } from 'node:crypto'
import { ToolwareError } from './errors.ts'

const MAX_DEPTH = 1000

/**
 * JSON text that is the same for equal plain data and different for any other: keys sorted, `-0` kept apart
 * from `0`, text as it is (no Unicode normalisation, so names that only look alike stay different).
 * Properties that are `undefined` count as absent.
 *
 * @throws {ToolwareError} `BAD_ARGUMENTS` for what has no such text: functions, symbols, `bigint`, `NaN`,
 *   infinities, class instances, holes, cycles and nesting deeper than 1000.
 */
export function canonicalJson(value: unknown): string {
  return write(value, '$', 0)
}

/** The sha256 of {@link canonicalJson}, as 64 hexadecimal digits. */
export function canonicalDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

/** A frozen plain copy of plain data, `-0` and own `__proto__` keys included; throws as {@link canonicalJson} does. */
export function canonicalCopy<T>(value: T): T {
  return freeze(JSON.parse(canonicalJson(value)))
}

function write(value: unknown, path: string, depth: number): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'number':
      if (!Number.isFinite(value)) throw unfit(path, String(value))
      return Object.is(value, -0) ? '-0' : JSON.stringify(value)
    case 'object':
      if (value === null) return 'null'
      if (depth >= MAX_DEPTH) throw unfit(path, `a value nested deeper than ${MAX_DEPTH}`)
      return Array.isArray(value) ? list(value, path, depth) : record(value, path, depth)
    default:
      throw unfit(path, `a value of type ${typeof value}`)
  }
}

function list(values: readonly unknown[], path: string, depth: number): string {
  const parts: string[] = []
  for (let i = 0; i < values.length; i++) parts.push(write(values[i], `${path}[${i}]`, depth + 1))
  return `[${parts.join(',')}]`
}

function record(object: object, path: string, depth: number): string {
  if (!isPlain(object)) throw unfit(path, 'an object that is not plain data')
  const parts: string[] = []
  for (const key of Object.keys(object).sort()) {
    const value: unknown = Reflect.get(object, key)
    if (value === undefined) continue
    parts.push(`${JSON.stringify(key)}:${write(value, `${path}.${key}`, depth + 1)}`)
  }
  return `{${parts.join(',')}}`
}

/** Prototype null, or the `Object.prototype` of any realm. */
function isPlain(object: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(object)
  if (prototype === null || prototype === Object.prototype) return true
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}

function unfit(path: string, what: string): ToolwareError {
  const where = path.length > 80 ? `${path.slice(0, 80)}…` : path
  return new ToolwareError(
    'BAD_ARGUMENTS',
    `${where}: ${what} has no canonical text; use objects, arrays, texts, finite numbers, booleans and null`,
  )
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) freeze(inner)
    Object.freeze(value)
  }
  return value
}
