import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const MAIN = join(import.meta.dirname, '../../dist/bin/main.js')

describe('npm run demo', () => {
  it('shows who said no, who changed what, and leaves an audit file that holds', () => {
    const run = spawnSync(process.execPath, [join(import.meta.dirname, 'demo.js')], {
      encoding: 'utf8',
    })
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
    const rows = run.stdout.split('\n').filter((line) => /^ ?\d+ {2}\w/.test(line))
    expect(rows).toHaveLength(22)
    const ends = rows.map((row) => row.split(/ {2,}/).at(-1))
    expect(ends).toEqual([
      ...Array(3).fill('completed'),
      'blocked by Autonomy',
      'blocked by Autonomy',
      'failed by tool',
      'completed',
      'failed by tool',
      'completed',
      'blocked by Autonomy',
      'blocked by Autonomy',
      'completed',
      'completed',
      'blocked by ContractScope',
      'completed',
      'blocked by SemanticKernelPolicy',
      'blocked by SemanticKernelPolicy',
      'completed',
      'blocked by RateLimit',
      'completed',
      'completed',
      'blocked by ContractScope',
    ])
    for (const line of run.stdout.split('\n')) {
      if (!line.includes('audit')) expect(line.length).toBeLessThanOrEqual(100)
    }
    expect(run.stdout).toContain('1 2 3 4 5 6~ 7')
    expect(run.stdout).toContain('the model reads "name,mail\\nAnn,***\\nBob,***\\n"')
    const file = /^ {2}(\/\S+\/audit\.jsonl)$/m.exec(run.stdout)?.[1] ?? ''
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(45)
    const verified = spawnSync(process.execPath, [MAIN, 'audit', 'verify', file], {
      encoding: 'utf8',
    })
    expect(verified.stdout).toMatch(/^ok: 44 records/)
    rmSync(dirname(file), { recursive: true })
  })
})
