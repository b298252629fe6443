import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ran } from './bash.ts'

const DASH = '/bin/dash'
export const hasDash: boolean = existsSync(DASH)

const RECORDER = `#!${DASH}
printf '%s\\0' "\${0##*/}" "$@" >> "$RECORD.$$"
`

/** Whatever a text starts holds the last one open, which is waited for: an orphan may still be writing when dash ends. */
const STDIO: ('ignore' | 'pipe')[] = [
  ...Array.from({ length: 37 }, () => 'ignore' as const),
  'pipe',
]

/**
 * Lets dash run texts, each in an empty directory and with nobody's rights where that can be had, where the only programs
 * are recorders of these names. Texts with `/` are the caller's to leave out.
 */
export function runInDash(texts: readonly string[], names: readonly string[]): Ran[] {
  const base = mkdtempSync(join(tmpdir(), 'toolware-dash-'))
  try {
    const bin = join(base, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, '-recorder'), RECORDER)
    chmodSync(join(bin, '-recorder'), 0o755)
    for (const name of names) symlinkSync('-recorder', join(bin, name))
    chmodSync(base, 0o777)
    const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--no-new-privs']
    const env = ['env', '-i', `PATH=${bin}`, `HOME=${base}`, 'LC_ALL=C.UTF-8']
    return texts.map((text, i) => {
      const cwd = join(base, `run${i}`)
      mkdirSync(cwd)
      chmodSync(cwd, 0o777)
      const [command = '', ...args] = [
        ...(process.getuid?.() === 0 ? nobody : []),
        ...env,
        `RECORD=${base}/record${i}`,
        DASH,
        '-c',
        `${text}\nwait`,
      ]
      spawnSync(command, args, { cwd, stdio: STDIO, timeout: 5000, killSignal: 'SIGKILL' })
      const records = readdirSync(base).filter((name) => name.startsWith(`record${i}.`))
      return {
        argvs: records.map((name) =>
          readFileSync(join(base, name), 'utf8').split('\0').slice(0, -1),
        ),
        files: readdirSync(cwd),
      }
    })
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}
