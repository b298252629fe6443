import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Tool } from 'toolware'

const MAX_MATCHES = 100

/**
 * Four tools on real files. They know nothing of rules and would read any file of this machine: it is the
 * pipeline in front of them that says no.
 */
export function fileTools(workspace: string): Readonly<Record<string, Tool>> {
  const at = (value: unknown, fallback?: string): string =>
    resolve(workspace, text(value, fallback))
  return {
    read_file: (params, { signal }) => readFile(at(params['path']), { encoding: 'utf8', signal }),

    async write_file(params, { signal }) {
      const file = at(params['path'])
      const content = text(params['content'])
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content, { signal })
      return `wrote ${Buffer.byteLength(content)} bytes`
    },

    async list_dir(params) {
      const entries = await readdir(at(params['path'], '.'), { withFileTypes: true })
      const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      return names.sort().join('\n')
    },

    async grep(params, { signal }) {
      const matches: string[] = []
      const pattern = text(params['pattern'])
      for await (const file of visibleFiles(at(params['path'], '.'))) {
        const lines = (await readFile(file, { encoding: 'utf8', signal })).split('\n')
        for (const [i, line] of lines.entries()) {
          if (!line.includes(pattern)) continue
          matches.push(`${relative(workspace, file)}:${i + 1}: ${line}`)
          if (matches.length === MAX_MATCHES) return matches.join('\n')
        }
      }
      return matches.join('\n') || 'no matches'
    },
  }
}

/** Files below a directory, without hidden ones and links: rules see the directory, not each file in it. */
async function* visibleFiles(directory: string): AsyncGenerator<string> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) yield* visibleFiles(path)
    else if (entry.isFile()) yield path
  }
}

function text(value: unknown, fallback?: string): string {
  if (typeof value === 'string') return value
  if (value === undefined && fallback !== undefined) return fallback
  throw new TypeError(`expected text, got ${JSON.stringify(value)}`)
}
