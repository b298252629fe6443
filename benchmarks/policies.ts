import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forbiddenPaths } from '../lib/policy/forbidden.ts'
import { textGlob } from '../lib/policy/glob.ts'
import { type PathPolicy, pathPolicy } from '../lib/policy/paths.ts'
import { allowedCommands } from '../lib/policy/shell/allow.ts'
import { shellJudge } from '../lib/policy/shell/judge.ts'
import { parseCommand } from '../lib/policy/shell/parse.ts'
import type { ShellJudge } from '../lib/policy/shell/types.ts'
import type { Params, ToolHook } from '../lib/types.ts'
import {
  auditLog,
  autonomy,
  contractScope,
  rateLimit,
  shellPresets,
} from '../middleware/hooks/index.ts'
import { hookContext } from '../test/helpers/hook-context.ts'
import { execute } from './fixtures.ts'
import type { Contender, Suite } from './runner.ts'

const FORBIDDEN: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '**/.git/**',
  '**/id_rsa*',
  '**/*.pem',
  '**/.ssh/**',
  '**/secrets/**',
  '~/.aws/**',
  '**/*.key',
  '/etc/**',
]

const COMMANDS: readonly string[] = [
  'git log',
  'git log *',
  'git status',
  'git diff *',
  'ls',
  'ls *',
  'cat *',
  'rg *',
  'npm test',
  'npm run *',
]

const PATH = 'src/index.ts'
const COMMAND = 'git log --oneline -n 20 --stat src'

/** A workspace with one file in it, removed when the process ends. */
function workspaceRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolware-bench-')))
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, PATH), '')
  return root
}

function judges(name: string, call: () => unknown): Contender {
  return {
    name,
    isSync: true,
    call: () => {
      const found = call()
      if (found !== undefined && found !== null)
        throw new Error(`${name}: ${JSON.stringify(found)}`)
    },
  }
}

/** Where a path leads, and whether it may be used; the base is one look at the file itself. */
export const paths: Suite = {
  name: 'paths',
  contenders: () => {
    const root = workspaceRoot()
    const file = join(root, PATH)
    const policy = (globs: readonly string[]): PathPolicy =>
      pathPolicy({
        base: root,
        within: { rule: 'workspaceOnly', dirs: ['.'] },
        forbidden: globs,
      })
    const plain = policy([])
    const guarded = policy(FORBIDDEN)
    const hook = autonomy({
      workspaceOnly: true,
      workspaceRoot: root,
      forbiddenPathGlobs: FORBIDDEN,
    })
    const contract = contractScope({ policy: { allowedPaths: ['src'] }, workspaceRoot: root })
    const ctx = hookContext({ params: { path: PATH } })
    return [
      { name: 'lstat', isSync: true, call: () => void lstatSync(file) },
      judges('path policy', () => plain.judge(PATH, 'read')),
      judges('path policy, 10 forbidden globs', () => guarded.judge(PATH, 'read')),
      judges('autonomy', () => hook.check(ctx)),
      judges('contractScope', () => contract.check(ctx)),
    ]
  },
}

/** Commands; the base is one parse of the same text. */
export const shell: Suite = {
  name: 'shell',
  contenders: () => {
    const root = workspaceRoot()
    const policy = pathPolicy({
      base: root,
      within: { rule: 'workspaceOnly', dirs: ['.'] },
      forbidden: FORBIDDEN,
    })
    const judge = (globs: readonly string[], disk = true): ShellJudge =>
      shellJudge({ allows: allowedCommands(globs, 'globs'), paths: disk ? policy : undefined })
    const few = judge(COMMANDS)
    const textOnly = judge(COMMANDS, false)
    const preset = judge(shellPresets.readOnlyDev)
    const cold = judge(COMMANDS)
    let texts = 0
    return [
      { name: 'parse', isSync: true, call: () => parseCommand(COMMAND) },
      judges('warm, no paths', () => textOnly.command(COMMAND)),
      judges('warm', () => few.command(COMMAND)),
      judges('warm, preset', () => preset.command(COMMAND)),
      judges('cold', () => cold.command(`git log --oneline -n ${texts++} --stat src`)),
    ]
  },
}

/** Lists of globs of which none matches; the base is a list of one. */
export const globs: Suite = {
  name: 'globs',
  contenders: () => {
    const path = '/home/someone/work/project/src/services/billing/invoice.ts'
    const make = (count: number): readonly Contender[] => {
      const forbidden = forbiddenPaths(
        Array.from({ length: count }, (_, i) => `**/private-${i}/*.pem`),
        { path: 'globs', bases: ['/'], home: '/home/someone', platform: 'posix' },
      )
      const commands = Array.from({ length: count }, (_, i) => textGlob(`tool-${i} --check *`))
      let calls = 0
      return [
        judges(`${count} path globs`, () => forbidden.hit(path)),
        // A directory that is not the one of the call before.
        judges(`${count} path globs, new directory`, () =>
          forbidden.hit(`/home/${calls++ % 2}${path}`),
        ),
        judges(`${count} command globs`, () => commands.find((glob) => glob.matches(COMMAND))),
      ]
    }
    return [1, 10, 100].flatMap(make)
  },
}

/** One hook through the whole pipeline, defaults on; the base is the same without hooks. */
export const hooks: Suite = {
  name: 'hooks',
  contenders: () => {
    const root = workspaceRoot()
    const params: Params = { path: PATH }
    const through = (name: string, hook: ToolHook): Contender => ({
      name,
      call: execute([hook], {}, { params: { ...params } }),
    })
    const limit = rateLimit({ limit: Number.MAX_SAFE_INTEGER, per: ['sender'] })
    return [
      { name: 'no hooks', call: execute([], {}, { params: { ...params } }) },
      through(
        'autonomy',
        autonomy({ workspaceOnly: true, workspaceRoot: root, forbiddenPathGlobs: FORBIDDEN }),
      ),
      through(
        'contractScope',
        contractScope({ policy: { allowedPaths: ['src'] }, workspaceRoot: root }),
      ),
      through('rateLimit', limit),
    ]
  },
}

/** Two records a call (the default logger writes warnings only, so there it costs making them); the base is the pipeline without hooks. */
export const audit: Suite = {
  name: 'audit',
  contenders: () => {
    const root = workspaceRoot()
    const through = (name: string, hook?: ToolHook): Contender => ({
      name,
      call: execute(hook ? [hook] : [], {}, { params: { path: PATH } }),
    })
    return [
      through('no hooks'),
      through('audit, default logger', auditLog()),
      through('audit, file', auditLog({ file: join(root, 'plain.jsonl') })),
      through('audit, chain', auditLog({ file: join(root, 'chain.jsonl'), chain: true })),
    ]
  },
}
