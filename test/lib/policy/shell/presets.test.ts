import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathPolicy } from '../../../../lib/policy/paths.ts'
import { allowedCommands } from '../../../../lib/policy/shell/allow.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import { shellPresets } from '../../../../lib/policy/shell/presets.ts'
import type { ShellJudge } from '../../../../lib/policy/shell/types.ts'
import { type Workspace, workspace } from '../../../helpers/workspace.ts'

const url = new URL('../../../cases/everyday-commands.json', import.meta.url)
const everyday: readonly string[] = JSON.parse(readFileSync(url, 'utf8'))

describe('shellPresets.readOnlyDev', () => {
  let made: Workspace
  let judge: ShellJudge
  beforeAll(() => {
    made = workspace()
    rmSync(join(made.ws, 'link-out'))
    const paths = pathPolicy({
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
})
