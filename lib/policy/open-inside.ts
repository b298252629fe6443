import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { ToolwareError } from '../errors.ts'
import { shorten } from './finding.ts'
import { openGround } from './ground.ts'
import { hostPlatform, pathPolicy } from './paths.ts'

/** How {@link openInside} opens a file. `w` empties it only after the checks. */
export type OpenMode = 'r' | 'r+' | 'w' | 'wx' | 'a'

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants
// Missing on Windows, where they are not needed for what they guard against here.
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0
const O_NONBLOCK = constants.O_NONBLOCK ?? 0

const FLAGS: Readonly<Record<OpenMode, number>> = {
  r: O_RDONLY,
  'r+': O_RDWR,
  w: O_WRONLY | O_CREAT,
  wx: O_WRONLY | O_CREAT | O_EXCL,
  a: O_WRONLY | O_CREAT | O_APPEND,
}

function refuse(path: string, why: string): never {
  throw new ToolwareError('DENIED', `"${shorten(path)}": ${why}`, {
    details: { path: shorten(path) },
  })
}

/**
 * Opens a plain file inside a directory for a tool, and makes sure after the opening that it is the file that was
 * judged: no link was put in its place meanwhile, neither as the file nor as a directory above.
 *
 * Between the opening and that look a new file may have been made elsewhere: it is left empty, and the call fails.
 *
 * @param root The directory; must exist.
 * @param path Absolute, or relative to `root`. No URL, and `~` is a plain name.
 * @throws {TypeError} For another mode.
 * @throws {ToolwareError} `DENIED` when the path leads outside, is no plain file, or changed while it was opened;
 * errors of the file system as they are.
 * @example const file = await openInside('/srv/work', 'notes/today.md', 'w')
 */
export async function openInside(
  root: string,
  path: string,
  mode: OpenMode = 'r',
): Promise<FileHandle> {
  if (!Object.hasOwn(FLAGS, mode)) {
    throw new TypeError(
      `"${shorten(String(mode))}" is no mode; use ${Object.keys(FLAGS).join(', ')}`,
    )
  }
  const policy = pathPolicy({ base: root, baseKey: 'root', within: { rule: 'root', dirs: ['.'] } })
  // A plain name, never a URL: it is opened as it is judged.
  const found = policy.judgeWord(path, mode === 'r' ? 'read' : 'write')
  if (found) refuse(path, found.reason)
  const place = openGround(root, hostPlatform(), 'root').place(path, policy.cwd)
  if (typeof place === 'string') refuse(path, place)
  const { real } = place
  // A link may have come since; what is opened has to be without any.
  if (real !== policy.cwd && !real.startsWith(withEnd(policy.cwd))) refuse(path, 'it leads outside')

  const before = await lstatIfThere(real)
  if (before && !before.isFile()) refuse(path, 'this is no plain file')
  const file = await open(real, FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK, 0o666)
  try {
    const opened = await file.stat()
    const isSame = before === undefined || (opened.dev === before.dev && opened.ino === before.ino)
    if (!opened.isFile() || !isSame || (await whereIs(file, real, opened)) !== real) {
      refuse(path, 'it was replaced while it was opened')
    }
    if (mode === 'w') await file.truncate(0)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

function withEnd(dir: string): string {
  return dir.endsWith(sep) ? dir : dir + sep
}

async function lstatIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** The path of an open file: from the kernel on Linux, elsewhere by looking it up anew. */
async function whereIs(file: FileHandle, path: string, opened: Stats): Promise<string | undefined> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${file.fd}`)
  const now = await lstat(path)
  return now.dev === opened.dev && now.ino === opened.ino ? realpath(path) : undefined
}
