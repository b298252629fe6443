import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ChainReport, verifyChain } from '../../lib/audit-chain.ts'
import { AuditFile, escapeJson, readHead } from '../../lib/audit-file.ts'
import { tempDir } from '../helpers/temp.ts'

const read = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1)
const verify = (file: string): Promise<ChainReport> => verifyChain(read(file), readHead(file))
const record = (n: number): string => `{"n":${n}}\n`

describe('AuditFile', () => {
  it('writes one line a record', () => {
    const file = join(tempDir(), 'audit.jsonl')
    const audit = new AuditFile({ file })
    audit.write(record(1))
    audit.write('{"n":2}')
    audit.close()
    expect(read(file)).toEqual(['{"n":1}', '{"n":2}'])
  })

  it('goes on with the chain of an earlier process', async () => {
    const file = join(tempDir(), 'audit.jsonl')
    for (const n of [1, 2, 3]) {
      const audit = new AuditFile({ file, chain: true })
      audit.write(record(n))
      audit.close()
    }
    expect(await verify(file)).toMatchObject({ ok: true, records: 3 })
  })

  it('keeps one chain when two writers take turns, and after close', async () => {
    const file = join(tempDir(), 'audit.jsonl')
    const a = new AuditFile({ file, chain: true })
    const b = new AuditFile({ file, chain: true })
    for (const audit of [a, b, b, a, b]) audit.write(record(1))
    a.close()
    a.write(record(2))
    b.close()
    a.close()
    expect(await verify(file)).toMatchObject({ ok: true, records: 6 })
  })

  it('leaves a gap that shows when records were cut off, also while it is open', async () => {
    const file = join(tempDir(), 'audit.jsonl')
    const audit = new AuditFile({ file, chain: true })
    audit.write(record(1))
    audit.write(record(2))
    truncateSync(file, (read(file)[0]?.length ?? 0) + 1)
    audit.write(record(3))
    audit.close()
    expect((await verify(file)).problems).toEqual([
      { line: 2, problem: 'record 2 is missing before record 3' },
    ])
  })

  it('shows that a whole file was removed', async () => {
    const file = join(tempDir(), 'audit.jsonl')
    for (const n of [1, 2]) {
      const audit = new AuditFile({ file, chain: true })
      audit.write(record(n))
      audit.close()
      if (n === 1) rmSync(file)
    }
    expect((await verify(file)).problems).toEqual([
      { line: 1, problem: 'record 1 is missing before record 2' },
    ])
  })

  it('goes on after a line that a crash cut', async () => {
    const file = join(tempDir(), 'audit.jsonl')
    const first = new AuditFile({ file, chain: true })
    first.write(record(1))
    first.close()
    writeFileSync(file, '{"n":2,"se', { flag: 'a' })
    const second = new AuditFile({ file, chain: true })
    second.write(record(2))
    second.close()
    expect(await verify(file)).toMatchObject({ ok: true, records: 2, torn: [2] })
  })

  it.each([
    ['/dev/null/audit.jsonl', /^audit\.file: cannot open "\/dev\/null\/audit\.jsonl" \(EEXIST/],
    ['/', /^audit\.file: cannot open "\/" \(EISDIR/],
  ])('says why %s cannot be opened', (file, message) => {
    expect(() => new AuditFile({ file })).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(message) }),
    )
  })

  it('refuses to continue a chain whose head is none', () => {
    const file = join(tempDir(), 'audit.jsonl')
    writeFileSync(`${file}.head`, 'x')
    expect(() => new AuditFile({ file, chain: true })).toThrow(
      /audit\.jsonl\.head is no head of a chain/,
    )
  })

  it('throws when a record does not get to the disk', () => {
    const audit = new AuditFile({ file: '/dev/full' })
    expect(() => audit.write(record(1))).toThrow(/ENOSPC/)
    audit.close()
  })
})

describe('escapeJson()', () => {
  it('escapes what a viewer could act on and keeps the value', () => {
    const value = { a: 'x\u2028y\u202ez\u0085\u{e0041}\ud800', b: 'grüße 😀' }
    const json = escapeJson(JSON.stringify(value))
    expect(json).toBe('{"a":"x\\u2028y\\u202ez\\u0085\\udb40\\udc41\\ud800","b":"grüße 😀"}')
    expect(JSON.parse(json)).toEqual(value)
  })
})

describe('readHead()', () => {
  it('has none beside a file that has no chain, and throws for what is no head', () => {
    const file = join(tempDir(), 'audit.jsonl')
    expect(readHead(file)).toBeUndefined()
    mkdirSync(`${file}.head`)
    expect(() => readHead(file)).toThrow(/EISDIR/)
  })
})
