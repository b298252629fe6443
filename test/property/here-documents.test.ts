/**
 * What a here-document hands to a program, by the parse and by real shells.
 *
 * @see patching.ts: a name in a patch may hide behind a joined line or an escape.
 */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../lib/policy/shell/parse.ts'
import { hasDash } from '../helpers/dash.ts'

const RUNS = Number(process.env.TOOLWARE_FUZZ_RUNS ?? 200)

const piece = fc.constantFrom(
  ...['a', '.env', '--- ', '\\', '\n', '\t', "'", '"', ' ', '\\\n', '\\$', '\\`', '\\\\', 'EOF'],
)
const text = fc
  .record({
    operator: fc.constantFrom('<<', '<<-'),
    delimiter: fc.constantFrom('EOF', "'EOF'"),
    body: fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join('')),
  })
  .map(({ operator, delimiter, body }) => `${operator}${delimiter}\n${body}\nEOF\n`)

/** What the parse says that `patch` is given; undefined for what is refused. */
function handed(document: string): string | undefined {
  const step = parseCommand(`patch ${document}`)
  return 'rule' in step || step.kind !== 'command' ? undefined : step.patches?.[0]?.text
}

/** What the shell gives to each of many. */
function given(shell: string, documents: readonly string[]): readonly string[] {
  const script = documents.map((each) => `cat ${each}printf '\\0'\n`).join('')
  const output = execFileSync(shell, ['-s'], { input: script, encoding: 'utf8' })
  return output.split('\0').slice(0, -1)
}

describe('a here-document', () => {
  it.each(hasDash ? ['bash', 'dash'] : ['bash'])('hands on what %s hands on', (shell) => {
    const documents = fc.sample(text, RUNS).filter((each) => handed(each) !== undefined)
    expect(documents.length).toBeGreaterThan(RUNS / 4)
    expect(documents.map(handed)).toEqual(given(shell, documents))
  })
})
