import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { createJiti } from 'jiti'

/** What {@link loadModule} takes beside the file. */
export interface LoadModuleOptions {
  /** Specifiers that resolve to these module objects instead of files. */
  readonly modules?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Loads a TypeScript or JavaScript file (ESM or CommonJS) afresh, also when it was loaded before, and returns
 * its module object. The only importer of jiti.
 *
 * Nothing is cached: a second load sees the edited file and the edited files beside it that it imports, and no
 * transpiled text lies in a shared temporary folder where another user could change it.
 *
 * @throws Whatever the file throws while it runs, or a syntax or resolution error that names it.
 */
export async function loadModule(file: string, options: LoadModuleOptions = {}): Promise<unknown> {
  const source = await readFile(file, 'utf8')
  const jiti = createJiti(file, {
    fsCache: false,
    moduleCache: false,
    ...(options.modules && { virtualModules: { ...options.modules } }),
  })
  forget(dirname(file))
  // Node never forgets an ES module, so jiti translates it, and runs it as CommonJS where it can.
  const how = { filename: file, forceTranspile: true }
  try {
    return jiti.evalModule(source, { ...how, async: false })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // A top-level await, or a real mistake: then this one throws, too.
    return await jiti.evalModule(source, { ...how, async: true })
  }
}

/** CommonJS files of this folder are read again when somebody requires them. */
function forget(folder: string): void {
  const { cache } = createRequire(import.meta.url)
  for (const file of Object.keys(cache)) if (file.startsWith(folder + sep)) delete cache[file]
}
