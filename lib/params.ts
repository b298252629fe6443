import { isDeepStrictEqual, types } from 'node:util'
import { quoted } from './errors.ts'
import { beyondBounds } from './json-bounds.ts'
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

/** Tells of a getter without running it. */
const lookupGetter = (
  Object.prototype as unknown as { __lookupGetter__(key: number): (() => unknown) | undefined }
).__lookupGetter__

/** Prototype null, or the `Object.prototype` of any realm. */
function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value)
  if (proto === Object.prototype || proto === null) return true
  if (types.isProxy(proto)) return false
  return Object.getPrototypeOf(proto) === null && Object.hasOwn(proto as object, 'isPrototypeOf')
}

/** One walk over a value that nobody has vouched for. Iterative, so that depth cannot exhaust the stack. */
class Intake {
  #nodes = 0
  #bytes = 0
  readonly #limits: IntakeLimits
  readonly #isExact: boolean
  /** JSON.parse has made the value: it is plain, nobody else's, and needs no copy. */
  readonly #isParsed: boolean
  /** What is still to be filled: source, target and depth, one after the other. */
  #open: unknown[] | undefined
  fault: string | undefined
  /** The fault may be due to rough counting. */
  tooRough = false

  constructor(limits: IntakeLimits, isExact: boolean, isParsed: boolean) {
    this.#limits = limits
    this.#isExact = isExact
    this.#isParsed = isParsed
  }

  /** Frozen plain data, or undefined with `fault` set. */
  take(value: object): Params | undefined {
    if (!isPlain(value)) return this.#refuse(NO_CLASS)
    const root = (this.#isParsed ? value : {}) as Record<string, unknown>
    this.#fillObject(value, root, 1)
    const open = this.#open
    while (open !== undefined && open.length > 0 && this.fault === undefined) {
      const depth = open.pop() as number
      const target = open.pop() as Container
      const source = open.pop() as object
      if (Array.isArray(target)) this.#fillArray(source as unknown[], target, depth)
      else this.#fillObject(source, target, depth)
    }
    return this.fault === undefined ? root : undefined
  }

  #refuse(reason: string): undefined {
    this.fault ??= reason
    return undefined
  }

  /** Makes the place of an object or array, which is filled later. */
  #later(source: object, depth: number): Container | undefined {
    if (depth > this.#limits.maxDepth) {
      return this.#refuse(tooDeep(this.#limits))
    }
    if (types.isProxy(source)) return this.#refuse('a proxy')
    const isArray = Array.isArray(source)
    if (!isArray && !isPlain(source)) return this.#refuse(NO_CLASS)
    if (isArray && this.#nodes + source.length > this.#limits.maxNodes) return this.#tooMany()
    const target = this.#isParsed ? (source as Container) : isArray ? [] : {}
    this.#open ??= []
    this.#open.push(source, target, depth)
    return target
  }

  #fillObject(source: object, target: Record<string, unknown>, depth: number): void {
    if (!this.#isParsed && Object.getOwnPropertySymbols(source).length > 0) {
      return this.#refuse('a symbol key')
    }
    for (const key of Object.keys(source)) {
      const value = this.#read(source, key)
      if (value === undefined) {
        if (this.fault !== undefined) return
        continue
      }
      if (key === '__proto__') return this.#refuse('an own key "__proto__"')
      if (!key.isWellFormed()) return this.#refuse('a key with half a surrogate pair')
      if (!this.#weigh(key)) return
      target[key] = this.#value(value, depth)
      if (this.fault !== undefined) return
    }
    Object.freeze(target)
  }

