import { lstatSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PathPolicy, pathPolicy } from '../../../../lib/policy/paths.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import { type Workspace, workspace } from '../../../helpers/workspace.ts'

const LONGEST = 16_384
const MAX_MS = 50

/** A piece, as often as it fits. */
const fill = (piece: string): string => piece.repeat(Math.floor(LONGEST / piece.length))

/** Pieces that all differ, as many as fit. */
function pieces(start: string, piece: (i: number) => string): string {
  let text = start
  for (let i = 0; text.length + piece(i).length < LONGEST - 2; i++) text += piece(i)
  return text
}

const inputs: Readonly<Record<string, string>> = {
  'true;': fill('true;'),
  'a|': `${fill('a|')}a`,
  'ls words': pieces('ls', (i) => ` a${i}`),
  'cat deep': pieces('cat ', () => 'src/./'),
  'cat ..': pieces('cat ', () => 'src/../'),
  globs: fill('* ').replace('*', 'ls'),
  glob2: 'ls big/* big/f* grid/*/* grid/*/*/* */* */*/* */*/*/*',
  globs16: `ls ${Array.from({ length: 16 }, (_, i) => `big/f${'*'.repeat(1)}${i % 10}`).join(' ')}`,
  redirs: fill('>x '),
  redirs2: pieces('ls', (i) => ` >x${i}`),
  '$(': fill('$(id '),
  '"$(': fill('"$('),
  '$( nested x256': '$(a '.repeat(256),
  'echo "$(x)"x': pieces('echo ', (_i) => '"$(ls)" '),
  '32 openers': `echo ${'"$('.repeat(30)}ls ${' a'.repeat(7000)}${')"'.repeat(30)}`,
  backticks: fill('`'),
  'sed ;': `sed '${'p;'.repeat(8000)}'`,
  'sed s': `sed '${'s/a/b/;'.repeat(2000)}'`,
  'sed addr': `sed '/${'a'.repeat(16000)}'`,
  'sed sp': `sed '${' '.repeat(16000)}x'`,
  'sed 1,1,': `sed '${'1,'.repeat(8000)}'`,
  'sed brackets': `sed 's/${'[a]'.repeat(5000)}/x/'`,
  'sed [': `sed 's/${'['.repeat(16000)}/x/'`,
  'sed [[:': `sed 's/${'[[:a'.repeat(4000)}/x/'`,
  'sed addr[': `sed '/${'[a]'.repeat(5000)}'`,
  'jq env': `jq '${'env'.repeat(5000)}'`,
  awk: `awk '${'a'.repeat(16000)}'`,
  'printf %': `printf '${'%'.repeat(16000)}'`,
  'printf %-': `printf '${'%-'.repeat(8000)}'`,
  'any ,': `mytool ${'a,'.repeat(8000)}`,
  'any ./': `mytool ${'./,'.repeat(5400)}`,
  'any /': `mytool ${'/'.repeat(16000)}`,
  'any =': `mytool ${'a=b'.repeat(5400)}`,
  'any many': pieces('mytool', (i) => ` x,./y${i}`),
  'git :': `git show ${'a:'.repeat(8000)}`,
  'git ::': pieces('git show', (i) => ` a${i}:b`),
  flags: pieces('ls', (i) => ` -abcdef${i}`),
  'long flags': pieces('git log', (i) => ` --fo${i}`),
  'one long': `git log --${'a'.repeat(16000)}`,
  cds: pieces('cd src', (_i) => '; cd ..; cd src'),
  cds2: pieces('ls', (_i) => ' && mv a b; cd src'),
  cds3: pieces('touch x', () => '; cd src; cd ..'),
  cds4: pieces('touch x', (i) => `; cd d${i % 3}`),
  heredocs: pieces('', (_i) => `cat <<E\na\nE\n`),
  'heredoc long': `cat <<'E'\n${'a\n'.repeat(8000)}E`,
  quoted: `echo ${"'a'".repeat(5000)}`,
  dq: `echo ${'"a"'.repeat(5000)}`,
  'mixed brackets': `ls ${'[a]'.repeat(5000)}`,
  '[ ': `ls ${'['.repeat(16000)}`,
  '[]': `ls ${'[]'.repeat(8000)}`,
  '\\[': `ls ${'\\['.repeat(8000)}`,
  stars: `ls ${'*'.repeat(16000)}`,
  'a*': `ls ${'a*'.repeat(8000)}`,
  '?': `ls ${'?'.repeat(200)}`,
  'f*f*': `ls big/${'f*'.repeat(60)}z`,
  'rg g': `rg ${pieces('', (i) => ` -g '*a${i}'`)}`,
  rgg: `rg -g '${'*a'.repeat(8000)}' x`,
  braces: `ls ${'{a,b}'.repeat(3000)}`,
  spaces: `${' '.repeat(16000)}ls`,
  newlines: `${'\n'.repeat(16000)}ls`,
  comments: `${'#a\n'.repeat(5000)}ls`,
  cont: `ls ${'\\\n'.repeat(8000)}a`,
  uni: `echo ${'é'.repeat(8000)}`,
  assign: fill('a=b '),
  esc: `echo ${'\\a'.repeat(8000)}`,
  "$'": `echo ${"$'a'".repeat(4000)}`,
  "$'2": `echo $'${'a'.repeat(16000)}'`,
  "$'3": `echo $'${'\\n'.repeat(8000)}'`,
  groups: `${'{ '.repeat(5000)}ls${'; }'.repeat(3000)}`,
  subs: `${'( '.repeat(5000)}ls${')'.repeat(5000)}`,
  subs2: `${'( '.repeat(200)}ls${')'.repeat(200)}`,
  not: `${'! '.repeat(8000)}ls`,
  time: `${'time '.repeat(3000)}ls`,
  pipes: `${'ls|'.repeat(5400)}ls`,
  amp: 'ls&'.repeat(5400),
  andor: `${'ls&&'.repeat(250)}ls`,
  tilde: pieces('ls', (i) => ` ~${i}`),
  link: pieces('cat ', () => 'link-in/../'),
  'git words': pieces('git add', (i) => ` src/a${i}`),
  'rm deep': pieces('rm', (i) => ` grid/d1/e1/x${i}`),
  canon: pieces('echo', (_i) => " 'a b'"),
  '[[:': `ls ${'[[:'.repeat(5000)}`,
  dup: pieces('ls', (_i) => ' 2>&1'),
  alt: pieces('echo a', (i) => ` && echo a || ls src/b${i}`),
}

describe('shellJudge() on the worst texts', () => {
  let made: Workspace
  let paths: PathPolicy
  beforeAll(() => {
    made = workspace()
    for (let i = 0; i < 1500; i++) made.write(`ws/big/f${i}`)
    for (let i = 0; i < 900; i++) made.write(`ws/grid/d${i % 30}/e${Math.floor(i / 30)}/x`)
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

  it.each(Object.entries(inputs).map(([name, text]) => ({ name, text })))(
    'takes little time for $name',
    ({ text }) => {
      const cost = least(() => shellJudge({ paths }).command(text), MAX_MS / 3)
      if (cost > MAX_MS / 2) expect(cost / slowness()).toBeLessThan(MAX_MS)
      else expect(cost).toBeLessThan(MAX_MS)
    },
  )
})
