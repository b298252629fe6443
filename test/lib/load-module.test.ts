import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadModule } from '../../lib/load-module.ts'
import { tempDir } from '../helpers/temp.ts'

function files(content: Record<string, string>): string {
  const folder = tempDir()
  write(folder, content)
  return folder
}

function write(folder: string, content: Record<string, string>): void {
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

describe('loadModule()', () => {
  it.each([
    ['a.ts', 'const n: number = 1; export default n'],
    ['a.mts', 'export default 1 as number'],
    ['a.mjs', 'export default 1'],
    ['a.js', 'export default 1'],
    ['a.cjs', 'exports.default = 1'],
    ['b.js', 'module.exports = { default: 1 }'],
    ['tla.mjs', 'export default await Promise.resolve(1)'],
    ['meta.mjs', "export default import.meta.url.endsWith('/meta.mjs') ? 1 : 0"],
  ])('loads %s', async (name, code) => {
    const folder = files({ [name]: code })
    expect(await loadModule(join(folder, name))).toMatchObject({ default: 1 })
  })

  it('loads a .js file of a package of type module', async () => {
    const folder = files({ 'package.json': '{"type":"module"}', 'a.js': 'export default 1' })
    expect(await loadModule(join(folder, 'a.js'))).toMatchObject({ default: 1 })
  })

  it.each([
    ['a.ts', 'h.ts', "export const n = 'N'", "import { n } from './h.ts'; export default n"],
    ['a.mjs', 'h.mjs', "export const n = 'N'", "import { n } from './h.mjs'; export default n"],
    ['a.mjs', 'h.js', "export const n = 'N'", "import { n } from './h.js'; export default n"],
    ['a.cjs', 'h.cjs', "exports.n = 'N'", "exports.default = require('./h.cjs').n"],
    ['a.mjs', 'lib/h.cjs', "exports.n = 'N'", "import { n } from './lib/h.cjs'; export default n"],
  ])('reads %s and its %s again', async (entry, helper, code, importing) => {
    const folder = files({ [entry]: importing, [helper]: code.replace('N', 'old') })
    expect(await loadModule(join(folder, entry))).toMatchObject({ default: 'old' })
    write(folder, { [helper]: code.replace('N', 'new') })
    expect(await loadModule(join(folder, entry))).toMatchObject({ default: 'new' })
    write(folder, {
      [entry]: entry.endsWith('.cjs') ? "exports.default = 'own'" : "export default 'own'",
    })
    expect(await loadModule(join(folder, entry))).toMatchObject({ default: 'own' })
  })

  it.each([
    ['a.ts', "import { x } from 'some/where'; export default x"],
    ['a.mjs', "import { x } from 'some/where'; export default x"],
    ['tla.mjs', "import { x } from 'some/where'; export default await x"],
    ['a.cjs', "exports.default = require('some/where').x"],
  ])('gives %s the modules it was given', async (name, code) => {
    const folder = files({ [name]: code })
    const modules = { 'some/where': { x: 7 } }
    expect(await loadModule(join(folder, name), { modules })).toMatchObject({ default: 7 })
  })

  it('leaves the stack traces of the process as they were', async () => {
    const { stackTraceLimit, prepareStackTrace } = Error
    const folder = files({ 'a.ts': 'export default 1 as number', 'broken.ts': 'export default {' })
    await loadModule(join(folder, 'a.ts'))
    await loadModule(join(folder, 'broken.ts')).catch(() => undefined)
    expect([Error.stackTraceLimit, Error.prepareStackTrace]).toEqual([
      stackTraceLimit,
      prepareStackTrace,
    ])
  })

  it.each([
    ['a.mjs', 'export default 1'],
    ['a.cjs', 'module.exports = 1'],
    ['a.ts', 'export default 1 as number'],
    ['b.mjs', "import { x } from 'some/where'; export default x"],
  ])('loads %s also when it is told that it is for once', async (name, code) => {
    const folder = files({ [name]: code })
    const options = { once: true, modules: { 'some/where': { x: 1 } } }
    expect(await loadModule(join(folder, name), options)).toMatchObject({ default: 1 })
  })

  it('passes on what the file throws, and names a file with a mistake', async () => {
    const folder = files({
      'throws.mjs': "throw new RangeError('mine')",
      'broken.mjs': 'export default {',
      'needs.mjs': "import 'no-such-package-at-all'",
    })
    await expect(loadModule(join(folder, 'throws.mjs'))).rejects.toThrow('mine')
    await expect(loadModule(join(folder, 'broken.mjs'))).rejects.toThrow(/broken\.mjs/)
    await expect(loadModule(join(folder, 'needs.mjs'))).rejects.toThrow(/no-such-package-at-all/)
    await expect(loadModule(join(folder, 'gone.mjs'))).rejects.toThrow(/gone\.mjs/)
  })
})
