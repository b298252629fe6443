import { lstatSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PathPolicy, pathPolicy } from '../../../../lib/policy/paths.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import { WORST_COMMANDS } from '../../../fixtures/worst-commands.ts'
import type { Workspace } from '../../../helpers/workspace.ts'
import { worstWorkspace } from '../../../helpers/worst-workspace.ts'

const MAX_MS = 50

describe('shellJudge() on the worst texts', () => {
  let made: Workspace
  let paths: PathPolicy
  beforeAll(() => {
    made = worstWorkspace()
    paths = pathPolicy({
      base: made.ws,
      home: made.home,
      within: { rule: 'workspaceOnly', dirs: ['.'] },
      forbidden: ['**/.env', '**/.env.*', '**/.git/**', '**/id_rsa*', '**/*.pem', '**/secrets/**'],
    })
  })
  afterAll(() => made.remove())

  /** Processor time of some work in milliseconds: the least of some tries, the first being a warm-up. */
  function least(work: () => void, enough: number): number {
    let found = Infinity
    for (let i = 0; i < 8 && (i < 2 || found > enough); i++) {
      const start = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(start)
      found = Math.min(found, (user + system) / 1000)
    }
    return found
  }

  /** How much slower than usual this machine is just now: 2000 looks at the disk take 6 ms on a plain one. */
  function slowness(): number {
    const looks = least(() => {
      for (let i = 0; i < 2000; i++) lstatSync(made.ws)
    }, 6)
    return Math.max(1, looks / 6)
  }

  it.each(Object.entries(WORST_COMMANDS).map(([name, text]) => ({ name, text })))(
    'takes little time for $name',
    ({ text }) => {
      const cost = least(() => shellJudge({ paths }).command(text), MAX_MS / 3)
      if (cost > MAX_MS / 2) expect(cost / slowness()).toBeLessThan(MAX_MS)
      else expect(cost).toBeLessThan(MAX_MS)
    },
  )
})
