import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const jiti = dirname(createRequire(import.meta.url).resolve('jiti/package.json'))

/** What `node --import` needs to run the TypeScript of this project. */
export const jitiLoader: string = pathToFileURL(join(jiti, 'lib', 'jiti-register.mjs')).href
