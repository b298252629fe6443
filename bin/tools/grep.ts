import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Tool } from '../../lib/types.ts'
import { path, text } from './arguments.ts'
import type { ToolHost } from './index.ts'

const MAX_MATCHES = 1000
const MAX_FILE_BYTES = 5 * 1024 * 1024
const MAX_LINE = 2000
const IGNORED = new Set(['.git', 'node_modules'])

/**
 * `grep { pattern, path? }`: lines that match a regular expression, as `file:line: text`. Does not follow links, skips
 * binary and large files, `.git` and `node_modules`; at most 1000 matches.
 */
export function grep(host: ToolHost): Tool {
  return async (params, { signal }) => {
    const pattern = new RegExp(text(params, 'pattern'))
    const start = path(params, host, '.')
    const found: string[] = []
    for await (const file of files(start)) {
      signal.throwIfAborted()
      const name = relative(host.workspace, file) || file
      for (const line of await matches(file, pattern)) {
        found.push(`${name}:${line}`)
        if (found.length === MAX_MATCHES) return `${found.join('\n')}\n(and more)`
      }
    }
    return found.join('\n')
  }
}

async function* files(start: string): AsyncGenerator<string> {
  const stat = await lstat(start)
  if (!stat.isDirectory()) {
    yield start
    return
  }
  const entries = await readdir(start, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = join(start, entry.name)
    if (entry.isFile()) yield file
    else if (entry.isDirectory() && !IGNORED.has(entry.name)) yield* files(file)
  }
}

async function matches(file: string, pattern: RegExp): Promise<string[]> {
  if ((await lstat(file)).size > MAX_FILE_BYTES) return []
  const content = await readFile(file)
  if (content.subarray(0, 8000).includes(0)) return []
  const found: string[] = []
  for (const [i, line] of content.toString('utf8').split('\n').entries()) {
    const shown = line.slice(0, MAX_LINE)
    if (pattern.test(shown)) found.push(`${i + 1}: ${shown}`)
  }
  return found
}
