import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isToolwareError } from '../../../../lib/errors.ts'
import { type PathPolicy, pathPolicy } from '../../../../lib/policy/paths.ts'
import { allowedCommands } from '../../../../lib/policy/shell/allow.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import type { ShellPolicy } from '../../../../lib/policy/shell/types.ts'
import { type Workspace, workspace } from '../../../helpers/workspace.ts'

let made: Workspace
let paths: PathPolicy
beforeAll(() => {
  made = workspace()
  paths = pathPolicy({
    base: made.ws,
    home: made.home,
    within: { rule: 'workspaceOnly', dirs: ['.'] },
    forbidden: ['**/.env', '**/secrets/**'],
  })
})
afterAll(() => made.remove())

const list = (...globs: string[]): Pick<ShellPolicy, 'allows'> => ({
  allows: allowedCommands(globs, 'allowedShellCommandGlobs'),
})

/** The rule that refused a text, or `allowed`. */
const rule = (policy: ShellPolicy, text: string): string =>
  shellJudge(policy).command(text)?.rule ?? 'allowed'

describe('shellJudge()', () => {
  describe('with nothing restricted', () => {
    it('lets any text pass, valid or not', () => {
      expect(shellJudge({}).command('rm -rf / "')).toBeUndefined()
      expect(shellJudge({}).argv(['rm', '-rf', '/'])).toBeUndefined()
      expect(shellJudge({ paths: pathPolicy({ base: made.ws }) }).command('eval x')).toBeUndefined()
      expect(shellJudge(list('*', 'ls')).command('eval x')).toBeUndefined()
    })
  })

  describe('with a list', () => {
    it('wants every simple command named, wherever it stands', () => {
      const policy = list('ls', 'ls *', 'echo *')
      expect(rule(policy, 'ls -la && ls | ls')).toBe('allowed')
      for (const text of ['ls; rm x', '(rm x)', '! rm x', 'echo "$(rm x)"', 'ls | rm', 'ls & rm']) {
        expect(rule(policy, text)).toBe('allowedShellCommandGlobs')
      }
    })

    it('allows nothing under an empty list, not even a redirect', () => {
      expect(rule(list(), 'ls')).toBe('allowedShellCommandGlobs')
      expect(rule(list(), '> x')).toBe('allowedShellCommandGlobs')
    })

    it('matches words joined with one blank, quotes removed, comments and redirects left out', () => {
      const policy = list('git commit -m *', "say 'a b'", 'x  y')
      expect(rule(policy, 'git   commit -"m" \'a; b\' 2>&1 # note')).toBe('allowed')
      expect(rule(policy, 'say "a b"')).toBe('allowed')
      expect(rule(policy, 'say a b')).toBe('allowedShellCommandGlobs')
      expect(rule(policy, 'x y')).toBe('allowedShellCommandGlobs')
      expect(rule(policy, 'git "commit -m" x')).toBe('allowedShellCommandGlobs')
    })

    it('names a program by its path only where the glob has a path', () => {
      const policy = list('./build.sh *', '* --version', 'ls')
      expect(rule(policy, './build.sh all')).toBe('allowed')
      expect(rule(policy, './evil --version')).toBe('allowedShellCommandGlobs')
      expect(rule(policy, './ls')).toBe('allowedShellCommandGlobs')
      expect(rule(policy, 'node --version')).toBe('allowed')
    })

    it('runs script files, and nothing else, for an interpreter that is named', () => {
      const policy = list('node', 'node *', 'bash *', 'python *')
      expect(rule(policy, 'node scripts/x.js --flag')).toBe('allowed')
      expect(rule(policy, 'bash -x build.sh')).toBe('allowed')
      expect(rule(policy, 'python -m pytest -x')).toBe('allowed')
      for (const text of [
        'node -e 1',
        'node',
        'node -',
        'bash -c ls',
        'bash +x -c ls',
        'python -',
      ]) {
        expect(rule(policy, text)).toMatch(/^shell program: /)
      }
    })

    it('never grants wrappers and builtins that poison what follows', () => {
      const policy = list('env *', 'export *', 'xargs *', 'sh *', 'eval *')
      for (const text of ['env ls', 'export PATH=.', 'xargs rm', 'sh -c ls', "eval 'ls'"]) {
        expect(rule(policy, text)).not.toBe('allowed')
      }
    })

    it('refuses a list that cannot be compiled', () => {
      expect(() => allowedCommands(['ls', ''], 'allowedShellCommandGlobs')).toThrow(
        expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining('Globs[1]') }),
      )
      try {
        allowedCommands([' ls'], 'k')
      } catch (error) {
        expect(isToolwareError(error, 'CONFIG')).toBe(true)
      }
    })
  })

  describe('with paths', () => {
    it('judges operands, flag values, redirects and programs in the directory they run in', () => {
      const policy = { paths }
      expect(rule(policy, 'cat a.txt > out.txt')).toBe('allowed')
      expect(rule(policy, 'cat ../ws-evil/a')).toBe('workspaceOnly')
      expect(rule(policy, 'cd src && cat ../a.txt')).toBe('allowed')
      expect(rule(policy, 'cd src && cat ../../ws-evil/a')).toBe('workspaceOnly')
      expect(rule(policy, 'tool --out=../x')).toBe('workspaceOnly')
      expect(rule(policy, 'cat < .env')).toBe('forbiddenPathGlobs: **/.env')
      expect(rule(policy, 'ls > /tmp/x')).toBe('workspaceOnly')
      expect(rule(policy, '( ls ) > /tmp/x')).toBe('workspaceOnly')
      expect(rule(policy, '{ ls; } 2> /tmp/x')).toBe('workspaceOnly')
      expect(rule(policy, 'ls 2>/dev/null < /dev/null')).toBe('allowed')
    })

    it('takes patterns, messages and what is printed for text', () => {
      for (const text of [
        'grep -rn /etc/passwd src',
        'rg -e ../x src',
        "git commit -m 'see /etc/hosts'",
        "find . -path '/x/*'",
        'echo /etc/passwd ../x ~/y',
        "sed -n '/etc/p' a.txt",
        'cut -d / -f 1 a.txt',
      ]) {
        expect(rule({ paths }, text)).toBe('allowed')
      }
    })

    it('starts from the directory it is given', () => {
      const judge = shellJudge({ paths })
      expect(judge.command('cat ../a.txt', join(made.ws, 'src'))).toBeUndefined()
      expect(judge.command('cat ../a.txt', made.ws)?.rule).toBe('workspaceOnly')
    })

    it('looks at the disk each time, though it parses a text once', () => {
      const judge = shellJudge({ paths })
      const later = join(made.ws, 'later')
      expect(judge.command('cat later')).toBeUndefined()
      symlinkSync('/etc/passwd', later)
      expect(judge.command('cat later')?.rule).toBe('workspaceOnly')
      rmSync(later)
      expect(judge.command('cat later')).toBeUndefined()
    })

    it('refuses to go on when `cd ..` means another place by spelling than on the disk', () => {
      mkdirSync(join(made.ws, 'deep/er'), { recursive: true })
      symlinkSync(join(made.ws, 'deep/er'), join(made.ws, 'short'))
      expect(rule({ paths }, 'cd short && ls')).toBe('allowed')
      expect(rule({ paths }, 'cd short && cd .. && ls')).toBe('shell program: cd')
      expect(rule({ paths }, 'cd deep/er && cd .. && cat ../a.txt')).toBe('allowed')
    })

    it('follows `cd` on every branch and out of none that it ends in', () => {
      for (const text of [
        'cd src && cat ../a.txt; cat ../a.txt',
        '(cd src); cat a.txt',
        '(cd src && cat ../a.txt) && cat a.txt',
        'true && { cd src; cat ../a.txt; }',
      ]) {
        expect(rule({ paths }, text)).toBe('allowed')
      }
      for (const text of [
        '(cd src); cat ../a.txt',
        'cd src | cat; cat ../a.txt',
        'cd src & cat ../a.txt',
        'touch x; cd src; cat ../a.txt',
        'cd src && cd .. && cat ../a.txt',
        '{ cd src; }; cd ..; cat ../a.txt',
      ]) {
        expect(rule({ paths }, text)).toBe('workspaceOnly')
      }
    })

    it('expands globs as the shell will', () => {
      expect(rule({ paths }, 'cat src/*.ts')).toBe('allowed')
      expect(rule({ paths }, 'cat .e*')).toBe('forbiddenPathGlobs: **/.env')
      expect(rule({ paths }, 'cat link-o*/passwd')).toBe('workspaceOnly')
      expect(rule({ paths }, "cat '.e*'")).toBe('allowed')
    })

    it('takes a quoted ~ for a name as well as for the home directory', () => {
      const home = join(made.ws, 'deep/er')
      mkdirSync(join(home, 'x'), { recursive: true })
      const inside = pathPolicy({
        base: made.ws,
        home,
        within: { rule: 'workspaceOnly', dirs: ['.'] },
      })
      expect(rule({ paths: inside }, 'cat ~/x/../../y')).toBe('allowed')
      for (const text of ["cat '~/x/../../../y'", 'cat \\~/../../y', 'cat ~"/x"/../../../../y']) {
        expect(rule({ paths: inside }, text), text).not.toBe('allowed')
      }
      expect(rule({ paths: inside }, "cd '~/x'")).toBe('shell program: cd')
      expect(rule({ paths: inside }, "ls > '~x'")).toBe('shell: syntax')
      expect(rule({ paths: inside }, "echo '~/x'; grep '~/x' a.txt")).toBe('allowed')
    })

    it('answers one finding for the model: rule, reason, value', () => {
      expect(shellJudge({ paths }).command('ls && cat /etc/passwd')).toMatchObject({
        rule: 'workspaceOnly',
        value: '/etc/passwd',
      })
      expect(shellJudge({ paths }).command('find . -name x -delete')).toEqual({
        rule: 'shell program: find',
        reason: 'find: it deletes; use rm on the files themselves ("-delete")',
        value: '-delete',
      })
      expect(shellJudge({ paths }).command('echo $HOME')).toEqual({
        rule: 'shell: syntax',
        reason:
          'a variable is not allowed; write the value out, or quote it with \'...\' ("$HOME")',
        value: '$HOME',
      })
    })
  })

  describe('and file names that look like flags', () => {
    it('refuses a glob that would turn one into a flag', () => {
      const dir = join(made.ws, 'dashes')
      mkdirSync(dir)
      writeFileSync(join(dir, 'a'), '')
      const judge = shellJudge({ paths })
      expect(judge.command('sort *', dir)).toBeUndefined()
      writeFileSync(join(dir, '-ox'), '')
      for (const text of ['sort *', 'sort ?ox', 'sort [-]ox', 'sort -*', 'rg x -g *']) {
        expect(judge.command(text, dir)?.rule, text).toBe('shell: glob')
      }
      for (const text of ['sort ./*', 'sort -- *', 'echo *', 'sort a*']) {
        expect(judge.command(text, dir), text).toBeUndefined()
      }
      expect(shellJudge(list('sort *')).command('sort *', dir)?.rule).toBe('shell: glob')
    })
  })

  describe('on argument lists', () => {
    it('judges the words as they are', () => {
      const judge = shellJudge({ paths, ...list('git *', 'cat *', 'ls') })
      expect(judge.argv(['git', 'commit', '-m', 'a; rm -rf / $(x) `y`'])).toBeUndefined()
      expect(judge.argv(['cat', '*'])).toBeUndefined()
      expect(judge.argv(['cat', '/etc/passwd'])?.rule).toBe('workspaceOnly')
      expect(judge.argv(['git', '-c', 'x=y', 'log'])?.rule).toBe('shell program: git')
      expect(judge.argv(['rm', 'x'])?.rule).toBe('allowedShellCommandGlobs')
    })

    it('reads the code of bash -lc as a text', () => {
      const judge = shellJudge({ paths, ...list('ls') })
      expect(judge.argv(['bash', '-lc', 'ls && ls'])).toBeUndefined()
      expect(judge.argv(['sh', '-c', 'ls; rm x'])?.rule).toBe('allowedShellCommandGlobs')
      expect(judge.argv(['bash', '-c', 'ls', 'rm'])?.rule).toBe('allowedShellCommandGlobs')
      const named = shellJudge({ paths, ...list('bash *') })
      expect(named.argv(['bash', '-c', 'ls', 'rm'])?.rule).toBe('shell program: bash')
    })

    it('refuses what is no name of a program, too much, and NUL', () => {
      const judge = shellJudge({ paths })
      for (const argv of [
        [],
        [''],
        ['ls -la'],
        ['ls;rm'],
        ['ls', 'x'.repeat(20_000)],
        ['ls', '\0'],
      ]) {
        expect(judge.argv(argv)?.rule).toMatch(/^shell: /)
      }
    })
  })

  describe('on several texts of one call', () => {
    const words = (from: number, count: number): string =>
      Array.from({ length: count }, (_, i) => `src/f${from + i}`).join(' ')

    it('gives them one budget of paths', () => {
      const call = shellJudge({ paths }).begin()
      expect(call.command(`ls ${words(0, 200)}`)).toBeUndefined()
      expect(call.command(`ls ${words(200, 200)}`)?.rule).toBe('shell: limits')
      expect(
        shellJudge({ paths })
          .begin()
          .command(`ls ${words(0, 200)}`),
      ).toBeUndefined()
    })

    it('refuses texts that are longer together than one may be', () => {
      const call = shellJudge({ paths }).begin()
      const text = `echo ${'x'.repeat(9000)}`
      expect(call.command(text)).toBeUndefined()
      expect(call.argv(['echo', 'x'.repeat(9000)])?.rule).toBe('shell: limits')
      const judge = shellJudge({ paths })
      expect([judge.command(text), judge.command(text)]).toEqual([undefined, undefined])
    })

    it('remembers that one of them may have changed the disk', () => {
      const call = shellJudge({ paths }).begin()
      expect(call.command('rm -r src')).toBeUndefined()
      // The directory may be gone: `cat` then runs where it is.
      expect(call.command('cd src; cat ../a.txt')?.rule).toBe('workspaceOnly')
      expect(shellJudge({ paths }).command('cd src; cat ../a.txt')).toBeUndefined()
    })
  })

  describe('with rules of its own', () => {
    it('takes them before the table', () => {
      const programs = {
        mytool: { closed: true, operands: ['text', 'read'], refuse: { '--run': 'no' } },
        env: { operands: ['text'] },
      } as const
      const policy = { paths, programs }
      expect(rule(policy, 'mytool /etc/passwd a.txt')).toBe('allowed')
      expect(rule(policy, 'mytool x /etc/passwd')).toBe('workspaceOnly')
      expect(rule(policy, 'mytool --ru x')).toBe('shell program: mytool')
      expect(rule(policy, 'mytool --other x')).toBe('shell program: mytool')
      expect(rule(policy, 'env')).toBe('allowed')
    })
  })

  it('says no when the path policy fails', () => {
    const broken: PathPolicy = {
      ...paths,
      begin: () => {
        throw new Error('disk on fire')
      },
    }
    expect(shellJudge({ paths: broken }).command('ls a')?.rule).toBe('shell: failed')
    expect(shellJudge({ paths: broken }).begin().command('ls a')?.rule).toBe('shell: failed')
  })
})
