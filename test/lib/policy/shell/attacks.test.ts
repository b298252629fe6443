import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathPolicy } from '../../../../lib/policy/paths.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import type { ShellJudge } from '../../../../lib/policy/shell/types.ts'
import { type Workspace, workspace } from '../../../helpers/workspace.ts'

const url = new URL('../../../cases/shell-attacks.json', import.meta.url)
const attacks: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(url, 'utf8'))

/** After the fault, or in an order instead of it. */
const SAYS_WHAT_TO_DO = /; \w|^(?:\S+(?: \S+)*: )?(?:write|put|name|quote|only|take|use|give)\b/

describe('shellJudge() without a list, in a workspace', () => {
  let made: Workspace
  let judge: ShellJudge
  beforeAll(() => {
    made = workspace()
    made.write('ws/secrets/k')
    const paths = pathPolicy({
      base: made.ws,
      home: made.home,
      within: { rule: 'workspaceOnly', dirs: ['.'] },
      forbidden: ['**/.env', '**/.env.*', '**/.git/**', '**/id_rsa*', '**/*.pem', '**/secrets/**'],
    })
    judge = shellJudge({ paths })
  })
  afterAll(() => made.remove())

  describe.each(Object.entries(attacks).map(([kind, texts]) => ({ kind, texts })))(
    '$kind',
    ({ texts }) => {
      it.each(texts.map((text) => ({ text })))('refuses $text', ({ text }) => {
        const { reason = '', value = '' } = judge.command(made.map(text)) ?? {}
        expect(reason).toMatch(SAYS_WHAT_TO_DO)
        expect(reason).toContain(value)
      })
    },
  )
})
