import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs'

/**
 * Why a path that a person named cannot be read, and what to do, to stand after its name; undefined when it can.
 *
 * @param wanted What it should be, such as `a file of calls`.
 */
export function pathProblem(
  path: string,
  kind: 'file' | 'directory',
  wanted: string,
): string | undefined {
  let isDirectory: boolean
  try {
    const found = statSync(path)
    isDirectory = found.isDirectory()
    // Opened, since `access` looks at the real user only; but to open a pipe is to take part in it.
    if (found.isFile()) closeSync(openSync(path, 'r'))
    else accessSync(path, constants.R_OK)
  } catch (error) {
    return `${said(error, kind)}; name ${wanted}`
  }
  if (isDirectory === (kind === 'directory')) return undefined
  return `is ${isDirectory ? 'a' : 'no'} directory; name ${wanted}`
}

function said(error: unknown, kind: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  switch (code) {
    case 'ENOENT':
      return `there is no such ${kind}`
    case 'ENOTDIR':
      return `there is no such ${kind}, since a part of its path is no directory`
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it'
    case 'ELOOP':
      return 'its links lead in a circle'
    case 'ENAMETOOLONG':
      return 'the name is too long'
    default:
      return `cannot be read (${code})`
  }
}
