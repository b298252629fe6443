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
 * Nothing is cached: a second load sees the edited file and what it imports, and no transpiled text lies in a
 * shared temporary folder where another user could change it.
 *
 * @throws Whatever the file throws while it runs, or a syntax or resolution error that names it.
 */
export async function loadModule(file: string, options: LoadModuleOptions = {}): Promise<unknown> {
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    ...(options.modules && { virtualModules: { ...options.modules } }),
  })
  return jiti.import(file)
}
