import { isDeepStrictEqual, types } from 'node:util'
import type { Params } from './types.ts'

/** Bounds of {@link takeParams} and {@link parseArguments}. */
export interface IntakeLimits {
  /** Levels of objects and arrays, the params themselves being the first. */
  readonly maxDepth: number
  /** Values of every kind, in all. */
  readonly maxNodes: number
  /** UTF-8 bytes of keys and texts, in all. */
  readonly maxBytes: number
}

export const DEFAULT_LIMITS: IntakeLimits = {
  maxDepth: 64,
  maxNodes: 100_000,
  maxBytes: 16 * 1024 * 1024,
}

type Container = Record<string, unknown> | unknown[]

/** Prototype null, or the `Object.prototype` of any realm. */
function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value)
  if (proto === Object.prototype || proto === null) return true
  return Object.getPrototypeOf(proto) === null && Object.hasOwn(proto as object, 'isPrototypeOf')
}

/** One walk over a value that nobody has vouched for. Iterative, so that depth cannot exhaust the stack. */
class Intake {
  #nodes = 0
  #bytes = 0
  readonly #limits: IntakeLimits
  readonly #sources: object[] = []
  readonly #targets: Container[] = []
  readonly #depths: number[] = []
  readonly #exact: boolean
  fault: string | undefined
  /** The fault may be due to rough counting. */
  tooRough = false

  constructor(limits: IntakeLimits, exact: boolean) {
    this.#limits = limits
    this.#exact = exact
  }

  /** A frozen plain copy, or undefined with `fault` set. */
  copy(value: object): Params | undefined {
    const root = this.#open(value, 1) as Params | undefined
    while (this.fault === undefined && this.#sources.length > 0) {
      const source = this.#sources.pop() as object
      const target = this.#targets.pop() as Container
      const depth = this.#depths.pop() as number
      if (Array.isArray(target)) this.#fillArray(source as unknown[], target, depth)
      else this.#fillObject(source, target, depth)
      Object.freeze(target)
    }
    return this.fault === undefined ? root : undefined
  }

  #refuse(reason: string): undefined {
    this.fault ??= reason
    return undefined
  }

  #open(source: object, depth: number): Container | undefined {
    if (depth > this.#limits.maxDepth) {
      return this.#refuse(
        `nested deeper than ${this.#limits.maxDepth} levels, or containing themselves`,
      )
    }
    if (types.isProxy(source)) return this.#refuse('a proxy')
    const isArray = Array.isArray(source)
    if (!isArray && !isPlain(source)) return this.#refuse('an instance of a class')
    if (isArray && this.#nodes + source.length > this.#limits.maxNodes) return this.#tooMany()
    const target: Container = isArray ? [] : {}
    this.#sources.push(source)
    this.#targets.push(target)
    this.#depths.push(depth)
    return target
  }

  #fillObject(source: object, target: Record<string, unknown>, depth: number): void {
    for (const key of Reflect.ownKeys(source)) {
      if (typeof key === 'symbol') return this.#refuse('a symbol key')
      const property = Object.getOwnPropertyDescriptor(source, key)
      if (property === undefined || !property.enumerable) continue
      if (property.get !== undefined || property.set !== undefined) {
        return this.#refuse(`a getter or setter (${JSON.stringify(key)})`)
      }
      if (property.value === undefined) continue
      if (key === '__proto__') return this.#refuse('an own key "__proto__"')
      if (!key.isWellFormed()) return this.#refuse('a key with half a surrogate pair')
      if (!this.#weigh(key)) return
      target[key] = this.#value(property.value, depth)
      if (this.fault !== undefined) return
    }
  }

  #fillArray(source: unknown[], target: unknown[], depth: number): void {
    for (let i = 0; i < source.length; i++) {
      const property = Object.getOwnPropertyDescriptor(source, i)
      if (property?.get !== undefined || property?.set !== undefined) {
        return this.#refuse('a getter or setter in an array')
      }
      // As in JSON: what is not there is null.
      target.push(
        property?.value === undefined
          ? this.#value(null, depth)
          : this.#value(property.value, depth),
      )
      if (this.fault !== undefined) return
    }
  }

  #value(value: unknown, depth: number): unknown {
    if (++this.#nodes > this.#limits.maxNodes) return this.#tooMany()
    switch (typeof value) {
      case 'string':
        return this.#weigh(value) ? value : undefined
      case 'boolean':
        return value
      case 'number':
        if (!Number.isFinite(value)) {
          return this.#refuse(`a number that JSON does not have (${value})`)
        }
        // JSON text knows no -0, and everybody is to see the same.
        return value === 0 ? 0 : value
      case 'object':
        return value === null ? null : this.#open(value, depth + 1)
      default:
        return this.#refuse(`a ${typeof value}`)
    }
  }

  /** A UTF-16 unit is at most three bytes: most arguments need no exact count. */
  #weigh(text: string): boolean {
    this.#bytes += this.#exact ? Buffer.byteLength(text) : text.length * 3
    if (this.#bytes <= this.#limits.maxBytes) return true
    this.tooRough = !this.#exact
    this.#refuse(`more than ${this.#limits.maxBytes} bytes of text`)
    return false
  }

  #tooMany(): undefined {
    return this.#refuse(`more than ${this.#limits.maxNodes} values`)
  }
}

/**
 * Copies arguments into frozen plain data, in bounded time and memory. Properties that are `undefined` are
 * dropped; holes in arrays become `null`.
 *
 * @returns The copy, or a text that says what the arguments contain that they may not.
 */
export function takeParams(value: unknown, limits: IntakeLimits = DEFAULT_LIMITS): Params | string {
  if (types.isProxy(value)) return `${NOT_PLAIN} a proxy`
  const notObject = whatInstead(value)
  if (notObject !== undefined) return `arguments must be an object, not ${notObject}`
  let intake = new Intake(limits, false)
  let params = intake.copy(value as object)
  if (intake.tooRough) {
    intake = new Intake(limits, true)
    params = intake.copy(value as object)
  }
  return params ?? `${NOT_PLAIN} ${intake.fault}`
}

const NOT_PLAIN = 'arguments must be plain data within bounds; these have'

/** What a value is when it is no object that could be params. */
export function whatInstead(value: unknown): string | undefined {
  if (value === null) return 'null'
  if (typeof value !== 'object') return `a ${typeof value}`
  return Array.isArray(value) ? 'an array' : undefined
}

/** Parses arguments given as JSON text. Empty text means no arguments. */
export function parseArguments(
  text: unknown,
  limits: IntakeLimits = DEFAULT_LIMITS,
): Params | string {
  if (typeof text !== 'string') return `argumentsJson must be a text, not a ${typeof text}`
  if (text === '') return EMPTY
  if (Buffer.byteLength(text) > limits.maxBytes) {
    return `${NOT_PLAIN} more than ${limits.maxBytes} bytes of text`
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return `argumentsJson is not JSON: ${(error as SyntaxError).message}`
  }
  return takeParams(value, limits)
}

const EMPTY: Params = Object.freeze({})

/** A mutable plain copy of params that passed intake, for the tool. */
export function thaw(params: Params): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(params)) copy[key] = thawValue(params[key])
  return copy
}

// Recursion is safe here: intake has bounded the depth.
function thawValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(thawValue)
  return thaw(value as Params)
}

/** True when two params say the same, whatever the order of their keys. */
export function sameParams(a: Params, b: Params): boolean {
  return a === b || isDeepStrictEqual(a, b)
}
