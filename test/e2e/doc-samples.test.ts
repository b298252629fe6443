import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import JSON5 from 'json5'
import { afterAll, describe, expect, it } from 'vitest'
import { groups, suites } from '../../benchmarks/suites.ts'
import { parseConfig } from '../../middleware/config.ts'
import manifest from '../../package.json' with { type: 'json' }
import { toolware } from '../helpers/cli.ts'
import { type Sample, SURROUNDINGS, samples, TOP } from '../helpers/doc-samples.ts'
import { tempDir } from '../helpers/temp.ts'

// Inside the package, where `toolware` means this build.
const folder = join(TOP, 'dist', 'doc-samples')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the compiler says about samples, `file(line,column): problem` each. */
function compile(found: ReadonlyArray<Sample & { readonly language: string }>): string[] {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { page, line, text, language } of found) {
    const name = `${page.replaceAll('/', '-')}-${line}.${language}`
    writeFileSync(join(folder, name), `${text}\nexport {}\n`)
  }
  writeFileSync(join(folder, 'surroundings.ts'), SURROUNDINGS)
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { isolatedDeclarations: false, declaration: false, allowJs: true },
    include: ['*'],
    exclude: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(TOP, 'node_modules/typescript/bin/tsc')
  const options = ['--rootDir', TOP, '--pretty', 'false', '-p', folder]
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, ...options], {
    cwd: folder,
    encoding: 'utf8',
  })
  return `${stdout}${stderr}`.split('\n').filter(Boolean)
}

describe('TypeScript and JavaScript in the pages', () => {
  it('compiles as it stands', () => {
    const found = ['ts', 'js'].flatMap((language) =>
      samples(language).map((sample) => ({ ...sample, language })),
    )
    expect(found.length).toBeGreaterThan(30)
    expect(compile(found)).toEqual([])
  })

  it('would not compile with a name that is nowhere, or a wrong option', () => {
    const text = 'app.ues(myHook)\nautonomy({ workspaceonly: true })'
    expect(compile([{ page: 'a.md', line: 1, text, language: 'ts' }])).toEqual([
      expect.stringContaining("'ues' does not exist"),
      expect.stringContaining("'workspaceonly' does not exist"),
    ])
  })

  it('would say what is wrong with the answer of a hook', () => {
    const text = [
      "app.use({ name: 'a', check: () => 'no' })",
      "app.use({ name: 'b', check: () => {} })",
      "app.use({ name: 'c', beforeExecute: () => null })",
      "app.use({ name: 'd', beforeExecute: () => true, check: () => true })",
    ].join('\n')
    const said = compile([{ page: 'a.md', line: 1, text, language: 'ts' }])
    expect(said.map((line) => line.replace(/^.*TS\d+:|^ +/, '').trim())).toEqual(
      expect.arrayContaining([
        "Type 'string' is not assignable to type 'MaybePromise<Opinion>'.",
        "Type 'void' is not assignable to type 'MaybePromise<Opinion>'.",
        "Type 'null' is not assignable to type 'boolean | PromiseLike<boolean>'.",
        "Type '() => true' is not assignable to type 'OfAnotherShape'.",
      ]),
    )
  })
})

describe('JSON5 in the pages', () => {
  it.each(samples('json5'))('is a configuration: $page:$line', ({ text }) => {
    const isWhole = /^\s*\{/.test(text)
    const value = JSON5.parse(isWhole ? text : `{${text}}`) as object
    expect(Object.keys(parseConfig(value))).toEqual(Object.keys(value))
  })
})

describe('commands in the pages', () => {
  const lines = samples('sh').flatMap(({ page, line, text }) =>
    text.split('\n').map((command, i) => ({
      where: `${page}:${line + i}`,
      command: command.replace(/\s+#.*/, ''),
    })),
  )
  const matching = (pattern: RegExp): Array<{ where: string; found: string }> =>
    lines.flatMap(({ where, command }) =>
      [...command.matchAll(pattern)].map(([, found = '']) => ({ where, found })),
    )

  it.each(matching(/\bnpm run ([\w:-]+)/g))('$where: there is a script $found', ({ found }) => {
    expect(Object.keys(manifest.scripts)).toContain(found)
  })

  it.each(matching(/\b(?:npx jiti|node|npx vitest run|bash) ((?:\w|\.)[\w./-]+)/g))(
    '$where: there is a file $found',
    ({ found }) => {
      expect(existsSync(join(TOP, found))).toBe(true)
    },
  )

  it.each(matching(/--suite ([\w-]+)/g))('$where: there is a suite $found', ({ found }) => {
    const names = suites.map(({ name }) => name)
    expect([...names, ...Object.keys(groups), 'worst']).toContain(found)
  })

  it('groups only suites that exist', () => {
    const names = suites.map(({ name }) => name)
    expect(Object.values(groups).flat()).not.toEqual([])
    for (const name of Object.values(groups).flat()) expect(names).toContain(name)
  })

  it.each(matching(/(?:^|\| )(?:npx )?toolware (.*)/g))(
    '$where: toolware $found is a command with options that exist',
    async ({ found }) => {
      const [name = ''] = found.split(' ')
      const { stdout, code } = await toolware([name, '--help'], tempDir())
      expect(code).toBe(0)
      for (const [option] of found.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(option)
    },
  )
})
