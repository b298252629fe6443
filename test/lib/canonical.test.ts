import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalCopy, canonicalDigest, canonicalJson } from '../../lib/canonical.ts'
import { isToolwareError } from '../../lib/errors.ts'

describe('canonicalJson()', () => {
  it('sorts keys at every depth', () => {
    expect(canonicalJson({ b: [{ z: 1, a: 2 }], a: null })).toBe('{"a":null,"b":[{"a":2,"z":1}]}')
  })

  it('drops undefined properties as JSON does', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}')
  })

  it('keeps an own __proto__ key as data', () => {
    const hostile = JSON.parse('{"__proto__":{"admin":true}}')
    expect(canonicalJson(hostile)).toBe('{"__proto__":{"admin":true}}')
    expect(canonicalDigest(hostile)).not.toBe(canonicalDigest({}))
    expect(Object.keys(canonicalCopy(hostile))).toEqual(['__proto__'])
  })

  it('takes objects without a prototype and from other realms', async () => {
    const { runInNewContext } = await import('node:vm')
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}')
    expect(canonicalJson(runInNewContext('({ a: [1] })'))).toBe('{"a":[1]}')
  })

  it.each([
    ['-0 from 0', -0, 0],
    ['text from number', '1', 1],
    ['null from absent', { a: null }, {}],
    ['an array from an object with the same keys', ['x'], { 0: 'x' }],
    ['composed from decomposed letters', '\u00e9', 'e\u0301'],
    ['letters that only look alike', 'a', '\u0430'],
    ['different lone surrogates', '\ud800', '\ud801'],
    ['a split key', { ab: 1 }, { a: 'b' }],
    ['different order of items', [1, 2], [2, 1]],
  ])('tells %s', (_, a, b) => {
    expect(canonicalDigest(a)).not.toBe(canonicalDigest(b))
  })

  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  it.each([
    ['a function', { a: () => 1 }],
    ['a symbol', { a: Symbol('x') }],
    ['a bigint', { a: 1n }],
    ['NaN', { a: Number.NaN }],
    ['an infinity', [Number.POSITIVE_INFINITY]],
    ['a date', { a: new Date(0) }],
    ['a map', { a: new Map([[1, 2]]) }],
    ['a hole', { a: new Array(1) }],
    ['data behind a prototype', Object.create(Object.assign(Object.create(null), { a: 1 }))],
    ['a cycle', cyclic],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENTS' }))
  })

  it('says where the trouble is', () => {
    expect(() =>
      canonicalJson({ edits: [{ when: new Date(0) }] }),
    ).toThrowErrorMatchingInlineSnapshot(
      `[ToolwareError: $.edits[0].when: an object that is not plain data has no canonical text; use objects, arrays, texts, finite numbers, booleans and null]`,
    )
  })

  it('is the same for equal data, and parses back to it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text)
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(value)
      }),
    )
  })
})

describe('canonicalCopy()', () => {
  it('is frozen to the bottom and shares nothing', () => {
    const source = { a: [{ b: -0 }] }
    const copy = canonicalCopy(source)
    source.a.push({ b: 1 })
    expect(copy).toEqual({ a: [{ b: -0 }] })
    expect(Object.isFrozen(copy.a[0])).toBe(true)
  })

  it('throws an error of this package', () => {
    let thrown: unknown
    try {
      canonicalCopy({ a: 1n })
    } catch (error) {
      thrown = error
    }
    expect(isToolwareError(thrown, 'BAD_ARGUMENTS')).toBe(true)
  })
})
