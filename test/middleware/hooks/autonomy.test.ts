import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { catalogue } from '../../../lib/policy/catalogue.ts'
import { pathGrants } from '../../../lib/policy/grants.ts'
import { Toolware } from '../../../lib/toolware.ts'
import type { Params } from '../../../lib/types.ts'
import { rewrite } from '../../../lib/verdict.ts'
import {
  type AutonomyOptions,
  autonomy,
  autonomySection,
  type ToolingSection,
} from '../../../middleware/hooks/autonomy.ts'
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'
import { tempDir } from '../../helpers/temp.ts'
import { workspace } from '../../helpers/workspace.ts'

const tree = workspace()
afterAll(() => tree.remove())

const inside: AutonomyOptions = { workspaceOnly: true, workspaceRoot: tree.ws, home: tree.home }

/** The opinion about one call: `allow`, `ask: <title>`, or rule and reason of the denial. */
function judge(options: AutonomyOptions, toolName: string, params: Params = {}, more = {}): string {
  const opinion = autonomy(options).check(hookContext({ toolName, params, ...more }))
  if (opinion === null) return 'allow'
  if (typeof opinion === 'boolean') return String(opinion)
  return opinion.kind === 'ask'
    ? `ask: ${opinion.request.title}`
    : `${opinion.rule} | ${opinion.reason}`
}

