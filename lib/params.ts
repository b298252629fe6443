import { isDeepStrictEqual, types } from 'node:util'
import { quoted } from './errors.ts'
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

/** An object or array that was met inside another one. */
interface Inner {
  readonly source: Container
  readonly depth: number
  /** Where it stands: the index of the one around it, and the key there. */
  readonly around: number
  readonly key: string | number
}

/** Stands for the params themselves among those that are around others. */
const ROOT = -1

/**
 * One walk over a value that nobody has vouched for. It looks at everything before it copies anything: once all is
 * known to be plain data, copying runs no code of the caller's. Iterative, so that depth cannot exhaust the stack.
 */
class Intake {
  #nodes = 0
  #bytes = 0
  readonly #limits: IntakeLimits
  readonly #exact: boolean
  /** JSON.parse has made the value: it is plain, and nobody else's. */
  readonly #isParsed: boolean
  /** What was met on the way, each behind the one around it. */
  #inner: Inner[] | undefined
  /** Those with a value that JSON does not have: undefined, a hole, -0. */
  #odd: Set<Container> | undefined
  fault: string | undefined
  /** The fault may be due to rough counting. */
  tooRough = false

  constructor(limits: IntakeLimits, isExact: boolean, isParsed: boolean) {
    this.#limits = limits
    this.#exact = isExact
    this.#isParsed = isParsed
  }

  /** Frozen plain data: a copy, unless it was parsed. Undefined with `fault` set when it is something else. */
  take(value: Params): Params | undefined {
    if (!isPlain(value)) return this.#refuse(NO_CLASS)
    this.#lookInto(value, ROOT, 1)
    const inner = this.#inner
    if (inner !== undefined) {
      // The list grows while it is walked.
      for (let i = 0; i < inner.length && this.fault === undefined; i++) {
        const { source, depth } = inner[i] as Inner
        this.#lookInto(source, i, depth)
      }
    }
    if (this.fault !== undefined) return undefined
    const root = this.#own(value) as Record<string, unknown>
    if (inner !== undefined) this.#ownAll(root, inner)
    return Object.freeze(root)
  }

  #ownAll(root: Container, inner: readonly Inner[]): void {
    const all: Container[] = []
    for (const { source, around, key } of inner) {
      const own = this.#own(source)
      const place = (around === ROOT ? root : all[around]) as Record<string | number, unknown>
      place[key] = own
      all.push(own)
    }
    for (const own of all) Object.freeze(own)
  }

  #refuse(reason: string): undefined {
    this.fault ??= reason
    return undefined
  }

  #lookInto(source: Container, index: number, depth: number): void {
    if (Array.isArray(source)) {
      for (let i = 0; i < source.length; i++) {
        const value = this.#read(source, i)
        if (value === undefined) this.#isOdd(source)
        // As in JSON: what is not there is null.
        this.#look(value ?? null, source, index, i, depth)
        if (this.fault !== undefined) return
      }
      return
    }
    if (!this.#isParsed && Object.getOwnPropertySymbols(source).length > 0) {
      return this.#refuse('a symbol key')
    }
    for (const key of Object.keys(source)) {
      const value = this.#read(source, key)
      if (value === undefined) this.#isOdd(source)
      else if (key === '__proto__') this.#refuse('an own key "__proto__"')
      else if (!key.isWellFormed()) this.#refuse('a key with half a surrogate pair')
      else {
        this.#weigh(key)
        this.#look(value, source, index, key, depth)
      }
      if (this.fault !== undefined) return
    }
  }

  /** An own value; of a getter it takes note without running it. */
  #read(source: Container, key: string | number): unknown {
    if (this.#isParsed) return (source as Record<string | number, unknown>)[key]
    const property = Object.getOwnPropertyDescriptor(source, key)
    if (property === undefined) return undefined
    const { value } = property
    if (value === undefined && (property.get !== undefined || property.set !== undefined)) {
      const where = typeof key === 'number' ? `in an array (item ${key})` : `(${quoted(key)})`
      this.#refuse(`a getter or setter ${where}`)
    }
    return value
  }

  #look(
    value: unknown,
    source: Container,
    index: number,
    key: string | number,
    depth: number,
  ): void {
    if (++this.#nodes > this.#limits.maxNodes) return this.#tooMany()
    switch (typeof value) {
      case 'string':
        return this.#weigh(value)
      case 'boolean':
        return
      case 'number':
        if (!Number.isFinite(value)) {
          return this.#refuse(`a number that JSON does not have (${value})`)
        }
        if (Object.is(value, -0)) this.#isOdd(source)
        return
      case 'object':
        if (value !== null) this.#meet(value as Container, index, key, depth + 1)
        return
      default:
        return this.#refuse(`a ${typeof value}`)
    }
  }

  /** Keeps an object or array for later. */
  #meet(source: Container, around: number, key: string | number, depth: number): void {
    const { maxDepth, maxNodes } = this.#limits
    if (depth > maxDepth) {
      return this.#refuse(`nested deeper than ${maxDepth} levels, or containing themselves`)
    }
    if (!this.#isParsed && types.isProxy(source)) return this.#refuse('a proxy')
    if (Array.isArray(source)) {
      if (this.#nodes + source.length > maxNodes) return this.#tooMany()
    } else if (!this.#isParsed && !isPlain(source)) return this.#refuse(NO_CLASS)
    this.#inner ??= []
    this.#inner.push({ source, depth, around, key })
  }

  /** A UTF-16 unit is at most three bytes: most arguments need no exact count. */
  #weigh(text: string): void {
    this.#bytes += this.#exact ? Buffer.byteLength(text) : text.length * 3
    if (this.#bytes <= this.#limits.maxBytes) return
    this.tooRough = !this.#exact
    this.#refuse(`more than ${this.#limits.maxBytes} bytes of text`)
  }

  #tooMany(): void {
    this.#refuse(`more than ${this.#limits.maxNodes} values`)
  }

  #isOdd(source: Container): void {
    this.#odd ??= new Set()
    this.#odd.add(source)
  }

  /** What was looked at, as one's own: a shallow copy, or itself. As JSON would have it where that differs. */
  #own(source: Container): Container {
    const isOdd = this.#odd?.has(source) ?? false
    if (Array.isArray(source)) {
      if (this.#isParsed && !isOdd) return source
      const copy: unknown[] = []
      for (let i = 0; i < source.length; i++) {
        copy.push(isOdd && !Object.hasOwn(source, i) ? null : inJson(source[i]))
      }
      return copy
    }
    if (isOdd) return oddCopy(source)
    return this.#isParsed ? source : Object.assign({}, source)
  }
}

function oddCopy(source: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(source)) {
    if (source[key] !== undefined) copy[key] = inJson(source[key])
  }
  return copy
}

/** JSON text knows no undefined in lists and no -0, and everybody is to see the same. */
function inJson(value: unknown): unknown {
  if (value === undefined) return null
  return value === 0 ? 0 : value
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
