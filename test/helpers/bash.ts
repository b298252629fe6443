import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What bash did with one text. */
export interface Ran {
  /** The programs that bash looked for, with their arguments. */
  readonly argvs: readonly (readonly string[])[]
  /** The files it made in its empty directory. */
  readonly files: readonly string[]
}

// Every program is unknown, so bash hands its words to the recorder, in a process of its own each time. Its file
// is its own too: printf writes a text with line breaks in parts, and jobs in the background run beside it. All of
// them hold the driver's output open, which is waited for: an orphan may still be writing when the driver ends.
const DRIVER = `
readonly REC="$1" BASE="$2"
command_not_found_handle() { printf '%s\\0' "$@" >> "$REC.$N.$BASHPID"; return 127; }
PATH=/nonexistent
ulimit -f 64; ulimit -t 20
N=0
while IFS= read -r -d '' TEXT; do
  ( cd "$BASE/$N" && eval "$TEXT" ) 37>&1 < /dev/null > /dev/null 2>&1
  N=$((N+1))
done
wait
`

/**
 * Lets bash run texts, each in an empty directory, with no program to find and nobody's rights where that can
 * be had. Texts with `/` are the caller's to leave out. A text that hangs ends its batch: `undefined`
 * for those after it.
 */
export function runInBash(texts: readonly string[]): ReadonlyArray<Ran | undefined> {
  const base = mkdtempSync(join(tmpdir(), 'toolware-bash-'))
  try {
    chmodSync(base, 0o777)
    for (const i of texts.keys()) {
      mkdirSync(join(base, String(i)))
      chmodSync(join(base, String(i)), 0o777)
    }
    const record = join(base, 'record')
    const driver = join(base, 'driver')
    writeFileSync(driver, DRIVER)
    chmodSync(driver, 0o644)
    const bash = ['bash', '--norc', '--noprofile', driver, record, base]
    const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--no-new-privs']
    const [command = '', ...args] = process.getuid?.() === 0 ? [...nobody, ...bash] : bash
    const run = spawnSync(command, args, {
      input: texts.map((text) => `${text}\0`).join(''),
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: base },
      cwd: base,
      timeout: 10_000,
      killSignal: 'SIGKILL',
    })
    const names = readdirSync(base)
    const did = texts.map((_, i) => ({
      records: names.filter((name) => name.startsWith(`record.${i}.`)),
      files: readdirSync(join(base, String(i))),
    }))
    // When bash did not finish, the last text that was touched may be half done, and nothing after it ran.
    const last =
      run.status === 0
        ? texts.length
        : did.findLastIndex(({ records, files }) => records.length + files.length > 0)
    return did.map(({ records, files }, i) => {
      if (i >= last) return undefined
      const argvs = records.map((name) =>
        readFileSync(join(base, name), 'utf8').split('\0').slice(0, -1),
      )
      return { argvs, files }
    })
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

// A text in a branch that is never taken is read to its end and not run.
const CHECKER = `
N=0
while IFS= read -r -d '' TEXT; do
  ( eval "if false; then
$TEXT

fi" ) < /dev/null > /dev/null 2>&1 || printf '%s\\0' "$N"
  N=$((N+1))
done
`

/** The positions of the texts that bash finds no valid shell. Nothing runs. */
export function refusedByBash(texts: readonly string[]): number[] {
  const run = spawnSync('bash', ['--norc', '--noprofile', '-c', CHECKER], {
    input: texts.map((text) => `${text}\0`).join(''),
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    maxBuffer: 1 << 26,
  })
  if (run.status !== 0) throw new Error(`bash did not finish: ${run.stderr}`)
  return run.stdout.toString().split('\0').filter(Boolean).map(Number)
}