describe('autonomy()', () => {
  it('denies nothing without options', () => {
    for (const [tool, params] of [
      ['shell', { command: 'rm -rf / ; curl x | sh', env: { LD_PRELOAD: 'x' } }],
      ['read_file', { path: 'a\u0000b' }],
      ['read_file', { path: ['x'] }],
      ['unknown', {}],
      ['apply_patch', { input: 'nonsense' }],
    ] as const) {
      expect(judge({}, tool, params)).toBe('allow')
    }
  })

  it('looks under every name of a tool that nobody declared, when strict', () => {
    const strict = { ...inside, strictArguments: true }
    const call = { subject: '/etc/passwd', map: { '../x': 1 } }
    expect(judge(inside, 'mcp_thing', call)).toBe('allow')
    expect(judge(strict, 'mcp_thing', call)).toMatch(/^workspaceOnly \| (?:subject|the name map)/)
    expect(judge(strict, 'mcp_thing', { subject: tree.map('/ws/a.txt') })).toBe('allow')
    expect(judge(strict, 'Read_File', { path: 'a.txt', why: '/etc/x' })).toMatch(/^workspaceOnly/)
    expect(judge(strict, 'write_file', { path: 'a.txt', content: '/etc/x' })).toBe('allow')
    const tools = { mcp_thing: { access: 'write', text: ['subject'] } } as const
    expect(judge({ ...strict, tools }, 'mcp_thing', { subject: '/etc/x' })).toBe('allow')
  })

  it('refuses to write through one of several names of a file, when told', () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'a'), '')
    linkSync(join(dir, 'a'), join(dir, 'b'))
    const options = { workspaceRoot: dir, allowHardLinkWrites: false }
    const refused = /^allowHardLinkWrites \| \w+(?:\[0\])?: the file has other names too/
    expect(judge(options, 'write_file', { path: 'a', content: '' })).toMatch(refused)
    expect(judge(options, 'shell', { command: 'echo x > b' })).toMatch(refused)
    expect(judge(options, 'shell', { command: 'cp c [ab]' })).toMatch(refused)
    expect(judge(options, 'read_file', { path: 'a' })).toBe('allow')
    expect(judge(options, 'shell', { command: 'cat a b > c' })).toBe('allow')
    expect(judge(options, 'write_file', { path: 'c', content: '' })).toBe('allow')
  })

  it('says which argument of which rule, with the value in safe short form', () => {
    const { check } = autonomy(inside)
    const params = { edits: [{ path: 'a.txt' }, { path: `../\u202e${'x'.repeat(100)}` }] }
    expect(check(hookContext({ toolName: 'multi_edit', params }))).toEqual({
      kind: 'deny',
      reason:
        'edits[1].path: the path holds control or invisible characters; write it without them',
      rule: 'path',
      details: {
        rule: 'path',
        argument: 'edits[1].path',
        value: `../\\u202e${'x'.repeat(35)}…${'x'.repeat(39)}`,
      },
    })
    const named = check(
      hookContext({ toolName: 'x', params: { [`\u202e${'x'.repeat(9999)}`]: { path: '/etc' } } }),
    )
    expect(named).toMatchObject({
      details: { argument: `\\u202e${'x'.repeat(38)}…${'x'.repeat(34)}.path` },
      reason: expect.stringMatching(/^\\u202ex{38}…x{34}\.path: it leads outside/),
    })
    expect(judge(inside, 'read_file', { path: '/etc/passwd' })).toBe(
      `workspaceOnly | path: it leads outside ${tree.ws}; use a path inside`,
    )
  })

  it('keeps the modes apart', () => {
    expect(judge({ autonomyMode: 'readonly' }, 'read_file', { path: 'x' })).toBe('allow')
    expect(judge({ autonomyMode: 'readonly' }, 'write_file')).toBe(
      'autonomyMode: readonly | only reading is allowed, and this call of write_file may change something',
    )
    expect(judge({ autonomyMode: 'readonly' }, 'my_tool')).toBe(
      'autonomyMode: readonly | only reading is allowed, and my_tool is not known to read; the operator can declare it under tools',
    )
    expect(judge({ autonomyMode: 'supervised' }, 'write_file')).toBe('ask: Allow write_file?')
    expect(judge({ autonomyMode: 'supervised' }, 'my_tool')).toBe('ask: Allow my_tool?')
    expect(judge({ autonomyMode: 'supervised' }, 'read_file')).toBe('allow')
    expect(
      judge({ ...inside, autonomyMode: 'supervised' }, 'write_file', { path: '../x' }),
    ).toMatch(/^workspaceOnly/)
  })

  it('believes declared tools, by exact name', () => {
    const tools = { my_tool: { access: 'read', text: ['path'] } } as const
    expect(judge({ autonomyMode: 'readonly', tools }, 'my_tool')).toBe('allow')
    expect(judge({ autonomyMode: 'readonly', tools }, 'My_Tool')).toMatch(/^autonomyMode/)
    expect(judge({ ...inside, tools }, 'my_tool', { path: '/v1/users' })).toBe('allow')
    expect(judge(inside, 'my_tool', { path: '/v1/users' })).toMatch(/^workspaceOnly/)
    expect(judge({ ...inside, tools }, 'MY_TOOL', { path: '/v1/users' })).toMatch(/^workspaceOnly/)
  })

  it('does not take a hint from the arguments', () => {
    expect(
      judge({ autonomyMode: 'readonly' }, 'x', { readOnlyHint: true, approved: true }),
    ).toMatch(/^autonomyMode/)
  })

  it.each<[string, Params]>([
    ['shell', {}],
    ['exec', { cmd: ['ls'] }],
    ['terminal', { input: 'ls' }],
    ['BASH', {}],
    ['process', {}],
    ['code_exec', { language: 'python', code: '1' }],
    ['anything', { command: 'ls' }],
    ['run_task', {}],
  ])('allowShell: false denies %s %j', (tool, params) => {
    expect(judge({ allowShell: false }, tool, params)).toBe(
      'allowShell | commands and code are switched off; use the file tools',
    )
  })

  it('allowShell: false leaves reading actions, file tools and git alone', () => {
    expect(judge({ allowShell: false }, 'process', { action: 'list' })).toBe('allow')
    expect(judge({ allowShell: false }, 'git', { subcommand: 'status' })).toBe('allow')
    expect(judge({ allowShell: false }, 'str_replace_editor', { command: 'view', path: 'x' })).toBe(
      'allow',
    )
  })

  describe('commands', () => {
    const list: AutonomyOptions = {
      allowedShellCommandGlobs: ['ls', 'ls *', 'git status*', 'echo *'],
    }

    it.each<[string, Params]>([
      ['shell', { command: 'ls' }],
      ['exec', { command: 'ls', args: ['-la'] }],
      ['shell', { command: ['ls', '-la'] }],
      ['shell', { command: ['bash', '-lc', 'ls; echo x'] }],
      ['execute', { commands: ['ls', 'echo x'] }],
      ['code_exec', { language: 'bash', code: 'ls' }],
      ['git', { subcommand: 'status', args: ['-s'] }],
      ['git_status', { repo_path: '.' }],
      ['git', { subcommand: 'status', args: '-s' }],
      ['bash', { restart: true }],
      ['bash', { command: 'ls', env: { CI: '1' } }],
      ['bash', { command: 'ls', env: ['CI=1'] }],
      ['bash', { command: 'ls', env: [{ name: 'CI', value: '1' }] }],
      ['exec_command', { cmd: 'ls', shell: '/bin/bash' }],
      ['process', { action: 'kill', id: 'x' }],
      ['process', { action: 'start' }],
    ])('allows %s %j', (tool, params) => {
      expect(judge(list, tool, params)).toBe('allow')
    })

    it.each<[string, Params, RegExp]>([
      ['shell', { command: 'rm x' }, /^allowedShellCommandGlobs \| command: /],
      ['shell', { command: 'ls; rm x' }, /^allowedShellCommandGlobs \| command: /],
      ['shell', { cmd: 'rm x' }, /\| cmd: /],
      ['my_tool', { Command: 'rm x' }, /\| Command: /],
      ['my_tool', { command: 'ls', 'C-M-D': 'rm x' }, /\| C-M-D: /],
      ['exec', { command: 'ls', args: 7 }, /^arguments \| args: expected text or a list/],
      ['exec', { command: 'ls', args: '; rm x' }, /\| command: /],
      ['execute', { commands: ['ls', 'rm x'] }, /\| commands\[1\]: /],
      ['execute', { commands: Array.from({ length: 9 }, () => 'ls') }, /more than 8 commands/],
      ['shell', { command: ['bash', '-lc', 'ls; rm x'] }, /\| command: /],
      ['shell', { command: { text: 'ls' } }, /^arguments \| command: expected a command/],
      ['shell', { command: [] }, /^arguments \| command: expected a command/],
      ['shell', {}, /^arguments \| command: no command was found/],
      ['bash', { restart: true, line: 'rm x' }, /^arguments \| command: no command was found/],
      ['BASH', { restart: true }, /^arguments \| command: no command was found/],
      ['process', { program: 'rm x' }, /^arguments \| command: no command was found/],
      ['process', { argv: ['rm'] }, /^arguments \| command: no command was found/],
      ['shell', { command: 'ls', script: 'rm x' }, /\| script: /],
      ['git', { subcommand: 'push' }, /^allowedShellCommandGlobs/],
      ['git_log', { repo_path: '.' }, /^allowedShellCommandGlobs/],
      ['git', { args: 'status' }, /^arguments \| subcommand: no git subcommand/],
      ['git', { subcommand: 'status', args: { x: 1 } }, /^arguments \| args/],
      [
        'code_exec',
        { language: 'python', code: '1' },
        /^allowedShellCommandGlobs \| code: code cannot be judged/,
      ],
      ['code_exec', { code: 'ls' }, /code cannot be judged/],
      ['powershell', { command: 'ls' }, /only commands of sh and bash/],
      ['exec_command', { cmd: 'ls', shell: 'pwsh' }, /only commands of sh and bash/],
      ['run_task', { id: 'x' }, /cannot be judged/],
      [
        'bash',
        { command: 'ls', env: { LD_PRELOAD: 'x' } },
        /^env \| env: .*leave the variable out/,
      ],
      ['bash', { command: 'ls', environment: ['FOO=1'] }, /^env \| environment: /],
      ['bash', { command: 'ls', env: 'CI=1' }, /^arguments \| env: /],
      ['bash', { command: 'ls', env: ['CI'] }, /^arguments \| env: /],
      ['process', { command: 'rm x' }, /^allowedShellCommandGlobs/],
      ['process', { action: 'write', data: 'rm x\n' }, /^allowedShellCommandGlobs/],
      ['process', { action: 'list', command: 'rm x' }, /^allowedShellCommandGlobs/],
    ])('denies %s %j', (tool, params, wanted) => {
      expect(judge(list, tool, params)).toMatch(wanted)
    })

    it.each<[Params, RegExp]>([
      [{ steps: [{ command: 'rm x' }] }, /^allowedShellCommandGlobs \| steps\[0\]\.command: /],
      [{ input: { a: { CMD: 'ls' }, b: { cmd: 'rm x' } } }, /\| input\.b\.cmd: /],
      [
        { input: { command: 'ls', args: ['x; rm', '>x'] }, x: [[{ cmd: 'ls; rm x' }]] },
        /x\[0\]\[0\]/,
      ],
      [{ input: { command: 'ls', env: { LD_PRELOAD: 'x' } } }, /^env \| input\.env: /],
      [{ input: { command: 'ls', cwd: 7 } }, /^arguments \| input\.cwd: /],
      [{ input: { command: 'ls', shell: 'pwsh' } }, /input\.shell: only commands of sh/],
      [{ input: { command: { text: 'ls' } } }, /^arguments \| input\.command: expected a command/],
      [
        { x: Array.from({ length: 9 }, () => ({ command: 'ls' })) },
        /^arguments \| arguments: more than 8 commands/,
      ],
      [
        { x: Array.from({ length: 10_001 }, () => ({})) },
        /^arguments \| arguments: more than 10000 objects and lists/,
      ],
      [
        {
          x: Array.from({ length: 201 }, () =>
            Object.fromEntries([...Array(100).keys()].entries()),
          ),
        },
        /^arguments \| arguments: more than 10000 names of arguments/,
      ],
    ])('judges commands deep in the arguments of an undeclared tool: %j', (params, wanted) => {
      expect(judge(list, 'my_tool', params)).toMatch(wanted)
      expect(judge({ allowShell: false }, 'my_tool', params)).toMatch(/^allowShell/)
      expect(judge({ autonomyMode: 'readonly' }, 'my_tool', params)).toMatch(/^autonomyMode/)
      const tools = { my_tool: { access: 'write' } } as const
      expect(judge({ ...list, tools }, 'my_tool', params)).toBe('allow')
    })

    it('allows such commands that match', () => {
      expect(judge(list, 'my_tool', { steps: [{ command: 'ls' }, { cmd: ['echo', 'x'] }] })).toBe(
        'allow',
      )
      expect(judge(list, 'my_tool', { steps: [{ command: 7 }, { label: 'rm x' }] })).toBe('allow')
      const rows = Array.from({ length: 300 }, () => ({ 名: 'rm', 値: 1, größe: 2, '': 3, ü: 4 }))
      expect(judge(list, 'my_tool', { rows })).toBe('allow')
    })

    it('[] allows none, * all that can be judged', () => {
      expect(judge({ allowedShellCommandGlobs: [] }, 'shell', { command: 'ls' })).toMatch(
        /^allowedShellCommandGlobs/,
      )
      expect(judge({ allowedShellCommandGlobs: ['*'] }, 'shell', { command: 'eval "$(x)"' })).toBe(
        'allow',
      )
      const star = { ...inside, allowedShellCommandGlobs: ['*'] }
      expect(judge(star, 'shell', { command: 'cat a.txt' })).toBe('allow')
      expect(judge(star, 'shell', { command: 'cat /etc/passwd' })).toMatch(/^workspaceOnly/)
    })

    it('runs where the call says', () => {
      expect(judge(inside, 'shell', { command: 'cat ../a.txt', cwd: 'src' })).toBe('allow')
      expect(judge(inside, 'shell', { command: 'cat ../a.txt' })).toMatch(/^workspaceOnly/)
      expect(judge(inside, 'exec', { cmd: 'ls', workdir: '../' })).toMatch(
        /^workspaceOnly \| workdir: /,
      )
      expect(judge(inside, 'exec', { cmd: 'ls', workdir: 'nope' })).toMatch(/^path \| workdir: /)
      expect(judge(inside, 'exec', { cmd: 'ls', workdir: 7 })).toMatch(/^arguments \| workdir: /)
    })
  })

  describe('files', () => {
    it.each<[string, Params]>([
      ['glob', { pattern: '**/*.ts', path: 'src' }],
      ['grep', { pattern: '../x' }],
      ['list_directory', {}],
      [
        'apply_patch',
        { input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch' },
      ],
      ['apply_patch', { patch: '--- src/index.ts\n+++ src/index.ts\n@@ -1 +1 @@\n-a\n+b\n' }],
      ['read_file', { path: 'index.ts', cwd: 'src' }],
      ['web_fetch', { url: 'https://example.org/' }],
      ['message', { to: '@user', message: 'see /etc/passwd' }],
      ['git', { cwd: 'src' }],
      ['git', { subcommand: 'commit', message: 'see HEAD:../x: fix\n\n- y' }],
      ['git', { subcommand: 'log', maxCount: 5, author: ' A: /x', branch: 'feature/x' }],
      ['git', { subcommand: 'show', revision: 'HEAD~1:src/index.ts' }],
      ['git_show', { repo_path: 'src', revision: 'HEAD~1:index.ts' }],
      ['git_diff', { repo_path: '.', target: 'main...feature/x', context_lines: 3 }],
      ['git_add', { repo_path: '.', files: ['a.txt', 'src'] }],
      ['git_commit', { repo_path: '.', message: 'fix: see HEAD:../x' }],
      ['git_checkout', { repo_path: '.', branch_name: 'feature/x' }],
      ['git', { subcommand: 'push', remote: 'origin', url: 'https://a.b/c' }],
      ['process', { working_directory: 'src' }],
      ['process', { working_directory: 'src/new' }],
    ])('allows %s %j', (tool, params) => {
      expect(judge(inside, tool, params)).toBe('allow')
    })

    it.each<[string, Params, RegExp]>([
      ['read_file', {}, /^arguments \| path: no file is named/],
      ['read_file', { p: '/etc/passwd' }, /^arguments \| path: no file is named/],
      ['apply_patch', {}, /^arguments \| path: no file is named/],
      ['apply_patch', { input: 'x' }, /^patch \| input: the patch cannot be judged: /],
      ['apply_patch', { input: '--- a/../x\n+++ b/../x\n' }, /^workspaceOnly \| input: /],
      ['apply_patch', { input: '+++ link-out/hosts\n' }, /^workspaceOnly/],
      ['apply_patch', { input: '+++ x/link-out/hosts\n' }, /^workspaceOnly/],
      ['my_tool', { diff: '+++ b/../x\n' }, /^workspaceOnly \| diff: /],
      ['glob', { pattern: 'x*', path: '/etc' }, /^workspaceOnly \| path: /],
      ['git', { cwd: '..' }, /^workspaceOnly \| cwd: /],
      ['git', { args: '--version' }, /^arguments \| subcommand: /],
      ['git', { subcommand: 'log', args: '; cat /etc/passwd' }, /^workspaceOnly \| args: /],
      ['git', { subcommand: 'log', flags: '--output=x' }, /flags: git log: it writes/],
      ['git', { action: 'diff', options: ['--output=x'] }, /options: git diff: it writes/],
      ['git', { subcommand: 'log', args: ['-1'], argv: ['--output=x'] }, /argv: git log/],
      ['git', { subcommand: 'show', revision: 'HEAD:../x' }, /^workspaceOnly \| revision: /],
      ['git_show', { repo_path: '.', revision: 'HEAD:../x' }, /^workspaceOnly \| revision: /],
      ['git_show', { repo_path: 'src', revision: 'HEAD:../../x' }, / \| revision: /],
      ['git_log', { repo_path: '/etc' }, /^workspaceOnly \| repo_path: /],
      ['git_diff', { repo_path: '.', target: '--output=x' }, /target: git diff: it writes/],
      ['git_add', { repo_path: '.', files: ['../x'] }, /^workspaceOnly \| files/],
      ['git', { subcommand: 'show', refs: ['HEAD', 'HEAD:../x'] }, /^workspaceOnly \| refs: /],
      ['git', { subcommand: 'log', range: '--output=x' }, /range: git log: it writes/],
      ['git', { subcommand: 'log', pathspec: ':(top)../x' }, /^workspaceOnly \| pathspec: /],
      ['git', { subcommand: 'show', x: Array(65).fill('a') }, /x: more than 64 texts/],
      ['my_tool', { command: { text: 'cat /etc/passwd' } }, /^arguments \| command: /],
      ['process', { working_directory: '/tmp' }, /^workspaceOnly \| working_directory: /],
      ['glob', { pattern: '../*', path: 'src' }, /^path \| pattern: /],
      ['read_file', { path: '../a.txt', cwd: 'src' }, /^workspaceOnly \| path: /],
      ['read_file', { path: 'a.txt', cwd: 'link-out' }, /^workspaceOnly \| cwd: /],
    ])('denies %s %j', (tool, params, wanted) => {
      expect(judge(inside, tool, params)).toMatch(wanted)
    })

    const secrets = { ...inside, forbiddenPathGlobs: ['**/.env', '**/*.pem', 'a/secret/**'] }

    it.each([
      '\\.\\./x',
      'src/\\.\\.\\/../x',
      '[.][.]/etc/x',
      '[\\.]./[.]\\./etc/*',
      '\\/etc/*',
      '[/]etc/*',
      '!(zz)/../../etc/*',
      '!/../../../etc/x',
      '!../x',
      '!\\.\\./x',
      '!{a,..}/x',
      '!![.][.]/x',
      '!!/etc/*',
      '!!!!/etc/x',
      '!a\u202e',
      '.\\env',
      '[.]env',
      '[.][e][n][v]',
      '[.x][e][n]v',
      '[.,][e,][n,][v,]',
      '?[a-f][m-o][u-w]',
      '????',
      '*.[p]em',
      '!!**/.env',
      'a/[s]ecret/*',
    ])('refuses a glob that climbs, leads outside or asks for what is forbidden: %j', (pattern) => {
      expect(judge(secrets, 'glob', { pattern })).not.toBe('allow')
      expect(judge(secrets, 'my_tool', { include: [pattern] })).not.toBe('allow')
    })

    it.each([
      '!**/.env',
      '!/x',
      '!a..b',
      '!',
      '!!src/*',
      '[a-z]*',
      '?',
      '*.[jt]s',
      'a\\*b',
      'src/[i]ndex.*',
      '[!x]*',
    ])('allows a glob that does neither: %j', (pattern) => {
      expect(judge(secrets, 'glob', { pattern })).toBe('allow')
    })

    it.each(['x[1]', '!x', '{a}', 'x*', 'x\\y'])(
      'judges a glob as the name of what is there: %s',
      (name) => {
        mkdirSync(join(tree.ws, 'src', `${name}.d`))
        tree.link('/etc', `ws/src/${name}`)
        tree.link('/etc/hosts', `ws/${name}`)
        for (const path of [name, `src/${name}/hosts`, `src/${name}/new`]) {
          expect(judge(inside, 'read_multiple_files', { paths: [path] })).toMatch(/^workspaceOnly/)
          expect(judge(inside, 'my_tool', { include: path })).toMatch(/^workspaceOnly/)
        }
        expect(judge(inside, 'read_multiple_files', { paths: [`src/${name}.d/x`] })).toBe('allow')
      },
    )

    it('takes a glob that only leaves out for the whole directory', () => {
      const contract = pathGrants({ allowedPaths: ['src'] }, { base: tree.ws })
      const find = (include: string[]) =>
        contract?.judge('read_many_files', { include }, catalogue().find('read_many_files'))
      expect(find(['!src/x'])).toMatchObject({ rule: 'allowedPaths' })
      expect(find(['src/**', '!src/x'])).toBeUndefined()
    })

    it.each<[string, Params]>([
      [
        'shell',
        { command: ['apply_patch', '*** Begin Patch\n*** Add File: ../x\n+x\n*** End Patch'] },
      ],
      [
        'exec',
        {
          command:
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ../x\n+x\n*** End Patch\nEOF",
        },
      ],
      ['exec', { command: "patch -p1 <<'EOF'\n  --- a/../x\n  +++ b/../x\nEOF" }],
      ['my_tool', { CMD: "patch -p1 <<'EOF'\n--- a/../x\n+++ b/../x\nEOF" }],
      ['my_tool', { cmd: "patch -p1 <<'EOF'\n--- a/../x\n+++ b/../x\nEOF" }],
      ['my_tool', { steps: [{ cmd: "patch -p1 <<'EOF'\n--- a/../x\n+++ b/../x\nEOF" }] }],
      ['my_tool', { step: { command: ['apply_patch', '*** Begin Patch\n*** Add File: ../x\n'] } }],
    ])('judges the patch in a command: %s %j', (tool, params) => {
      expect(judge(inside, tool, params)).not.toBe('allow')
    })

    it('allows a patch in a command that stays inside', () => {
      const command =
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\nEOF"
      expect(judge(inside, 'exec', { command })).toBe('allow')
      expect(judge(inside, 'exec', { command: "echo '\n--- ../x is a rule'" })).toBe('allow')
    })

    it('judges the first directory of a diff when there is one', () => {
      const dir = tempDir()
      symlinkSync('/etc', join(dir, 'a'))
      const patch = { patch: '--- a/hosts\n+++ a/hosts\n' }
      expect(judge({ workspaceOnly: true, workspaceRoot: dir }, 'apply_patch', patch)).toMatch(
        /^workspaceOnly/,
      )
    })

    describe('with several directories to start from', () => {
      const start = join(tree.root, 'start')
      for (const name of ['sub', 'a', 'b/l']) mkdirSync(join(start, name), { recursive: true })
      symlinkSync('/etc', join(start, 'sub/l'))
      const there: AutonomyOptions = { workspaceOnly: true, workspaceRoot: start }

      it.each<[string, Params]>([
        ['my_tool', { cwd: '.', workdir: 'sub', path: 'l/hosts' }],
        ['my_tool', { workdir: 'sub', cwd: '.', path: 'l/hosts' }],
        ['my_tool', { cwd: `file://${start}/sub`, path: 'l/hosts' }],
        ['my_tool', { directory: 'sub', filename: 'l' }],
        ['my_tool', { root: 'sub', files: ['a', 'l/hosts'] }],
        ['my_tool', { repo: 'sub', file: 'l/hosts' }],
        ['my_tool', { path: 'sub', include: 'l/*' }],
        ['my_tool', { path: 'sub', patch: '+++ l/hosts\n' }],
        ['grep', { path: 'a', dir_path: 'sub', pattern: 'x', glob: 'l/*' }],
      ])('judges relative paths from each of them: %s %j', (tool, params) => {
        expect(judge(there, tool, params)).toMatch(/^workspaceOnly \| /)
      })

      it('allows what stays inside from each of them', () => {
        for (const params of [
          { directory: 'sub', filename: 'x' },
          { cwd: 'b', workdir: 'b', path: 'l/hosts' },
          { root: 'b', files: ['l/hosts', 'l'] },
          { path: 'b', include: 'l/*' },
        ]) {
          expect(judge(there, 'my_tool', params)).toBe('allow')
        }
        expect(judge(there, 'glob', { path: 'b', pattern: 'l/*' })).toBe('allow')
      })

      it('runs no command where it could be in two places', () => {
        const all = { ...there, allowedShellCommandGlobs: ['*'] }
        expect(judge(all, 'bash', { cwd: '.', workdir: 'sub', command: 'cat l/hosts' })).toBe(
          'arguments | workdir: the call names two working directories; name one',
        )
        expect(judge(all, 'bash', { cwd: 'b', workdir: './b', command: 'ls l' })).toBe('allow')
      })

      it('takes an address for a path where the disk does', () => {
        const where = { path: 'https://hosts', source: 'ab:/hosts', url: 'https://hosts' }
        expect(judge(there, 'my_tool', where)).toBe('allow')
        symlinkSync('/etc', join(start, 'https:'))
        symlinkSync('/etc', join(start, 'b/ab:'))
        expect(judge(there, 'my_tool', { path: where.path })).toMatch(/^workspaceOnly \| path: /)
        expect(judge(there, 'my_tool', { cwd: 'b', source: where.source })).toMatch(
          /^workspaceOnly \| source: /,
        )
        expect(judge(there, 'my_tool', { url: where.url, image: 'data:image/png;base64,A' })).toBe(
          'allow',
        )
      })

      it('reads fewer names where each may start from several directories', () => {
        const files = Array.from({ length: 300 }, (_, i) => `n${i}`)
        const patch = files.map((file) => `+++ b/${file}\n`).join('')
        expect(judge(there, 'my_tool', { cwd: 'b', files })).toBe('allow')
        expect(judge(there, 'my_tool', { cwd: 'b', patch })).toBe('allow')
        const three = { cwd: 'b', root: 'a', repo: 'sub' }
        expect(judge(there, 'my_tool', { ...three, files })).toMatch(
          /^arguments \| arguments: the call names too many files .* 4 directories; split it/,
        )
        expect(judge(there, 'my_tool', { ...three, patch })).toMatch(/^patch \| .*split it/)
        expect(judge(there, 'my_tool', { ...three, files: files.slice(200) })).toBe('allow')
        expect(
          judge(there, 'my_tool', { ...three, files: ['y'.repeat(250).concat('/z').repeat(9)] }),
        ).toBe('allow')
      })

      it('refuses more of them than it would look from', () => {
        const dirs = Array.from({ length: 4 }, (_, i) => [`dir_${i}_path`, `d${i}`])
        for (const [, name] of dirs) mkdirSync(join(start, name as string))
        const params = Object.fromEntries(dirs)
        expect(judge(there, 'my_tool', { ...params, file: 'x' })).toMatch(
          /^arguments \| .*more than 4 directories/,
        )
        // Nothing could start from there.
        expect(judge(there, 'my_tool', params)).toBe('allow')
      })
    })

    it('judges the paths that the host derived', () => {
      expect(judge(inside, 'x', {}, { derivedPaths: ['/etc/x'] })).toMatch(
        /^workspaceOnly \| derivedPaths\[0\]: /,
      )
    })

    it('decides anew each time, since the disk changes', () => {
      const dir = tempDir()
      mkdirSync(join(dir, 'd'))
      const { check } = autonomy({ workspaceOnly: true, workspaceRoot: dir })
      const ctx = hookContext({ toolName: 'read_file', params: { path: 'd/hosts' } })
      expect(check(ctx)).toBeNull()
      renameSync(join(dir, 'd'), join(dir, 'e'))
      symlinkSync('/etc', join(dir, 'd'))
      expect(check(ctx)).toMatchObject({ kind: 'deny' })
    })
  })

  describe('configuration', () => {
    it.each<[unknown, string | RegExp]>([
      [
        { autonomyMode: 'read-only' },
        'tooling.autonomyMode: must be full, supervised or readonly; got "read-only"',
      ],
      [{ workspaceOnly: 'yes' }, 'tooling.workspaceOnly: must be true or false; got "yes"'],
      [
        { workspaceOnly: true },
        'tooling.workspaceRoot: is missing; it must name a directory, since workspaceOnly is on',
      ],
      [
        { workspaceRoot: '/nope' },
        'workspaceRoot: "/nope" is not a directory; create it or name another',
      ],
      [
        { workspaceRoot: ' ' },
        'tooling.workspaceRoot: must not be blank, nor begin or end with a blank; got " "',
      ],
      [
        { forbiddenPathGlob: [] },
        'tooling.forbiddenPathGlob: there is no such key; did you mean forbiddenPathGlobs?',
      ],
      [
        { forbiddenPathGlobs: ['ok', ''] },
        'tooling.forbiddenPathGlobs[1]: must not be blank, nor begin or end with a blank; got ""',
      ],
      [
        { forbiddenPathGlobs: ['!x'] },
        'forbiddenPathGlobs[0]: the pattern "!x" has a leading "!"; list what is forbidden',
      ],
      [
        { allowedShellCommandGlobs: [' ls'] },
        'tooling.allowedShellCommandGlobs[0]: must not be blank, nor begin or end with a blank; got " ls"',
      ],
      [{ platform: 'darwin' }, 'tooling.platform: must be posix or win32; got "darwin"'],
      [{ tools: { 'a b': { access: 'read' } } }, /^tools\["a b"\]: /],
      [
        { tools: { a: { access: 'look' } } },
        'tools.a.access: must be read, write or exec; got "look"',
      ],
      [
        { tools: { a: { access: 'read', command: 'x' } } },
        'tools.a.command: is for tools with access: exec; got "x"',
      ],
      [
        { tools: { a: { access: 'read', paths: ['a[b]'] } } },
        /^tools\.a\.paths\[0\]: must name an argument/,
      ],
    ])('refuses %j', (options, message) => {
      // Wrong on purpose, as a configuration file could be.
      expect(() => autonomy(options as AutonomyOptions)).toThrow(message)
    })

    it('holds its examples', () => {
      const allow = [{ toolName: 'read_file', params: { path: 'a.txt' } }]
      const deny = [{ toolName: 'read_file', params: { path: '../x' } }]
      expect(() => autonomy({ ...inside, examples: { allow, deny } })).not.toThrow()
      const wrong = (): unknown => autonomy({ ...inside, examples: { allow: deny } })
      expect(wrong).toThrow(
        /^tooling\.examples\.allow\[0\]: the call of read_file is judged deny \(path: it leads outside/,
      )
      expect(() => autonomy({ ...inside, examples: { deny: [...deny, ...allow] } })).toThrow(
        'tooling.examples.deny[1]: the call of read_file is judged allow',
      )
      expect(() =>
        autonomy({ autonomyMode: 'supervised', examples: { allow: [{ toolName: 'write_file' }] } }),
      ).toThrow('is judged ask')
    })
  })
})

