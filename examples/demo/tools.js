import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const bash = promisify(execFile)

/** The agent's tools. They know nothing of toolware. */
export function makeTools(workspace) {
  const at = (path) => resolve(workspace, path)
  return {
    list_dir: async ({ path }) => (await readdir(at(path))).sort().join(' '),
    read_file: ({ path }) => readFile(at(path), 'utf8'),
    grep: async ({ pattern, path }) => {
      const found = []
      for (const name of await readdir(at(path))) {
        const text = await readFile(at(`${path}/${name}`), 'utf8')
        found.push(...text.split('\n').filter((line) => line.includes(pattern)))
      }
      return found.join('\n')
    },
    write_file: async ({ path, content }) => {
      await writeFile(at(path), content)
      return `wrote ${content.length} characters`
    },
    edit_file: async ({ path, old_text, new_text }) => {
      const text = await readFile(at(path), 'utf8')
      if (!text.includes(old_text)) throw new Error(`"${old_text}" is not in the file`)
      await writeFile(at(path), text.replace(old_text, new_text))
      return 'made 1 edit'
    },
    shell: async ({ command }, { signal }) =>
      (await bash('bash', ['-c', command], { cwd: workspace, signal })).stdout,
    web_search: ({ query }) => `3 pages about ${query}`,
    sk_translate: ({ text }) => `${text} (fr)`,
    sk_mail_send: ({ to }) => `sent to ${to}`,
  }
}
