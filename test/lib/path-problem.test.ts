import { execFileSync } from 'node:child_process'
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pathProblem } from '../../lib/path-problem.ts'
import { tempDir } from '../helpers/temp.ts'

/** With the rights of a user who owns nothing; root may read everything. */
function asNobody<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

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

  it('says that this user may not read it', () => {
    const dir = folder()
    chmodSync(dir, 0o755)
    chmodSync(join(dir, 'file'), 0)
    const problem = asNobody(() => pathProblem(join(dir, 'file'), 'file', 'another'))
    expect(problem).toBe('this user may not read it; name another')
  })

  it('does not open a pipe, and so does not wait for its other end', () => {
    const pipe = join(folder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    expect(pathProblem(pipe, 'file', 'another')).toBeUndefined()
  })
})
