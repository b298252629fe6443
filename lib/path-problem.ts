import { accessSync, constants, statSync } from 'node:fs'

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
    isDirectory = statSync(path).isDirectory()
    if (isDirectory === (kind === 'directory')) accessSync(path, constants.R_OK)
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
