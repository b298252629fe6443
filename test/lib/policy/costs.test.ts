import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HookContext, Opinion, Params } from '../../../lib/types.ts'
import { autonomy } from '../../../middleware/hooks/autonomy.ts'
import { hookContext } from '../../helpers/hook-context.ts'

const GLOBS = [
  '**/.env',
  '**/.env.*',
  '**/.git/**',
  '**/id_rsa*',
  '**/*.pem',
  '**/.ssh/**',
  '**/secrets/**',
  '~/.aws/**',
  '**/*key*',
  '**/*a*b*c',
  '**/[!x]?[a-z]*q',
  '/etc/shadow*',
]

// Nothing that an input can do takes longer than this, ten times over: the target is 50 ms of an idle machine,
// the bound leaves room for a loaded one. What is not bounded takes seconds.
const BOUND_US = 500_000

const many = (count: number, text: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => text(i))

const INPUTS: ReadonlyArray<readonly [string, string, () => Params]> = [
  [
    'many long climbing paths',
    'copy_file',
    () => ({ paths: many(500, (i) => `${'d/../'.repeat(12)}${i}`) }),
  ],
  ['one climbing path', 'read_file', () => ({ path: 'd/../'.repeat(800) })],
  ['links that climb', 'read_file', () => ({ path: `${'l/'.repeat(39)}x` })],
  [
    'many segments that exist nowhere',
    'copy_file',
    () => ({ paths: many(8, () => `${'q/'.repeat(2000)}z`) }),
  ],
  [
    'long names',
    'copy_file',
    () => ({ paths: many(8, () => `${`${'ab'.repeat(125)}/`.repeat(15)}z`) }),
  ],
  ['a long name that almost matches', 'read_file', () => ({ path: 'ab'.repeat(127) })],
  [
    'names of composed characters',
    'read_file',
    () => ({ path: `${'ﷺ'.repeat(80)}/${'ﷺ'.repeat(80)}` }),
  ],
  ['braces in globs', 'glob', () => ({ pattern: `${'{a,b}'.repeat(6)}/*`.repeat(2) })],
  ['nested braces', 'glob', () => ({ pattern: '{'.repeat(500) + '}'.repeat(500) })],
  ['many globs', 'read_many_files', () => ({ include: many(500, (i) => `**/x${i}*/**/*`) })],
  ['stars in globs', 'glob', () => ({ pattern: `${'*a'.repeat(400)}z` })],
  ['globstars', 'glob', () => ({ pattern: `${'**/'.repeat(15)}k*` })],
  [
    'a patch of line ends',
    'apply_patch',
    () => ({ patch: `+++ b/x\n@@ -1,999999 +1,999999 @@\n${'\n'.repeat(99_000)}` }),
  ],
  ['a patch of headers', 'apply_patch', () => ({ patch: '--- a/x\n+++ b/x\n'.repeat(49_000) })],
  [
    'a patch of one quoted name',
    'apply_patch',
    () => ({ patch: `diff --git "${'\\a'.repeat(500_000)}` }),
  ],
  ['a patch of blanks', 'apply_patch', () => ({ patch: `${' '.repeat(1_000_000)}x` })],
  ['a patch of many words', 'apply_patch', () => ({ patch: `diff --git ${'a '.repeat(500_000)}` })],
  [
    'what might be a patch',
    'my_tool',
    () => ({ patch: '\n'.repeat(1_000_000), diff: ' '.repeat(1_000_000) }),
  ],
  [
    'many argument names',
    'my_tool',
    () => ({ x: Object.fromEntries(many(50_000, (i) => `path_${i}`).map((k) => [k, 'x'])) }),
  ],
  ['a long argument name', 'my_tool', () => ({ [`${'é'.repeat(500_000)}path`]: '/etc' })],
  [
    'a long value',
    'my_tool',
    () => ({ output: 'x'.repeat(8_000_000), uri: '../'.repeat(1_000_000) }),
  ],
  [
    'many variables',
    'bash',
    () => ({
      command: 'ls',
      env: Object.fromEntries(
        many(20_000, (i) => `LC_A${'B'.repeat(i % 40)}`).map((k) => [k, 'x']),
      ),
    }),
  ],
  ['many globs in a command', 'bash', () => ({ command: `ls ${'d/f* '.repeat(3000)}` })],
  [
    'many words in a command',
    'bash',
    () => ({ command: `cat ${many(3000, (i) => `f${i}`).join(' ')}` }),
  ],
  ['a deep directory for commands', 'bash', () => ({ command: 'ls', cwd: 'd/../'.repeat(800) })],
]

describe('what one call can cost', () => {
  let check: (ctx: HookContext) => Opinion
  let root: string
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'toolware-costs-'))
    mkdirSync(join(root, 'd'))
    for (let i = 0; i < 990; i++) writeFileSync(join(root, `d/f${i}`), '')
    symlinkSync(`${'d/../'.repeat(200)}.`, join(root, 'l'))
    check = autonomy({ workspaceOnly: true, workspaceRoot: root, forbiddenPathGlobs: GLOBS }).check
  })

  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it.each(INPUTS)('%s', (_, toolName, make) => {
    const ctx = hookContext({ toolName, params: make() })
    const started = process.cpuUsage()
    check(ctx)
    const used = process.cpuUsage(started)
    expect(used.user + used.system).toBeLessThan(BOUND_US)
  })
})