describe('autonomySection', () => {
  it('knows every setting of its interface', () => {
    const all: Required<ToolingSection> = {
      autonomyMode: 'full',
      workspaceOnly: true,
      workspaceRoot: '.',
      forbiddenPathGlobs: ['**/.env'],
      allowShell: true,
      allowedShellCommandGlobs: ['*'],
      caseInsensitivePaths: false,
      strictArguments: true,
      allowHardLinkWrites: false,
      platform: 'posix',
      examples: { allow: [{ toolName: 'x', params: {} }], deny: [] },
    }
    expect(autonomySection.parse(all)).toEqual(all)
  })
})

describe('autonomy() in a pipeline', () => {
  it('blocks with code, rule and details, and judges what others rewrote', async () => {
    const app = new Toolware({ log: recordingLogger().log })
    app.use(autonomy(inside))
    app.use({
      name: 'rewriter',
      before: ({ params }) => (params.path === 'a.txt' ? rewrite({ path: '../x' }) : null),
    })
    let runs = 0
    const call = (path: string) =>
      app.execute({ toolName: 'read_file', params: { path } }, () => ++runs)
    expect(await call('/etc/passwd')).toMatchObject({
      status: 'blocked',
      code: 'DENIED',
      by: 'Autonomy',
      rule: 'workspaceOnly',
      details: { argument: 'path', value: '/etc/passwd' },
    })
    expect(await call('a.txt')).toMatchObject({
      status: 'blocked',
      by: 'Autonomy',
      rule: 'workspaceOnly',
    })
    expect(await call('src/index.ts')).toMatchObject({ status: 'completed' })
    expect(runs).toBe(1)
    await app.close()
  })
})
