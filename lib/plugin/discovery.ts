import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import {
  implicitManifest,
  isMissing,
  messageOf,
  type PluginManifest,
  readManifest,
} from './manifest.ts'
import { type PluginProblem, refuse } from './problem.ts'

/** A plugin that was found: what it says about itself, and the file its code is in. */
export interface Candidate {
  readonly manifest: PluginManifest
  /** The real path of the entry file. */
  readonly entryFile: string
}

/** What a search gave, in the order of the paths, folders sorted by name. */
export interface Discovered {
  readonly candidates: Candidate[]
  /** What could not be used; `id` as far as it is known, else the base name of the path. */
  readonly refused: Array<{ readonly id: string; readonly problem: PluginProblem }>
}

const CODE = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']
const INDEX = ['index.ts', 'index.js', 'index.mjs']
const MAX_DEPTH = 4

/**
 * Finds plugins in files and folders. A folder is a plugin when it has a manifest or an `index` file, several when its
 * `package.json` lists `openclaw.extensions`, else it is searched, up to four levels deep. Runs none of their code.
 */
export async function discover(paths: readonly string[], baseDir: string): Promise<Discovered> {
  const found: Discovered = { candidates: [], refused: [] }
  for (const path of paths) {
    const full = path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(baseDir, path)
    await look(full, 0, found)
  }
  return withoutDuplicates(found)
}

function withoutDuplicates({ candidates, refused }: Discovered): Discovered {
  const first = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const { id } = candidate.manifest
    const before = first.get(id)
    if (before === undefined) first.set(id, candidate)
    else if (before.entryFile !== candidate.entryFile) {
      const message = `'${id}' is the id of ${before.entryFile} already; the first one counts`
      refused.push({ id, ...refuse('duplicate_plugin_id', message, candidate.entryFile) })
    }
  }
  return { candidates: [...first.values()], refused }
}

async function look(path: string, depth: number, found: Discovered): Promise<void> {
  try {
    await lookAt(path, depth, found)
  } catch (error) {
    const message = isMissing(error)
      ? 'there is no such file or folder'
      : `cannot be read: ${messageOf(error)}`
    found.refused.push({ id: idOf(path), ...refuse('entry_not_found', message, path) })
  }
}

async function lookAt(path: string, depth: number, found: Discovered): Promise<void> {
  const what = await stat(path)
  if (what.isDirectory()) await lookInFolder(path, depth, found)
  else if (what.isFile() && CODE.includes(extname(path))) {
    found.candidates.push({ manifest: implicitManifest(path), entryFile: await realpath(path) })
  } else if (depth === 0) {
    const message = `a plugin is a folder or a file ending in ${CODE.join(', ')}`
    found.refused.push({ id: idOf(path), ...refuse('entry_not_found', message, path) })
  }
}

async function lookInFolder(folder: string, depth: number, found: Discovered): Promise<void> {
  const manifest = await readManifest(folder)
  if (manifest?.problem) {
    found.refused.push({ id: basename(folder), problem: manifest.problem })
    return
  }
  if (manifest) {
    const { value } = manifest
    await take(value, value.entry === undefined ? await usualEntry(folder) : value.entry, found)
    return
  }
  const extensions = await extensionsOf(folder)
  if ('problem' in extensions) {
    found.refused.push({ id: basename(folder), problem: extensions.problem })
    return
  }
  if (extensions.entries.length > 0) {
    const { name, entries } = extensions
    for (const entry of entries) {
      const id = entries.length === 1 ? name : `${name}/${idOf(entry)}`
      await take({ ...implicitManifest(join(folder, entry)), id, entry, folder }, entry, found)
    }
    return
  }
  const names = (await readdir(folder)).sort()
  const index = INDEX.find((name) => names.includes(name))
  if (index !== undefined) {
    const file = join(folder, index)
    await take({ ...implicitManifest(file), id: basename(folder) }, index, found)
    return
  }
  if (depth >= MAX_DEPTH) return
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules' || /\.(d|test|spec)\.\w+$/.test(name))
      continue
    await look(join(folder, name), depth + 1, found)
  }
}

/** Accepts an entry that is a file inside the plugin's folder, links followed. */
async function take(
  manifest: PluginManifest,
  entry: string | undefined,
  found: Discovered,
): Promise<void> {
  const { id, folder, file } = manifest
  if (entry === undefined) {
    const message = "has no entry: name one in the manifest's entry, or add an index file"
    found.refused.push({ id, ...refuse('entry_not_found', message, file) })
    return
  }
  const outside = () => {
    const message = `'${entry}' is not inside the plugin's folder`
    found.refused.push({ id, ...refuse('entry_outside_root', message, file) })
  }
  if (isAbsolute(entry)) return outside()
  const full = resolve(folder, entry)
  if (!isInside(folder, full)) return outside()
  let real: string
  try {
    real = await realpath(full)
    if (!(await stat(real)).isFile()) throw new Error('not a file')
  } catch {
    found.refused.push({ id, ...refuse('entry_not_found', `there is no file '${entry}'`, file) })
    return
  }
  if (!isInside(await realpath(folder), real)) return outside()
  found.candidates.push({ manifest, entryFile: real })
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/** `index.*`, `src/index.*`, what `package.json` names, else the only code file there is. */
async function usualEntry(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder)).sort()
  const index = INDEX.find((name) => names.includes(name))
  if (index !== undefined) return index
  if (names.includes('src')) {
    const inner = await readdir(join(folder, 'src')).catch((): string[] => [])
    const nested = INDEX.find((name) => inner.includes(name))
    if (nested !== undefined) return `src/${nested}`
  }
  const extensions = await extensionsOf(folder)
  if ('entries' in extensions && extensions.entries.length === 1) return extensions.entries[0]
  const code = names.filter((name) => CODE.includes(extname(name)) && !name.includes('.d.'))
  return code.length === 1 ? code[0] : undefined
}

async function extensionsOf(
  folder: string,
): Promise<{ name: string; entries: string[] } | { problem: PluginProblem }> {
  const file = join(folder, 'package.json')
  // To open a pipe is to wait for whoever writes to it.
  const isThere = await stat(file).then(
    (what) => what.isFile(),
    () => false,
  )
  if (!isThere) return { name: basename(folder), entries: [] }
  const text = await readFile(file, 'utf8')
  const invalid = (message: string) => refuse('invalid_package_json', message, file)
  let json: { name?: unknown; openclaw?: { extensions?: unknown } | null } | null
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, '')) as typeof json
  } catch (error) {
    return invalid(`is not JSON: ${messageOf(error)}`)
  }
  if (typeof json !== 'object' || json === null) return invalid('must be a JSON object')
  const entries = json.openclaw?.extensions ?? []
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) {
    return invalid('openclaw.extensions must be a list of files')
  }
  return { name: typeof json.name === 'string' ? json.name : basename(folder), entries }
}

const idOf = (path: string): string => basename(path).replace(/\.[^.]+$/, '')
