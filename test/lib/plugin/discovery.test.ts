import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { discover } from '../../../lib/plugin/discovery.ts'
import { tempDir } from '../../helpers/temp.ts'

/** A folder with these files; objects are written as JSON. */
function tree(files: Record<string, string | object>): string {
  const root = tempDir()
  for (const [name, content] of Object.entries(files)) {
    const file = join(root, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return root
}

async function find(root: string, paths: string[] = ['.']) {
  const { candidates, refused } = await discover(paths, root)
  return {
    found: candidates.map(({ manifest, entryFile }) => [
      manifest.id,
      entryFile.slice(root.length + 1),
    ]),
    refused: refused.map(({ id, problem }) => [id, problem.code]),
  }
}

describe('discover()', () => {
  it('takes a single file under its base name (rule 103)', async () => {
    const root = tree({ 'maintenance-access.ts': '', 'other.mjs': '' })
    expect(await find(root, ['maintenance-access.ts'])).toEqual({
      found: [['maintenance-access', 'maintenance-access.ts']],
      refused: [],
    })
  })

  it('takes files and folders in the order of the paths, a folder by name', async () => {
    const root = tree({
      'z.ts': '',
      'more/b.js': '',
      'more/a.mjs': '',
      'more/notes.md': '',
      'more/types.d.ts': '',
      'more/a.test.ts': '',
      'more/.hidden/x.js': '',
      'more/node_modules/dep/index.js': '',
    })
    const { found } = await find(root, ['z.ts', 'more'])
    expect(found.map(([id]) => id)).toEqual(['z', 'a', 'b'])
  })

  it('takes an index file of a folder, ts before js before mjs, under the name of the folder', async () => {
    const root = tree({ 'p/index.mjs': '', 'p/index.ts': '', 'p/helper.ts': '', 'q/index.mjs': '' })
    expect((await find(root)).found).toEqual([
      ['p', 'p/index.ts'],
      ['q', 'q/index.mjs'],
    ])
  })

  it.each([
    [{ 'index.js': '', 'src/index.ts': '' }, 'index.js'],
    [{ 'src/index.mjs': '' }, 'src/index.mjs'],
    [{ 'only.mjs': '' }, 'only.mjs'],
    [{ 'a.js': '', 'b.js': '', 'package.json': { openclaw: { extensions: ['b.js'] } } }, 'b.js'],
  ])('finds the entry that the manifest does not name among %j', async (files, entry) => {
    const root = tree({ 'openclaw.plugin.json': { id: 'x' }, ...files })
    expect((await find(root)).found).toEqual([['x', entry]])
  })

  it('takes packages: one entry under the package name, several each with its file name', async () => {
    const root = tree({
      'one/package.json': { name: '@me/one', openclaw: { extensions: ['./main.js'] } },
      'one/main.js': '',
      'two/package.json': { name: 'two', openclaw: { extensions: ['a.js', 'lib/b.js'] } },
      'two/a.js': '',
      'two/lib/b.js': '',
    })
    expect((await find(root)).found).toEqual([
      ['@me/one', 'one/main.js'],
      ['two/a', 'two/a.js'],
      ['two/b', 'two/lib/b.js'],
    ])
  })

  it.each([
    ['no entry file', { 'toolware.plugin.json': { id: 'b' } }, 'entry_not_found'],
    ['a missing entry', { 'toolware.plugin.json': { id: 'b', entry: 'x.js' } }, 'entry_not_found'],
    [
      'a folder as entry',
      { 'toolware.plugin.json': { id: 'b', entry: 'lib' }, 'lib/x.js': '' },
      'entry_not_found',
    ],
    [
      'an entry above',
      { 'toolware.plugin.json': { id: 'b', entry: '../x.js' } },
      'entry_outside_root',
    ],
    [
      'an absolute entry',
      { 'toolware.plugin.json': { id: 'b', entry: '/etc/passwd' } },
      'entry_outside_root',
    ],
    [
      'an extension above',
      { 'package.json': { openclaw: { extensions: ['../escape.js'] } } },
      'entry_outside_root',
    ],
    ['a bad manifest', { 'toolware.plugin.json': '{' }, 'invalid_manifest'],
    ['a bad package', { 'package.json': '{' }, 'invalid_package_json'],
    ['a list as package', { 'package.json': '[]', 'a.js': '' }, undefined],
    [
      'a bad list',
      { 'package.json': { openclaw: { extensions: 'a.js' } } },
      'invalid_package_json',
    ],
  ])('refuses a folder with %s and goes on with the others', async (_what, files, code) => {
    const root = tree({
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`a/${name}`, text])),
      'z/index.js': '',
    })
    const { found, refused } = await find(root)
    expect(found).toContainEqual(['z', 'z/index.js'])
    expect(refused.map(([, problem]) => problem)).toEqual(code === undefined ? [] : [code])
  })

  it('refuses an entry that a link leads out of the folder, and follows one that stays inside', async () => {
    const root = tree({
      'outside.js': '',
      'p/toolware.plugin.json': { id: 'p', entry: 'link.js' },
      'q/toolware.plugin.json': { id: 'q', entry: 'link.js' },
      'q/real.js': '',
      'r/toolware.plugin.json': { id: 'r', entry: 'dangling.js' },
    })
    symlinkSync(join(root, 'outside.js'), join(root, 'p', 'link.js'))
    symlinkSync('real.js', join(root, 'q', 'link.js'))
    symlinkSync('nowhere.js', join(root, 'r', 'dangling.js'))
    expect(await find(root, ['p', 'q', 'r'])).toEqual({
      found: [['q', 'q/real.js']],
      refused: [
        ['p', 'entry_outside_root'],
        ['r', 'entry_not_found'],
      ],
    })
  })

  it('survives links that lead in circles', async () => {
    const root = tree({ 'a/x.js': '' })
    symlinkSync('..', join(root, 'a', 'loop'))
    symlinkSync('self', join(root, 'a', 'self'))
    const { found } = await find(root)
    expect(found).toEqual([['x', 'a/x.js']])
  })

  it('lets the first of two with one id win, and takes one file once', async () => {
    const root = tree({ 'a/x.js': '', 'b/x.js': '' })
    expect(await find(root, ['b', 'a', 'b/x.js'])).toEqual({
      found: [['x', 'b/x.js']],
      refused: [['x', 'duplicate_plugin_id']],
    })
  })

  it('refuses a path that is not there and a file that is no code', async () => {
    const root = tree({ 'notes.md': '' })
    expect(
      (await find(root, ['gone', 'notes.md', `~/${'no-such-folder-of-toolware'}`])).refused,
    ).toEqual([
      ['gone', 'entry_not_found'],
      ['notes', 'entry_not_found'],
      ['no-such-folder-of-toolware', 'entry_not_found'],
    ])
    const { refused } = await discover(['~/no-such-folder-of-toolware'], root)
    expect(refused[0]?.problem.path).toBe(join(homedir(), 'no-such-folder-of-toolware'))
  })

  it('opens no pipe, whatever its name', async () => {
    const root = tree({ 'a/index.mjs': '', 'b/index.mjs': '', 'c/index.mjs': '' })
    const pipes = ['a/toolware.plugin.json', 'b/package.json', 'd.mjs']
    for (const name of pipes) execFileSync('mkfifo', [join(root, name)])
    expect(await find(root)).toEqual({
      found: [
        ['b', 'b/index.mjs'],
        ['c', 'c/index.mjs'],
      ],
      refused: [['a', 'invalid_manifest']],
    })
    expect((await find(root, ['d.mjs'])).refused).toEqual([['d', 'entry_not_found']])
  })

  it('refuses a folder that it may not read, and goes on', async () => {
    const root = tree({ 'a/b.mjs': '', 'c.mjs': '' })
    chmodSync(root, 0o755)
    chmodSync(join(root, 'a'), 0o311)
    // Root may read everything.
    process.seteuid?.(65_534)
    const { found, refused } = await find(root).finally(() => process.seteuid?.(0))
    expect({ found, refused }).toEqual({
      found: [['c', 'c.mjs']],
      refused: [['a', 'entry_not_found']],
    })
  })

  it('looks four levels deep, not further', async () => {
    const root = tree({ 'a/b/c/four.js': '', 'a/b/c/d/five.js': '' })
    expect((await find(root)).found).toEqual([['four', 'a/b/c/four.js']])
  })
})
