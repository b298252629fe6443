import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { PAGES, readPage } from '../helpers/doc-samples.ts'

const top = fileURLToPath(new URL('../..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'toolware-readme-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

describe('the first example of the README', () => {
  it('runs as it stands', () => {
    const [, example] =
      readFileSync(join(top, 'README.md'), 'utf8').match(/```ts\n([\s\S]*?)```/) ?? []
    // Inside the package, where `toolware` means this build.
    const folder = join(top, 'dist', 'readme')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'example.ts')
    writeFileSync(file, `${example}\nconsole.log(JSON.stringify([outcome.status, outcome.text]))\n`)
    writeFileSync(join(work, 'a.txt'), 'write to ann@example.org')
    const jiti = join(top, 'node_modules/jiti/lib/jiti-cli.mjs')
    const { stdout, stderr } = spawnSync(process.execPath, [jiti, file], {
      cwd: work,
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true, force: true })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(['completed', 'write to ***'])
    const records = readFileSync(join(work, 'audit.jsonl'), 'utf8').trim().split('\n')
    expect(records).toHaveLength(2)
  })
})

describe('the package', () => {
  it('has the pages, and what they link to', () => {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const { stdout } = spawnSync(npm, ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: top,
      encoding: 'utf8',
    })
    const [packed] = JSON.parse(stdout) as [{ readonly files: ReadonlyArray<{ path: string }> }]
    const files = packed.files.map(({ path }) => path)
    const linked = PAGES.flatMap((page) =>
      [...readPage(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) =>
        posix.join(posix.dirname(page), target),
      ),
    )
    const missing = [...PAGES, ...linked].filter(
      (path) => !files.some((file) => file === path || file.startsWith(`${path}/`)),
    )
    expect(missing).toEqual([])
  })
})
