import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PathPolicy, pathPolicy } from '../../../../lib/policy/paths.ts'
import { allowedCommands } from '../../../../lib/policy/shell/allow.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import { shellPresets } from '../../../../lib/policy/shell/presets.ts'
import type { ShellJudge } from '../../../../lib/policy/shell/types.ts'
import { type Workspace, workspace } from '../../../helpers/workspace.ts'

const read = (name: string): readonly string[] =>
  JSON.parse(readFileSync(new URL(`../../../cases/${name}`, import.meta.url), 'utf8'))
const everyday = read('everyday-commands.json')
const changes = read('everyday-changes.json')
const INSTALLED = 'tsc eslint prettier vitest jest mocha biome stylelint ava'.split(' ')

describe('shellPresets.readOnlyDev', () => {
  let made: Workspace
  let judge: ShellJudge
  let paths: PathPolicy
  beforeAll(() => {
    made = workspace()
    rmSync(join(made.ws, 'link-out'))
    for (const name of INSTALLED) made.write(`ws/node_modules/.bin/${name}`)
    paths = pathPolicy({
      base: made.ws,
      home: made.home,
      within: { rule: 'workspaceOnly', dirs: ['.'] },
      forbidden: ['**/.env', '**/.env.*', '**/.git/**', '**/id_rsa*', '**/*.pem', '**/secrets/**'],
    })
    judge = shellJudge({ allows: allowedCommands(shellPresets.readOnlyDev, 'list'), paths })
  })
  afterAll(() => made.remove())

  it('is tried on a good many different commands', () => {
    expect(new Set(everyday).size).toBeGreaterThan(150)
  })

  it.each(everyday.map((text) => ({ text })))('allows $text', ({ text }) => {
    expect(judge.command(text)).toBeUndefined()
  })

  it.each([
    'npm pack --dry-run github:x/y',
    'npm pack --dry-run --no-dry-run',
    'npm publish --dry-run',
    'make -f a.mk test',
    'make -j4 -f a.mk test',
    'make test SHELL=x',
    'git branch x',
    'git branch --sort=x y',
    'git tag x',
    'git reflog expire --all',
    'git config core.pager x',
    'npx knip',
    'npx x',
    'npx eslint@1 .',
    'npx prettier --write .',
    'cd docs && npx --yes eslint .',
    'prettier .',
    'black .',
    'ruff format .',
    'isort src',
    'cargo fmt',
    'go mod tidy',
    'tar xf a.tar',
    'pip install x',
    'mvn test -Dx=y',
    './gradlew run',
    './gradlew test -I x',
    'gradlew run',
  ])('does not allow %s', (text) => {
    expect(judge.command(text)).toMatchObject({ reason: expect.any(String) })
  })

  it.each(changes.map((text) => ({ text })))(
    'is no obstacle beside a list that allows $text',
    ({ text }) => {
      const programs = changes.map((each) => each.split(/\s/)[0] ?? '')
      const globs = [...new Set(programs)].flatMap((name) => [name, `${name} *`])
      const wide = allowedCommands([...shellPresets.readOnlyDev, ...globs], 'list')
      expect(shellJudge({ allows: wide, paths }).command(text)).toBeUndefined()
    },
  )

  it('runs through npx what is installed in a directory above', () => {
    expect(judge.command('cd src && npx eslint .')).toBeUndefined()
  })
})
