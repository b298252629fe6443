import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseArguments, sameParams, takeParams, thaw } from '../../lib/params.ts'

const refused = (value: unknown): string => {
  const taken = takeParams(value)
  if (typeof taken !== 'string') throw new Error('was taken')
  return taken
}

/** What JSON can say, and intake takes. */
const plainData = fc
  .dictionary(
    fc.string().filter((key) => key.isWellFormed()),
    fc.jsonValue(),
  )
  .filter((value) => !JSON.stringify(value).includes('__proto__'))

describe('takeParams()', () => {
  it('copies plain data, deep-frozen, whatever JSON can say', () => {
    fc.assert(
      fc.property(plainData, (value) => {
        const taken = takeParams(value)
        expect(taken).toEqual(JSON.parse(JSON.stringify(value)))
        expect(taken).not.toBe(value)
        expect(Object.isFrozen(taken)).toBe(true)
        for (const part of Object.values(taken)) expect(Object.isFrozen(part)).toBe(true)
      }),
    )
  })

  it('makes 0 of -0, which JSON text does not have, at any depth', () => {
    const taken = takeParams({ a: -0, b: [1, -0, { c: -0 }] })
    expect(taken).toStrictEqual({ a: 0, b: [1, 0, { c: 0 }] })
    expect(Object.isFrozen((taken as { b: unknown[] }).b[2])).toBe(true)
  })

  it('does not look behind a list for what is missing in it', () => {
    const holes = Object.setPrototypeOf(new Array(2), { 0: 'behind', length: 2 })
    expect(takeParams({ a: holes })).toEqual({ a: [null, null] })
  })

  it('runs nothing that a list brings along', () => {
    const list = Object.assign(['a'], {
      slice: () => ['other'],
      [Symbol.iterator]: () => ['other'].values(),
    })
    Object.defineProperty(list, 'constructor', { value: { [Symbol.species]: () => ['other'] } })
    expect(takeParams({ list })).toEqual({ list: ['a'] })
  })

  it('copies what stands twice twice, and does not let the copies share', () => {
    const shared = { a: [1] }
    const taken = takeParams({ x: shared, y: [shared, shared] }) as Record<string, unknown>
    expect(taken).toEqual({ x: { a: [1] }, y: [{ a: [1] }, { a: [1] }] })
    const [one, two] = taken['y'] as unknown[]
    expect(one).not.toBe(two)
  })

  it('takes objects without a prototype and of other realms', () => {
    expect(takeParams(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
    expect(takeParams(runInNewContext('({ a: { b: [1, { c: 2 }] } })'))).toEqual({
      a: { b: [1, { c: 2 }] },
    })
  })

  it('drops properties that are undefined, and makes holes null', () => {
    expect(takeParams({ a: undefined, b: [1, undefined, 3], c: new Array(2) })).toEqual({
      b: [1, null, 3],
      c: [null, null],
    })
  })

  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const sparse: unknown[] = []
  sparse.length = 1_000_000_000
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const hostile: Array<[string, unknown, RegExp]> = [
    ['text', 'x', /must be an object, not a string/],
    ['a list', [], /not an array/],
    ['null', null, /not null/],
    ['a cycle', cyclic, /containing themselves/],
    ['a bigint', { a: 1n }, /a bigint/],
    ['NaN', { a: Number.NaN }, /NaN/],
    ['Infinity', { a: Number.POSITIVE_INFINITY }, /Infinity/],
    ['a function', { a: () => 1 }, /a function/],
    ['a symbol', { a: Symbol('x') }, /a symbol/],
    ['a symbol key', { [Symbol('x')]: 1 }, /a symbol key/],
    [
      'a getter',
      {
        get a() {
          throw new Error('ran')
        },
      },
      /getter or setter \("a"\)/,
    ],
    ['a setter', { set a(_v: unknown) {} }, /getter or setter/],
    [
      'a setter in a list',
      { a: Object.defineProperty([1, 2], 1, { set: () => undefined, enumerable: true }) },
      /getter or setter in an array \(item 1\)/,
    ],
    [
      'a getter in a list',
      { a: Object.defineProperty([1], 0, { get: () => 2, enumerable: true }) },
      /getter or setter in an array/,
    ],
    ['a class instance', { a: new Date(0) }, /an instance of a class/],
    ['a Map', { a: new Map() }, /an instance of a class/],
    [
      'a toJSON of a class',
      {
        a: new (class {
          toJSON() {
            return 'x'
          }
        })(),
      },
      /an instance/,
    ],
    [
      'a proxy',
      {
        a: new Proxy(
          {},
          {
            get: () => {
              throw new Error('ran')
            },
          },
        ),
      },
      /a proxy/,
    ],
    ['a proxy of a list', { a: new Proxy([], {}) }, /a proxy/],
    ['a revoked proxy', { a: revoked.proxy }, /a proxy/],
    ['a sparse giant', { a: sparse }, /more than 100000 values/],
    ['an own __proto__', JSON.parse('{"a":{"__proto__":{}}}'), /__proto__/],
    ['half a surrogate pair in a key', { '\ud800': 1 }, /half a surrogate pair/],
    ['boxed text', { a: new String('x') }, /an instance of a class/],
  ]
  for (const [what, value, message] of hostile) {
    it(`refuses ${what}`, () => {
      expect(refused(value)).toMatch(message)
    })
  }

  it('asks nothing of a prototype that is a proxy', () => {
    const asked: string[] = []
    const proto = new Proxy(
      {},
      {
        getPrototypeOf: () => {
          asked.push('getPrototypeOf')
          return null
        },
        getOwnPropertyDescriptor: () => {
          asked.push('getOwnPropertyDescriptor')
          return { value: 1, configurable: true }
        },
      },
    )
    for (const params of [
      Object.create(proto),
      { a: Object.create(proto) },
      { a: [Object.create(proto)] },
    ]) {
      expect(takeParams(params)).toMatch(/an instance of a class$/)
    }
    expect(asked).toEqual([])
  })

  it('refuses a top-level proxy without running its traps', () => {
    let ran = 0
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          ran++
          return []
        },
        getPrototypeOf: () => {
          ran++
          return null
        },
      },
    )
    expect(refused(proxy)).toMatch(/a proxy/)
    expect(ran).toBe(0)
  })

  it('keeps its bounds in depth, values and bytes, and is exact at them', () => {
    const deep = (n: number): unknown => (n === 1 ? {} : { a: deep(n - 1) })
    expect(typeof takeParams(deep(64))).toBe('object')
    expect(refused(deep(65))).toMatch(/deeper than 64/)
    const limits = { maxDepth: 64, maxNodes: 10, maxBytes: 10 }
    expect(typeof takeParams({ a: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, limits)).toBe('object')
    expect(takeParams({ a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, limits)).toMatch(
      /more than 10 values/,
    )
    expect(typeof takeParams({ a: '123456789' }, limits)).toBe('object')
    expect(takeParams({ a: '1234567890' }, limits)).toMatch(/more than 10 bytes/)
    expect(takeParams({ a: '文文文文' }, limits)).toMatch(/more than 10 bytes/)
    expect(typeof takeParams({ a: '文文文' }, limits)).toBe('object')
  })

  it('does not overflow the stack on what is very deep', () => {
    let deep: unknown = {}
    for (let i = 0; i < 100_000; i++) deep = { a: deep }
    expect(refused(deep)).toMatch(/deeper than 64/)
  })

  it('stops early at what would expand without end', () => {
    let bomb: unknown = ['x']
    for (let i = 0; i < 40; i++) bomb = [bomb, bomb]
    expect(refused({ bomb })).toMatch(/more than 100000 values/)
  })
})

describe('parseArguments()', () => {
  it('parses an object, and takes empty text for none', () => {
    expect(parseArguments('{"a":[1]}')).toEqual({ a: [1] })
    expect(parseArguments('')).toEqual({})
  })

  it('says what is wrong with a text', () => {
    expect(parseArguments('{"a":')).toMatch(/is not JSON/)
    expect(parseArguments('[1]')).toMatch(/not an array/)
    expect(parseArguments('null')).toMatch(/not null/)
    expect(parseArguments(5)).toMatch(/must be a text/)
    expect(
      parseArguments(`{"a":"${'x'.repeat(20)}"}`, { maxDepth: 9, maxNodes: 9, maxBytes: 20 }),
    ).toMatch(/more than 20 bytes/)
    expect(parseArguments('['.repeat(50_000))).toMatch(/is not JSON/)
    expect(parseArguments('['.repeat(100_000))).toMatch(/deeper than 64/)
    expect(parseArguments(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`)).toMatch(/deeper than 64/)
  })

  it('freezes at any depth, and makes 0 of -0', () => {
    const taken = parseArguments('{"a":-0,"b":[{"c":[-0,null]},-0]}') as { b: object[] }
    expect(taken).toStrictEqual({ a: 0, b: [{ c: [0, null] }, 0] })
    expect([taken, taken.b, taken.b[0]].every(Object.isFrozen)).toBe(true)
  })

  it('refuses what takeParams() refuses: an own __proto__, half a surrogate pair, too many values', () => {
    expect(parseArguments('{"a":[{"__proto__":{}}]}')).toMatch(/__proto__/)
    expect(parseArguments('{"a":{"\\ud800":1}}')).toMatch(/half a surrogate pair/)
    const limits = { maxDepth: 9, maxNodes: 3, maxBytes: 99 }
    expect(parseArguments('{"a":[1,2,3]}', limits)).toMatch(/more than 3 values/)
    expect(parseArguments('{"a":1e999}')).toMatch(/Infinity/)
  })

  it('takes exactly what takeParams() takes of the same text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseArguments(text)).toEqual(takeParams(JSON.parse(text)))
      }),
    )
  })

  it('takes text as long as the bound, with whatever is nested in it', () => {
    const text = JSON.stringify({ a: 1, b: { c: ['x'.repeat(40), { 文: '文' }] } })
    const limits = { maxDepth: 9, maxNodes: 9, maxBytes: Buffer.byteLength(text) }
    expect(parseArguments(text, limits)).toEqual(JSON.parse(text))
    expect(parseArguments(`${text} `, limits)).toMatch(/bytes of text/)
  })

  it('does not parse a long text first that holds too much', () => {
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    for (const [text, problem] of [
      [`{"a":[${'[],'.repeat(200_000)}1]}`, /more than 100000 values$/],
      [`{"a":${'['.repeat(200_000)}`, /nested deeper than 64 levels/],
      [`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`, /nested deeper than 64 levels/],
    ] as const) {
      expect(parseArguments(text)).toMatch(problem)
    }
    expect(parse).not.toHaveBeenCalled()
    expect(parseArguments(`{"a":"${'[{,'.repeat(200_000)}"}`)).toHaveProperty('a')
  })

  it('judges the last of keys that stand twice', () => {
    expect(parseArguments('{"path":"a","path":"/etc"}')).toEqual({ path: '/etc' })
  })
})

describe('thaw() and sameParams()', () => {
  it('gives back an equal mutable copy', () => {
    fc.assert(
      fc.property(plainData, (value) => {
        const taken = takeParams(value) as Record<string, unknown>
        const copy = thaw(taken)
        expect(copy).toEqual(taken)
        expect(sameParams(copy, taken)).toBe(true)
        copy['added'] = 1
        expect(Object.isFrozen(copy)).toBe(false)
      }),
    )
  })

  it('sees a difference at any depth', () => {
    expect(sameParams({ a: { b: [1, 2] } }, { a: { b: [2, 1] } })).toBe(false)
    expect(sameParams({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true)
  })
})
