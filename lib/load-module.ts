import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { createJiti } from 'jiti'

/** What {@link loadModule} takes beside the file. */
export interface LoadModuleOptions {
  /** Specifiers that resolve to these module objects instead of files. */
  readonly modules?: Readonly<Record<string, unknown>> | undefined
  /**
   * The process loads the file once: JavaScript is left to Node, which is faster and never forgets it. Default false.
   */
  readonly once?: boolean | undefined
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
  const { stackTraceLimit, prepareStackTrace } = Error
  try {
    return await load(file, options)
  } finally {
    // The translator behind jiti changes both, for everybody.
    Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  }
}

async function load(file: string, options: LoadModuleOptions): Promise<unknown> {
  const jiti = createJiti(file, {
    fsCache: false,
    moduleCache: false,
    ...(options.modules && { virtualModules: { ...options.modules } }),
  })
  if (options.once) return await jiti.import(file)
  const source = await readFile(file, 'utf8')
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