  #fillArray(source: unknown[], target: unknown[], depth: number): void {
    const { length } = source
    for (let i = 0; i < length; i++) {
      // As in JSON: what is not there is null.
      target[i] = this.#value(this.#readItem(source, i) ?? null, depth)
      if (this.fault !== undefined) return
    }
    Object.freeze(target)
  }

  /** As {@link #read}, in a quarter of the time where there is a plain value. */
  #readItem(source: readonly unknown[], i: number): unknown {
    const isPlainItem = Object.hasOwn(source, i) && lookupGetter.call(source, i) === undefined
    return isPlainItem && source[i] !== undefined ? source[i] : this.#read(source, i)
  }

  /** An own value; of a getter it takes note without running it. */
  #read(source: object, key: string | number): unknown {
    if (this.#isParsed) return (source as Record<string | number, unknown>)[key]
    const property = Object.getOwnPropertyDescriptor(source, key)
    if (property === undefined) return undefined
    const { value } = property
    if (value === undefined && (property.get !== undefined || property.set !== undefined)) {
      const where = typeof key === 'number' ? `in an array (item ${key})` : `(${quoted(key)})`
      return this.#refuse(`a getter or setter ${where}`)
    }
    return value
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
        return value === null ? null : this.#later(value, depth + 1)
      default:
        return this.#refuse(`a ${typeof value}`)
    }
  }

  /** A UTF-16 unit is at most three bytes: most arguments need no exact count. */
  #weigh(text: string): boolean {
    // It has come out of a longer text that was weighed; and what is frozen in place cannot be walked again.
    if (this.#isParsed) return true
    this.#bytes += this.#isExact ? Buffer.byteLength(text) : text.length * 3
    if (this.#bytes <= this.#limits.maxBytes) return true
    this.tooRough = !this.#isExact
    this.#refuse(`more than ${this.#limits.maxBytes} bytes of text`)
    return false
  }

  #tooMany(): undefined {
    return this.#refuse(tooMany(this.#limits))
  }
}

function take(value: unknown, limits: IntakeLimits, isParsed: boolean): Params | string {
  const notObject = whatInstead(value)
  if (notObject !== undefined) return `arguments must be an object, not ${notObject}`
  let intake = new Intake(limits, false, isParsed)
  let params = intake.take(value as Params)
  if (intake.tooRough) {
    intake = new Intake(limits, true, isParsed)
    params = intake.take(value as Params)
  }
  return params ?? `${NOT_PLAIN} ${intake.fault}`
}

/**
 * Copies arguments into frozen plain data, in bounded time and memory. Properties that are `undefined` are
 * dropped; holes in arrays become `null`.
 *
 * @returns The copy, or a text that says what the arguments contain that they may not.
 */
export function takeParams(value: unknown, limits: IntakeLimits = DEFAULT_LIMITS): Params | string {
  // Before anything is asked of it, since its answers are code.
  if (types.isProxy(value)) return `${NOT_PLAIN} a proxy`
  return take(value, limits, false)
}

function tooDeep({ maxDepth }: IntakeLimits): string {
  return `nested deeper than ${maxDepth} levels, or containing themselves`
}

function tooMany({ maxNodes }: IntakeLimits): string {
  return `more than ${maxNodes} values`
}

/** Shorter text is parsed without a look: it cannot become much. */
const MAX_UNSEEN = 65_536
const NO_CLASS = 'an instance of a class'
const NOT_PLAIN = 'arguments must be plain data within bounds; these have'

/** What a value is when it is no object that could be params. */
export function whatInstead(value: unknown): string | undefined {
  if (value === null) return 'null'
  if (typeof value !== 'object') return `a ${typeof value}`
  return Array.isArray(value) ? 'an array' : undefined
}

/** Parses arguments given as JSON text, and freezes them in place. Empty text means no arguments. */
export function parseArguments(
  text: unknown,
  limits: IntakeLimits = DEFAULT_LIMITS,
): Params | string {
  if (typeof text !== 'string') return `argumentsJson must be a text, not a ${typeof text}`
  if (text === '') return EMPTY
  if (Buffer.byteLength(text) > limits.maxBytes) {
    return `${NOT_PLAIN} more than ${limits.maxBytes} bytes of text`
  }
  const beyond = text.length > MAX_UNSEEN ? beyondBounds(text, limits) : undefined
  if (beyond !== undefined) {
    return `${NOT_PLAIN} ${beyond === 'nodes' ? tooMany(limits) : tooDeep(limits)}`
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return `argumentsJson is not JSON: ${(error as SyntaxError).message}`
  }
  return take(value, limits, true)
}

const EMPTY: Params = Object.freeze({})

/** A mutable plain copy of params that passed intake, for the tool. */
export function thaw(params: Params): Record<string, unknown> {
  // On a frozen object, faster than a spread.
  const copy: Record<string, unknown> = Object.assign({}, params)
  for (const key in copy) {
    const value = copy[key]
    if (typeof value === 'object' && value !== null) copy[key] = thawContainer(value)
  }
  return copy
}

// Recursion is safe here: intake has bounded the depth.
function thawContainer(value: object): unknown {
  return Array.isArray(value) ? value.map(thawItem) : thaw(value as Params)
}

function thawItem(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? thawContainer(item) : item
}

/** True when two params say the same, whatever the order of their keys. */
export function sameParams(a: Params, b: Params): boolean {
  return a === b || isDeepStrictEqual(a, b)
}
