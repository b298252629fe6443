/**
 * Lets real shells run chains of `cd` and compares where each command ran with what the judge let pass: a command that
 * names a path may only run where that path is inside the workspace.
 *
 * Ten seconds. `TOOLWARE_FUZZ_SECONDS=600` goes on for that long; `TOOLWARE_FUZZ_SEED=7` begins with that seed.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathPolicy } from '../../lib/policy/paths.ts'
import { shellJudge } from '../../lib/policy/shell/judge.ts'
import type { ShellJudge } from '../../lib/policy/shell/types.ts'
import { cdChain } from '../helpers/mutants.ts'

const seconds = Number(process.env.TOOLWARE_FUZZ_SECONDS ?? 10)
const firstSeed = Number(process.env.TOOLWARE_FUZZ_SEED ?? 1)
const SHELLS = ['/bin/bash', '/bin/dash'].filter(existsSync)

describe('the working directory of a command', () => {
  let root: string
  let judge: ShellJudge
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'toolware-cd-')))
    const tool = join(root, 'bin/touch')
    mkdirSync(join(root, 'bin'))
    writeFileSync(tool, '#!/bin/sh\nprintf "%s\\t%s\\n" "$PWD" "$1" >> "$RECORD"\n')
    chmodSync(tool, 0o755)
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  /** A workspace as every text finds it. */
  const prepare = (): string => {
    const ws = join(root, 'ws')
    rmSync(ws, { recursive: true, force: true })
    mkdirSync(join(ws, 'a/b'), { recursive: true })
    mkdirSync(join(ws, 'c'))
    judge ??= shellJudge({
      paths: pathPolicy({ base: ws, within: { rule: 'workspaceOnly', dirs: ['.'] } }),
    })
    return ws
  }
  /** The paths that a shell had touched, absolute. */
  const run = (shell: string, text: string, cwd: string): string[] => {
    const record = join(root, 'record')
    writeFileSync(record, '')
    const env = { PATH: join(root, 'bin'), RECORD: record, LC_ALL: 'C' }
    spawnSync(shell, ['-c', `${text}\nwait`], { cwd, env, stdio: 'ignore', timeout: 5000 })
    return readFileSync(record, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t'))
      .map(([dir = '', path = '']) => resolve(dir, path))
  }

  it('is compared with a recorder that records', () => {
    const ws = prepare()
    expect(run('/bin/bash', 'cd a && touch ../x; (cd b); touch y', ws)).toEqual([
      join(ws, 'x'),
      join(ws, 'a/y'),
    ])
    expect(judge.command('cd a && touch ../x')).toBeUndefined()
    expect(judge.command('touch ../x')).toMatchObject({ rule: 'workspaceOnly' })
  })

  it(
    'is one that the judge knows',
    () => {
      const ws = prepare()
      const end = Date.now() + seconds * 1000
      const failures: string[] = []
      let compared = 0
      for (let seed = firstSeed; Date.now() < end; seed++) {
        for (const text of fc.sample(cdChain, { numRuns: 200, seed })) {
          if (Date.now() > end) break
          if (judge.command(text) !== undefined) continue
          for (const shell of SHELLS) {
            const touched = run(shell, text, ws)
            prepare()
            compared += touched.length
            const outside = touched.find((path) => !path.startsWith(`${ws}/`))
            if (outside) failures.push(`seed ${seed}: ${shell} ${JSON.stringify(text)}: ${outside}`)
          }
        }
      }
      if (process.env.TOOLWARE_FUZZ_SECONDS) console.log({ compared })
      expect(failures).toEqual([])
      expect(compared).toBeGreaterThan(20)
    },
    (seconds + 30) * 1000,
  )
})
