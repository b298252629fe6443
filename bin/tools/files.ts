import { mkdir, readFile as read, readdir, stat, writeFile as write } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Tool } from '../../lib/types.ts'
import { path, text } from './arguments.ts'
import type { ToolHost } from './index.ts'

const MAX_READ_BYTES = 10 * 1024 * 1024

/** `read_file { path }`: the text of a file of at most 10 MiB. */
export function readFile(host: ToolHost): Tool {
  return async (params, { signal }) => {
    const file = path(params, host)
    const { size } = await stat(file)
    if (size > MAX_READ_BYTES)
      throw new Error(`${file} has ${size} bytes; at most 10 MiB can be read`)
    return read(file, { encoding: 'utf8', signal })
  }
}

/** `write_file { path, content }`: makes or replaces a file, and the directories it needs. */
export function writeFile(host: ToolHost): Tool {
  return async (params, { signal }) => {
    const file = path(params, host)
    const content = text(params, 'content', 'contents')
    await mkdir(dirname(file), { recursive: true })
    await write(file, content, { signal })
    return `wrote ${Buffer.byteLength(content)} bytes`
  }
}

interface Edit {
  readonly old: string
  readonly new: string
}

/** `edit_file { path, old_text, new_text }`, or `edits: [{ old_text, new_text }]`: each old text must occur once. */
export function editFile(host: ToolHost): Tool {
  return async (params, { signal }) => {
    const file = path(params, host)
    const edits = readEdits(params)
    let content = await read(file, { encoding: 'utf8', signal })
    // All edits or none: nothing is written before the last one fits.
    for (const edit of edits) content = replaceOnce(content, edit)
    await write(file, content, { signal })
    return `made ${edits.length} edit${edits.length === 1 ? '' : 's'}`
  }
}

function readEdits(params: Readonly<Record<string, unknown>>): Edit[] {
  const { edits } = params
  const list = edits === undefined ? [params] : edits
  if (!Array.isArray(list) || list.length === 0) throw new Error('edits must be a list of edits')
  return list.map((edit: unknown) => {
    if (typeof edit !== 'object' || edit === null) throw new Error('an edit must be an object')
    const fields = edit as Record<string, unknown>
    return {
      old: text(fields, 'old_text', 'oldText', 'old_string'),
      new: text(fields, 'new_text', 'newText', 'new_string'),
    }
  })
}

function replaceOnce(content: string, edit: Edit): string {
  if (edit.old === '') throw new Error('the old text of an edit is empty')
  const at = content.indexOf(edit.old)
  if (at === -1) throw new Error('the old text of an edit is not in the file')
  if (content.includes(edit.old, at + 1)) {
    throw new Error('the old text of an edit is in the file more than once; give more of it')
  }
  return content.slice(0, at) + edit.new + content.slice(at + edit.old.length)
}

/** `list_dir { path? }`: names, sorted; directories end with a slash. */
export function listDir(host: ToolHost): Tool {
  return async (params) => {
    const entries = await readdir(path(params, host, '.'), {
      withFileTypes: true,
    })
    return entries
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort()
      .join('\n')
  }
}
