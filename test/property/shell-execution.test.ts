/**
 * Lets real bash run thousands of mutated command lines and compares what it did with what the judge's parse
 * says: every program bash looks for, with its words, and every file it makes must be on the parse's list.
 *
 * Forty seconds. `TOOLWARE_FUZZ_SECONDS=600` goes on for that long with further seeds;
 * `TOOLWARE_FUZZ_SEED=7` begins with that one, as a failure names it.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shellJudge } from '../../lib/policy/shell/judge.ts'
import { parseCommand } from '../../lib/policy/shell/parse.ts'
import type { ShellWord } from '../../lib/policy/shell/types.ts'
import { type Ran, runInBash } from '../helpers/bash.ts'
import { hasDash, runInDash } from '../helpers/dash.ts'
import { mutant } from '../helpers/mutants.ts'
import { commandsOf, redirectsOf } from '../helpers/shell-steps.ts'

const seconds = Number(process.env.TOOLWARE_FUZZ_SECONDS ?? 40)
const firstSeed = Number(process.env.TOOLWARE_FUZZ_SEED ?? 1)
const PER_SEED = 2000
const BATCH = 50

/** What stands in for a substitution is unknown until it ran, and what a `~` becomes is for the path policy. */
function isOpen({ dynamic, text, literalTilde, ansiC }: ShellWord): boolean {
  // Dash leaves the `$` of a `$'...'` in.
  if (ansiC) return true
  // Also behind what looks like an assignment.
  return dynamic === true || (/^(?:[A-Za-z_]\w*\+?=(?:.*:)?)?~/.test(text) && literalTilde !== true)
}

/** Why a text that passed the parse does not explain what bash did; undefined when it does. */
function unexplained(text: string, ran: Ran): string | undefined {
  const step = parseCommand(text)
  if ('rule' in step) return undefined
  const commands = commandsOf(step)
  // An unquoted substitution, or a pattern beside files that were made, may become any number of words.
  const splits = commands.some(({ words }) =>
    words.some((word) => word.splits || (word.glob !== undefined && ran.files.length > 0)),
  )
  for (const argv of ran.argvs) {
    const listed = commands.some(
      ({ words }) =>
        words.length === argv.length &&
        words.every((word, i) => isOpen(word) || word.text === argv[i]),
    )
    if (!listed && !splits) return `bash ran ${JSON.stringify(argv)}`
    if (!commands.some(({ words }) => words[0]?.text === argv[0])) {
      return `bash ran ${JSON.stringify(argv[0])}`
    }
  }
  const targets = redirectsOf(step).map(({ target }) => target.text)
  const made = ran.files.find((file) => !targets.includes(file))
  return made === undefined ? undefined : `bash made the file ${JSON.stringify(made)}`
}

/** Programs that the mutants name. */
const NAMES = 'rm x a b c ls cat git grep sort head wc sed node npm tee y foo bar EOF time'.split(
  ' ',
)

const judge = shellJudge({ allows: () => true })

describe('the parse of a command', () => {
  it('is compared with a recorder that records', () => {
    const broken = 'ls & rm "a\n#" & git; '
    const [plain, quoted, nested, made, many] = runInBash([
      'ls; rm -r "a b" & echo | git',
      "r'm' $'x\\ty'\nexit 1",
      'echo "$(foo `bar`)"',
      'echo x > out; true > out2',
      broken.repeat(20),
    ])
    expect(plain?.argvs).toEqual(expect.arrayContaining([['ls'], ['rm', '-r', 'a b'], ['git']]))
    expect(quoted?.argvs).toEqual([['rm', 'x\ty']])
    expect(nested?.argvs.toSorted()).toEqual([['bar'], ['foo']])
    expect(made?.files.toSorted()).toEqual(['out', 'out2'])
    expect(many?.argvs).toHaveLength(60)
    expect(many?.argvs.filter((argv) => argv[0] === 'rm')).toEqual(
      Array.from({ length: 20 }, () => ['rm', 'a\n#']),
    )
    expect(unexplained('ls', { argvs: [['rm', 'x']], files: [] })).toBe('bash ran ["rm","x"]')
    expect(unexplained('ls', { argvs: [], files: ['out'] })).toBe('bash made the file "out"')
  })

  it(
    'lists every program that bash runs and every file that it makes',
    () => {
      const end = Date.now() + seconds * 1000
      const failures: string[] = []
      let compared = 0
      let recorded = 0
      for (let seed = firstSeed; seed === firstSeed || Date.now() < end; seed++) {
        const texts = fc
          .sample(mutant, { numRuns: PER_SEED, seed })
          // What the parse refuses never runs.
          .filter((text) => !/[/\0]/.test(text) && !('rule' in parseCommand(text)))
        for (let i = 0; i < texts.length && Date.now() < end; i += BATCH) {
          const batch = texts.slice(i, i + BATCH)
          for (const [j, ran] of runInBash(batch).entries()) {
            const text = batch[j] ?? ''
            if (ran === undefined) continue
            compared++
            recorded += ran.argvs.length > 0 ? 1 : 0
            const why = unexplained(text, ran)
            // Builtins that run their arguments are in the parse, and refused by the table of programs.
            if (why !== undefined && judge.command(text) === undefined)
              failures.push(`seed ${seed}: ${JSON.stringify(text)}: ${why}`)
          }
        }
      }
      if (process.env.TOOLWARE_FUZZ_SECONDS) console.log({ compared, recorded })
      expect(failures).toEqual([])
      expect(compared).toBeGreaterThan(100)
      expect(recorded).toBeGreaterThan(80)
    },
    (seconds + 30) * 1000,
  )

  it.runIf(hasDash)(
    'lists every program that dash runs and every file that it makes, as sh',
    () => {
      const [plain, apart] = runInDash(['rm "a b" x; ls > out', 'ls a &> log rm b'], ['ls', 'rm'])
      expect(plain).toEqual({ argvs: [['rm', 'a b', 'x'], ['ls']], files: ['out'] })
      expect(apart?.argvs.toSorted()).toEqual([
        ['ls', 'a'],
        ['rm', 'b'],
      ])
      const end = Date.now() + seconds * 500
      const failures: string[] = []
      let recorded = 0
      for (let seed = firstSeed; seed === firstSeed || Date.now() < end; seed++) {
        const texts = fc
          .sample(mutant, { numRuns: PER_SEED / 10, seed })
          .filter((text) => !/[/\0]/.test(text) && !('rule' in parseCommand(text)))
        for (const [i, ran] of runInDash(texts, NAMES).entries()) {
          const text = texts[i] ?? ''
          // A program there, and no keyword.
          const argvs = ran.argvs.filter(([name]) => name !== 'time')
          recorded += argvs.length
          const why = unexplained(text, { ...ran, argvs })
          if (why !== undefined && judge.command(text) === undefined) {
            failures.push(`seed ${seed}: ${JSON.stringify(text)}: dash: ${why}`)
          }
        }
      }
      expect(failures).toEqual([])
      expect(recorded).toBeGreaterThan(20)
    },
    (seconds + 30) * 1000,
  )
})
