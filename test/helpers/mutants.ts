import { readFileSync } from 'node:fs'
import fc from 'fast-check'

const read = (name: string): readonly string[] =>
  JSON.parse(readFileSync(new URL(`../cases/${name}`, import.meta.url), 'utf8'))

/** Command lines to begin from: plain ones, and ones with every trap of quoting and syntax. */
const corpus: readonly string[] = [
  ...read('shell-corpus.json'),
  ...read('shell-corpus.json'),
  ...read('everyday-commands.json'),
]

const PIECES =
  "; & && || | |& \n \t ( ) { } $( ` ' \" \\ \\\n $' $\" <( >( > >> < << <<- <<< &> >& 2>&1 # ! $ ${ $(( )) [[ ]] [ ] * ? ~ = { , .. a b rm ls x EOF if then fi do done time coproc function esac case in \r é 文 文\\ $'\\t' [^a] [!a] 2>&9 &>>".split(
    ' ',
  )

const piece = fc.oneof(
  fc.constantFrom(...PIECES, ' ', ' ', ' rm x', '; rm x', '\nrm x\n', "'", '"', '\\'),
  fc.constantFrom(...corpus),
)

const edit = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'insert', 'delete', 'copy', 'swap', 'wrap'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 6 }),
  piece,
})

const WRAPS: readonly (readonly [string, string])[] = [
  ['$(', ')'],
  ['"$(', ')"'],
  ['`', '`'],
  ['(', ')'],
  ['{ ', '; }'],
  ["'", "'"],
  ['"', '"'],
  ['echo "', '"'],
  ['cat <<EOF\n', '\nEOF'],
  ["cat <<'EOF'\n", '\nEOF'],
  ['echo "$(', ')" ; rm x'],
  ['ls \\\n', ''],
]

/** Command lines near the corpus: one to four edits away. */
const edited = fc
  .tuple(fc.constantFrom(...corpus), fc.array(edit, { minLength: 1, maxLength: 4 }))
  .map(([start, edits]) => edits.reduce(apply, start))

/** Operators, quotes and short words, side by side as no person writes them. */
const soup = fc
  .array(
    fc.oneof(fc.constantFrom(...PIECES, '{a}', '0', '1'), fc.constantFrom(' ', 'a', 'x', 'rm x')),
    { minLength: 2, maxLength: 10 },
  )
  .map((pieces) => `ls ${pieces.join('')}`)

export const mutant: fc.Arbitrary<string> = fc.oneof(edited, soup)

function apply(
  text: string,
  change: typeof edit extends fc.Arbitrary<infer T> ? T : never,
): string {
  const at = Math.floor(change.at * (text.length + 1))
  const head = text.slice(0, at)
  const tail = text.slice(at)
  const some = tail.slice(0, change.length)
  switch (change.kind) {
    case 'delete':
      return head + tail.slice(change.length)
    case 'copy':
      return head + some + tail
    case 'swap':
      return head + tail.slice(change.length) + some
    case 'wrap': {
      const [open, close] = WRAPS[at % WRAPS.length] ?? ['', '']
      return open + text + close
    }
    default:
      return head + change.piece + tail
  }
}

const STEPS = [
  'cd a',
  'cd a',
  'cd a/b',
  'cd b',
  'cd ..',
  'cd ../c',
  'cd ./a/../c',
  'cd nope',
  'cd -- a',
  "cd 'a'",
  "cd $'a'",
  'cd a 2>&9',
  'cd a 8<&9',
  'cd a < nope',
  'cd a > c',
  'cd a > x/y',
  'cd a <<< x',
  'cd a &> log',
  'time cd a',
  '! cd a',
  'chdir a',
  'touch x',
  'touch ../x',
  'touch ../x',
  'touch ../x',
  'touch ../x &> log',
  'true',
  'false',
  'time true',
  'echo "$(cd a; touch ../x)"',
  'cat <<E\n$(cd a && touch ../x)\nE',
]
const JOINTS = ['; ', ' && ', ' || ', ' | ', ' & ', '\n', ' |& ', ' && ! ', '; time ']
const GROUPS: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['{ ', '; }'],
  ['! ', ''],
  ['{ ', '; } > x/y'],
  ['{ ', '; } 2>&9'],
  ['{ ', '; } &> log'],
  ['(', ') 2>&9'],
]

const chain: fc.Arbitrary<string> = fc.letrec<{ chain: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...STEPS),
    fc.constantFrom(...STEPS),
    fc
      .tuple(fc.constantFrom(...GROUPS), tie('chain'))
      .map(([[open, close], inside]) => open + inside + close),
  ),
  chain: fc
    .array(fc.tuple(tie('part'), fc.constantFrom(...JOINTS)), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.flat().slice(0, -1).join('')),
})).chain

/** Chains of `cd` and of commands that name a path, joined and grouped in every way, in a workspace with `a/b` and `c`. */
export const cdChain: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...STEPS.slice(0, 14)), fc.constantFrom(...JOINTS), chain)
  .map((parts) => parts.join(''))
