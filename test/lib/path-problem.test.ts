import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pathProblem } from '../../lib/path-problem.ts'
import { tempDir } from '../helpers/temp.ts'

const isRoot = process.getuid?.() === 0

function folder(): string {
  const dir = tempDir()
  writeFileSync(join(dir, 'file'), 'x')
  symlinkSync('file', join(dir, 'link'))
  symlinkSync('circle', join(dir, 'circle'))
  return dir
}

describe('pathProblem()', () => {
  it.each([
    ['file', 'file'],
    ['link', 'file'],
    ['.', 'directory'],
  ] as const)('finds nothing wrong with %s as a %s', (name, kind) => {
    expect(pathProblem(join(folder(), name), kind, 'another')).toBeUndefined()
  })

  it.each([
    ['nope', 'file', 'there is no such file; name another'],
    ['nope', 'directory', 'there is no such directory; name another'],
    [
      'file/x',
      'file',
      'there is no such file, since a part of its path is no directory; name another',
    ],
    ['.', 'file', 'is a directory; name another'],
    ['file', 'directory', 'is no directory; name another'],
    ['circle', 'file', 'its links lead in a circle; name another'],
    ['x'.repeat(300), 'file', 'the name is too long; name another'],
    ['a\0b', 'file', 'cannot be read (ERR_INVALID_ARG_VALUE); name another'],
  ] as const)('says what is wrong with %s as a %s', (name, kind, problem) => {
    const dir = folder()
    expect(pathProblem(name.includes('\0') ? name : join(dir, name), kind, 'another')).toBe(problem)
  })

  it.skipIf(isRoot)('says that this user may not read it', () => {
    const dir = folder()
    chmodSync(join(dir, 'file'), 0)
    expect(pathProblem(join(dir, 'file'), 'file', 'another')).toBe(
      'this user may not read it; name another',
    )
  })
})
