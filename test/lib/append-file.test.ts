import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AppendFile, lastLines } from '../../lib/append-file.ts'
import { tempDir } from '../helpers/temp.ts'

describe('AppendFile', () => {
  it('has each line in the file when append returns', () => {
    const path = join(tempDir(), 'a.jsonl')
    const file = new AppendFile(path)
    file.append('one')
    expect(readFileSync(path, 'utf8')).toBe('one\n')
    file.append('two')
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
    file.close()
  })

  it('makes missing directories and a file that only its owner can read', () => {
    const path = join(tempDir(), 'x/y/a.jsonl')
    new AppendFile(path).close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('keeps what was there and starts on a line of its own after a cut one', () => {
    const path = join(tempDir(), 'a.jsonl')
    writeFileSync(path, 'whole\ncut')
    const file = new AppendFile(path, { fsync: true })
    file.append('next')
    file.append('last')
    file.close()
    expect(readFileSync(path, 'utf8')).toBe('whole\ncut\nnext\nlast\n')
  })

  it('throws when the disk is full', () => {
    const file = new AppendFile('/dev/full')
    expect(() => file.append('x')).toThrow(/ENOSPC/)
    file.close()
  })

  it('throws at once for what cannot be opened', () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'd'))
    expect(() => new AppendFile(join(dir, 'd'))).toThrow(/EISDIR/)
  })

  it('closes twice and still writes what comes late', () => {
    const path = join(tempDir(), 'a.jsonl')
    const file = new AppendFile(path)
    file.close()
    file.close()
    file.append('late')
    expect(readFileSync(path, 'utf8')).toBe('late\n')
  })
})

describe('lastLines()', () => {
  it('gives the last lines first, and none for a missing file', () => {
    const path = join(tempDir(), 'a')
    expect(lastLines(path)).toEqual([])
    writeFileSync(path, 'one\ntwo\nthree\n')
    expect(lastLines(path)).toEqual(['three', 'two', 'one'])
    expect(lastLines(path, 6)).toEqual(['three'])
  })

  it('throws for what is no file', () => {
    expect(() => lastLines(tempDir())).toThrow(/EISDIR/)
  })
})
