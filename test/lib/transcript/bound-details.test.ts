import { describe, expect, it } from 'vitest'
import { boundDetails, MAX_DETAILS_BYTES } from '../../../lib/transcript/bound-details.ts'
import { jsonBytes } from '../../../lib/transcript/json-bytes.ts'
import { stripDetails } from '../../../lib/transcript/strip-details.ts'

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

describe('jsonBytes() (rule 98)', () => {
  it.each([
    [{}],
    [[]],
    ['ü"\n\u2028😀'],
    [{ a: undefined, b: () => 1, c: Symbol('x'), d: 1 }],
    [[undefined, () => 1, null]],
    [{ n: Number.NaN, i: Number.POSITIVE_INFINITY, z: -0, e: 1e21 }],
    [new Date(0)],
    [{ when: new Date(Number.NaN) }],
    [{ nested: { list: [1, [2, { x: 'y' }], true, false] } }],
  ])('counts %j as JSON does', (value) => {
    expect(jsonBytes(value, 10_000)).toEqual({ bytes: size(value), complete: true })
  })

  it('does not mind one object in two places', () => {
    const twice = { x: 1 }
    expect(jsonBytes({ a: twice, b: twice }, 100).complete).toBe(true)
  })

  it('counts a cycle, a bigint and a toJSON as incomplete', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    for (const value of [cycle, { n: 1n }, { toJSON: () => 'x' }]) {
      expect(jsonBytes(value, 10_000).complete).toBe(false)
    }
  })

  it('stops early', () => {
    let read = 0
    const wide = new Proxy(
      Array.from({ length: 100_000 }, () => 'xxxxxxxxxx'),
      {
        get(target, key, receiver) {
          read++
          return Reflect.get(target, key, receiver) as unknown
        },
      },
    )
    expect(jsonBytes(wide, 100).complete).toBe(false)
    expect(read).toBeLessThan(100)
  })

  it('survives nesting that would overflow the stack', () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(jsonBytes(deep, 1_000_000).complete).toBe(false)
  })
})

describe('boundDetails() (rule 97)', () => {
  it('gives the same object back within 8192 bytes, and a summary beyond', () => {
    const exact = { text: 'x'.repeat(MAX_DETAILS_BYTES - size({ text: '' })) }
    expect(size(exact)).toBe(8192)
    expect(boundDetails(exact)).toBe(exact)
    const over = { text: `${exact.text}x` }
    expect(boundDetails(over)).toEqual({
      persistedDetailsTruncated: true,
      originalDetailsBytes: 8193,
      originalDetailKeys: ['text'],
    })
  })

  it('leaves undefined and small values alone', () => {
    expect([boundDetails(undefined), boundDetails(null), boundDetails('x')]).toEqual([
      undefined,
      null,
      'x',
    ])
  })

  it('keeps what tells how the tool ended', () => {
    const details = {
      status: 'exited',
      exitCode: 0,
      cwd: '/w',
      success: true,
      error: new Error('x'),
      tail: 't'.repeat(3000),
      truncation: { lines: 3 },
      output: 'x'.repeat(20_000),
      sessions: Array.from({ length: 12 }, (_, i) => ({ id: i, log: 'l'.repeat(600), deep: {} })),
    }
    const summary = boundDetails(details) as Record<string, unknown>
    expect(summary).toMatchObject({
      persistedDetailsTruncated: true,
      status: 'exited',
      exitCode: 0,
      cwd: '/w',
      success: true,
      error: true,
      truncation: { lines: 3 },
      sessionsTruncated: 2,
    })
    expect((summary['tail'] as string).length).toBe(2000)
    const sessions = summary['sessions'] as Array<Record<string, string>>
    expect(sessions).toHaveLength(10)
    expect(Object.keys(sessions[0] ?? {})).toEqual(['id', 'log'])
    expect(sessions[0]?.['log']).toHaveLength(500)
    expect(summary).not.toHaveProperty('output')
    expect(size(summary)).toBeLessThanOrEqual(8192 + 2000)
  })

  it('falls back to short texts, then to none, when the summary is too big itself', () => {
    const status = Object.fromEntries(
      ['status', 'sessionId', 'cwd', 'name', 'exitSignal', 'tail'].map((key) => [
        key,
        'x'.repeat(2500),
      ]),
    )
    const short = boundDetails({ ...status, more: 'x' }) as Record<string, unknown>
    expect(short).toMatchObject({
      persistedDetailsTruncated: true,
      finalDetailsTruncated: true,
      sanitizedDetailsBytes: expect.any(Number),
    })
    expect((short['cwd'] as string).length).toBe(200)
    expect(size(short)).toBeLessThanOrEqual(8192)
    const least = boundDetails({ ...status, more: 'x' }, 300) as Record<string, unknown>
    expect(Object.keys(least)).toEqual([
      'persistedDetailsTruncated',
      'originalDetailsBytes',
      'finalDetailsTruncated',
      'sanitizedDetailsBytes',
    ])
  })

  it('lists at most 40 keys, and says the type of what is no object', () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`k${i}`, 'x'.repeat(200)]),
    )
    expect(
      (boundDetails(many) as { originalDetailKeys: string[] }).originalDetailKeys,
    ).toHaveLength(40)
    expect(boundDetails('x'.repeat(9000))).toMatchObject({ valueType: 'string' })
    expect(boundDetails(Array.from({ length: 9000 }, () => 1))).toMatchObject({
      valueType: 'array',
    })
  })

  it('counts what JSON cannot write as over the bound (rule 98)', () => {
    const cycle: Record<string, unknown> = { status: 'odd' }
    cycle['self'] = cycle
    expect(boundDetails(cycle)).toEqual({
      persistedDetailsTruncated: true,
      originalDetailsBytesAtLeast: 8193,
      originalDetailKeys: ['status', 'self'],
      status: 'odd',
    })
    expect(boundDetails({ n: 1n })).toMatchObject({ originalDetailsBytesAtLeast: 8193 })
  })

  it('never cuts a character in two', () => {
    const summary = boundDetails({ tail: `${'x'.repeat(1998)}😀tail`, more: 'x'.repeat(9000) })
    expect((summary as { tail: string }).tail).toBe(`${'x'.repeat(1998)}…`)
  })

  it('survives details that throw when they are read', () => {
    const trap = {
      get status(): string {
        throw new Error('trap')
      },
    }
    expect(boundDetails(trap)).toEqual({
      persistedDetailsTruncated: true,
      originalDetailsBytesAtLeast: 8193,
      originalDetailKeys: ['status'],
    })
  })
})

describe('stripDetails() (rule 100)', () => {
  it('takes details off, in copies, and leaves other messages as they are', () => {
    const plain = { role: 'user', content: 'hi' }
    const result: { role: string; content: string; details?: object } = {
      role: 'toolResult',
      content: 'ok',
      details: { big: true },
    }
    const [first, second] = stripDetails([plain, result])
    expect(first).toBe(plain)
    expect(second).toEqual({ role: 'toolResult', content: 'ok' })
    expect(result.details).toEqual({ big: true })
  })
})

describe('details that cannot be read', () => {
  it('become a summary that says nothing of them', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const closed = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no')
        },
      },
    )
    for (const details of [proxy, closed]) {
      expect(boundDetails(details)).toMatchObject({
        persistedDetailsTruncated: true,
        originalDetailKeys: [],
      })
    }
  })
})
