import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patchPaths } from '../../lib/policy/patch.ts'
import { tempDir } from '../helpers/temp.ts'

const RUNS = Number(process.env.TOOLWARE_FUZZ_RUNS ?? 40)

const name = fc.constantFrom(
  ...['a/one', 'b/two', 'three', 'x/y/four', 'b/with blank', '"b/q\\165oted"', 'b/t\tab'],
  ...['/dev/null', 'b/./dot', 'b//slashes', ' b/lead', 'b/n\u00a0bsp'],
)
const time = fc.constantFrom(
  ...['', '', '\t2020-01-01 00:00:00 +0000', ' 2020-01-01 00:00:00.000000000 +0000'],
  ...[' Thu Jan  1 00:00:00 1970', '\tThu Jan 01 00:00:00 1970', ' junk', '\r'],
)
const indent = fc.constantFrom(
  ...['', '', '', ' ', '\t', 'X', 'XX', '- ', ' - ', '> ', '  \t', '\v', '\f', '\u00a0'],
)
const above = fc.constantFrom(
  ...['', 'junk\n', 'Index: b/idx\n', 'Index:b/idx\n', 'Index:\tb/idx\n', 'index b/idx\n'],
  ...['diff --git a/g b/g\n', 'diff --git a/g b/g\nnew file mode 100644\n', 'diff -u a/u b/u\n'],
  'diff --git a/r1 b/r2\nrename from r1\nrename to r2\n',
)
const old = fc.constantFrom('--- ', '--- ', '---\t', '--- \t', '---  ', '--- --- ')
const fresh = fc.constantFrom('+++ ', '+++ ', '+++\t', '+++  ', '+++ +++ ')
const unified = fc
  .tuple(indent, old, name, time, fresh, name, time)
  .map(
    ([i, a, one, t, b, two, u]) =>
      `${i}${a}${one}${t}\n${i}${b}${two}${u}\n${i}@@ -0,0 +1 @@\n${i}+x\n`,
  )
const context = fc
  .tuple(indent, name, time, name, time)
  .map(([i, one, t, two, u]) =>
    [`*** ${one}${t}`, `--- ${two}${u}`, '***************', '*** 0 ****', '--- 1 ----', '+ x', '']
      .map((line) => (line === '' ? '' : i + line))
      .join('\n'),
  )
const plain = fc.constantFrom('0a1\n> x\n', '0a\nx\n.\n')
const patch = fc
  .array(fc.tuple(above, fc.oneof({ weight: 3, arbitrary: unified }, context, plain)), {
    minLength: 1,
    maxLength: 2,
  })
  .map((parts) => parts.flat().join(''))

const APPLIERS = [
  ['git', 'apply', '-p0', '-'],
  ['git', 'apply', '-p1', '-'],
  ['patch', '-p0', '-f', '-s'],
  ['patch', '-p1', '-f', '-s'],
].filter(([program = '']) => spawnSync(program, ['--version']).status === 0)

function tidy(path: string): string {
  return join(path).replace(/^\//, '')
}

describe('patchPaths() beside the programs that apply patches', () => {
  it('names every file that one of them makes', { timeout: 600_000 }, () => {
    const above = tempDir()
    let made = 0
    fc.assert(
      fc.property(patch, (text) => {
        const found = patchPaths(text)
        if (typeof found === 'string') return
        const named = found.flatMap(({ path, stripped = path }) => [path, stripped].map(tidy))
        for (const [program = '', ...args] of APPLIERS) {
          const dir = mkdtempSync(join(above, 'x'))
          // Without a repository, or git would apply to its files only.
          const env = { PATH: process.env.PATH, GIT_DIR: join(above, 'none') }
          spawnSync(program, args, { cwd: dir, input: text, env })
          for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
            if (!file.isFile() || /\.(?:rej|orig)$/.test(file.name)) continue
            made++
            const path = relative(dir, join(file.parentPath, file.name))
            expect(named, `${program} ${args.join(' ')} of ${JSON.stringify(text)}`).toContain(path)
          }
          rmSync(dir, { recursive: true })
        }
      }),
      { numRuns: RUNS },
    )
    expect(made).toBeGreaterThan(RUNS / 8)
  })
})
