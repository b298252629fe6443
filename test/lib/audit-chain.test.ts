import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ChainReport,
  formatHead,
  GENESIS,
  type Link,
  parseHead,
  readLink,
  seal,
  verifyChain,
} from '../../lib/audit-chain.ts'

function chain(count: number): { lines: string[]; head: Link } {
  const lines: string[] = []
  let head = GENESIS
  for (let i = 0; i < count; i++) {
    const event = i % 2 === 0 ? 'arrived' : 'ended'
    const sealed = seal(JSON.stringify({ event, id: `c${i >> 1}`, text: `record ${i}` }), head)
    lines.push(sealed.line)
    head = sealed.link
  }
  return { lines, head }
}

const { lines, head } = chain(10)
const verify = (changed: string[], end: Link | undefined = head): Promise<ChainReport> =>
  verifyChain(changed, end)

describe('verifyChain()', () => {
  it('accepts what was written', async () => {
    expect(await verify(lines)).toEqual({
      records: 10,
      problems: [],
      torn: [],
      interrupted: [],
      last: head,
      ok: true,
    })
  })

  it('accepts an empty file without a head', async () => {
    expect((await verifyChain([])).ok).toBe(true)
  })

  it('finds any changed character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(9),
        fc.nat(400),
        fc.constantFrom('x', '0', ' ', '"', '\\'),
        async (at, index, char) => {
          const line = lines[at] ?? ''
          const i = index % line.length
          fc.pre(line[i] !== char)
          const changed = lines.with(at, line.slice(0, i) + char + line.slice(i + 1))
          expect((await verify(changed)).ok).toBe(false)
        },
      ),
    )
  })

  it('finds any removal, also of the first and the last records', async () => {
    for (let from = 0; from < lines.length; from++) {
      for (let to = from + 1; to <= lines.length; to++) {
        expect((await verify(lines.toSpliced(from, to - from))).ok).toBe(false)
      }
    }
  })

  it('finds any reordering and any repetition', async () => {
    for (let i = 0; i < lines.length; i++) {
      for (let j = 0; j < lines.length; j++) {
        const moved = lines.toSpliced(i, 1).toSpliced(j, 0, lines[i] ?? '')
        if (i !== j) expect((await verify(moved)).ok).toBe(false)
        expect((await verify(lines.toSpliced(j, 0, lines[i] ?? ''))).ok).toBe(false)
      }
    }
  })

  it('finds a record that was written anew with a hash that fits', async () => {
    const before = readLink(lines[3] ?? '') ?? GENESIS
    const forged = seal('{"event":"arrived","id":"forged"}', before).line
    const report = await verify(lines.with(4, forged))
    expect(report.problems).toEqual([
      {
        line: 6,
        problem: 'record 6 does not follow the record before it: one of them was replaced',
      },
    ])
    const last = readLink(lines[8] ?? '') ?? GENESIS
    expect((await verify(lines.with(9, seal('{"a":1}', last).line))).problems).toEqual([
      { line: 10, problem: 'record 10 is not the one that the head file names' },
    ])
  })

  it('says which records are missing', async () => {
    expect((await verify(lines.toSpliced(2, 3))).problems).toEqual([
      { line: 3, problem: 'records 3 to 5 are missing before record 6' },
    ])
    expect((await verify(lines.slice(0, 9))).problems).toEqual([
      { line: 0, problem: 'record 10 is missing at the end of the file' },
    ])
  })

  it('finds a record from outside the chain', async () => {
    expect((await verify(lines.toSpliced(5, 0, '{"event":"arrived","id":"x"}'))).ok).toBe(false)
  })

  it('accepts a line that a crash cut, since no record is missing for it', async () => {
    const report = await verify(lines.toSpliced(4, 0, '{"event":"arri'))
    expect(report).toMatchObject({ ok: true, torn: [5], records: 10 })
  })

  it.each(['# notes', 'hello', '[1]', '"text"', '7'])(
    'refuses %s, which no crash makes of a record',
    async (line) => {
      expect(await verify(lines.toSpliced(4, 0, line))).toMatchObject({
        ok: false,
        torn: [],
        problems: [{ line: 5, problem: 'the line is no record, nor the beginning of one' }],
      })
    },
  )

  it('accepts the zeros that a disk puts in place of lost text', async () => {
    expect(await verify(lines.toSpliced(4, 0, '\0\0\0'))).toMatchObject({ ok: true, torn: [5] })
  })

  it('accepts a head that a crash left behind', async () => {
    expect((await verify(lines, readLink(lines[8] ?? ''))).ok).toBe(true)
  })

  it('names calls that never ended', async () => {
    expect((await verifyChain(lines.slice(0, 9))).interrupted).toEqual(['c4'])
  })

  it('lists at most 100 problems', async () => {
    const many = chain(300).lines.map((line) => line.replace('record', 'edited'))
    const report = await verifyChain(many)
    expect(report.problems).toHaveLength(100)
    expect(report.ok).toBe(false)
  })
})

describe('parseHead()', () => {
  it('reads what formatHead() wrote, and nothing else', () => {
    expect(parseHead(formatHead(head))).toEqual(head)
    for (const text of [
      '',
      '{}',
      '[]',
      'null',
      '{"seq":1,"hash":"x"}',
      '{"seq":-1,"hash":"'.concat('0'.repeat(64), '"}'),
    ]) {
      expect(parseHead(text)).toBeUndefined()
    }
  })
})
