import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { plugins } from '../../bin/plugins.ts'
import { fakeIo } from '../helpers/io.ts'
import { tempDir } from '../helpers/temp.ts'

/** A folder with one plugin behind the bridge, which does what `source` says when it loads. */
function folder(source: string): string {
  const dir = tempDir()
  mkdirSync(join(dir, 'guard'))
  const manifest = { id: 'guard', entry: 'index.mjs', runtime: 'process' }
  writeFileSync(
    join(dir, 'guard/toolware.plugin.json'),
    JSON.stringify({ ...manifest, eventSubscriptions: ['tool:before'] }),
  )
  writeFileSync(
    join(dir, 'guard/index.mjs'),
    `export default (api) => { ${source}\n api.on('tool:before', () => true) }`,
  )
  writeFileSync(join(dir, 'c.json5'), "{ plugins: { load: { paths: ['guard'] } } }")
  return dir
}

async function shown(source: string): Promise<readonly [number | undefined, string]> {
  const dir = folder(source)
  const { io, out } = fakeIo(dir, { isTTY: true })
  const code = await plugins.run(['--config', 'c.json5'], io)
  const text = out()
    .replace(/pid \d+/, 'pid N')
    .replace(/\d+ bytes in, \d+ out/, 'N bytes')
  return [code, text]
}

it('shows on a terminal how a plugin behind the bridge is doing', async () => {
  expect(await shown("process.stderr.write('warming \\u001b[2J up\\n')")).toEqual([
    0,
    expect.stringMatching(
      /^loaded +guard +process guard.index\.mjs\n +tool:before\n +up \(pid N\), N bytes\n +stderr: warming \S+ up\n$/,
    ),
  ])
})

it('shows why one does not run', async () => {
  const [code, text] = await shown("throw new Error('no licence')")
  expect(code).toBe(1)
  expect(text).toMatch(/\n +failed, .*N bytes\n +last error: .*no licence/)
  expect(text).toMatch(/\n +error: start_failed: .*no licence/)
})
