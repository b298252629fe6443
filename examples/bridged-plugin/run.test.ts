import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('shows deny, timeout, crash and recovery', () => {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, 'run.js')], {
    encoding: 'utf8',
  })
  expect(run.stderr).toBe('')
  expect(run.stdout).toMatch(/as it should be\n$/)
  expect(run.status).toBe(0)
}, 60_000)
