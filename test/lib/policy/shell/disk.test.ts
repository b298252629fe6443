import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathPolicy } from '../../../../lib/policy/paths.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import type { ShellJudge } from '../../../../lib/policy/shell/types.ts'
import { type Workspace, workspace } from '../../../helpers/workspace.ts'

describe('shellJudge() in a workspace with traps on disk', () => {
  let made: Workspace
  let judge: ShellJudge
  const rule = (text: string): string => judge.command(text)?.rule ?? 'allowed'

  beforeAll(() => {
    made = workspace()
    const outside = join(made.root, 'ws-evil/a')
    made.write('ws/old/a.txt')
    made.write('ws/old/deep/b.txt')
    made.write('ws/old/l')
    made.write('ws/new/only.txt')
    made.write('ws/linked/l')
    for (const dir of ['letters', 'bytes', 'bytes2']) made.write(`ws/${dir}/a`)
    symlinkSync(outside, join(made.ws, 'new/l'))
    made.write('ws/ax/a')
    symlinkSync(join(made.root, 'ws-evil'), join(made.ws, 'Outside'))
    symlinkSync(join(made.root, 'ws-evil'), join(made.ws, '[A-Z]x'))
    symlinkSync(outside, join(made.ws, 'linked/a.txt'))
    made.write('ws/rev/HEAD:.env')
    made.write('ws/rev/x')
    made.write('ws/range/1,5:.env')
    made.write('ws/top/:(top).env')
    made.write('ws/bsd/auxe')
    made.write('ws/list/@a.txt')
    made.write('ws/remote/evil:x')
    made.write('ws/url/file:/etc/passwd')
    made.write('ws/plain/a=b')
    symlinkSync(outside, join(made.ws, 'letters/é'))
    for (const dir of ['bytes', 'bytes2']) {
      const name = Buffer.concat([Buffer.from(join(made.ws, dir, '/')), Buffer.from([0xff])])
      symlinkSync(outside, name)
    }
    made.write('ws/plain/c:d')
    judge = shellJudge({
      paths: pathPolicy({
        base: made.ws,
        home: made.home,
        within: { rule: 'workspaceOnly', dirs: ['.'] },
        forbidden: ['**/.env', '**/secrets/**'],
      }),
    })
  })
  afterAll(() => made.remove())

  it.each([
    ['cd rev && git show *', 'forbiddenPathGlobs: **/.env'],
    ['git show rev/*', 'forbiddenPathGlobs: **/.env'],
    ['cd rev && git log -p -- H*', 'forbiddenPathGlobs: **/.env'],
    ['cd range && git blame -L *', 'forbiddenPathGlobs: **/.env'],
    ['cd top && git diff -- *', 'forbiddenPathGlobs: **/.env'],
    ['cd bsd && ps *', 'shell program: ps'],
    ['cd bsd && ps a[u]*', 'shell program: ps'],
    ['strings list/a.txt ./list/* list/*', 'allowed'],
    ['cd list && strings *', 'shell: glob'],
    ['cd remote && tar cf x.tar e*', 'shell program: tar'],
    ['cd remote && tar t*', 'shell program: tar'],
    ['cd remote && npm view e*', 'shell program: npm'],
    ['cd url && curl */*/*', 'workspaceOnly'],
    ['cd plain && git add *', 'allowed'],
    ['cd plain && mytool *', 'allowed'],
    ['cat rev/* plain/* url/*/*/*', 'allowed'],
    ['cat letters/?', 'workspaceOnly'],
    ['cat letters/??', 'workspaceOnly'],
    ['cat letters/[!a]?', 'workspaceOnly'],
    ['cat letters/?a', 'allowed'],
    ['cat letters/a*', 'allowed'],
    ['cat bytes/*', 'path'],
    ['cat bytes/?', 'path'],
    ['cat bytes/a*', 'allowed'],
    ['cat byt*/?', 'path'],
    ['cat [!o]utside/a', 'workspaceOnly'],
    ['cat [A-Z]x/a', 'workspaceOnly'],
    ['cat [A-Z]x/new', 'workspaceOnly'],
    ['cat [[:alpha:]]x/a', 'allowed'],
    ['cat letters/[[:alpha:]]', 'workspaceOnly'],
    ['tar cf x.tar -C .? a', 'shell program: tar'],
  ])('judges what a glob finds as the word it becomes: %s', (text, expected) => {
    expect(rule(text)).toBe(expected)
  })

  it.each([
    ['diff a.txt old', 'allowed'],
    ['diff a.txt linked', 'workspaceOnly'],
    ['diff linked a.txt', 'workspaceOnly'],
    ['diff -u linked/ ./a.txt', 'workspaceOnly'],
    ['sdiff a.txt linked', 'workspaceOnly'],
    ['diff a.* linked', 'workspaceOnly'],
    ['diff old src', 'allowed'],
    ['diff old new', 'workspaceOnly'],
    ['diff new old', 'workspaceOnly'],
    ['diff new src', 'allowed'],
    ['diff bytes bytes2', 'path'],
    ['diff bytes letters', 'allowed'],
    ['diff -- old new', 'workspaceOnly'],
    ['diff a.txt package.json', 'allowed'],
    ['cp a.txt old', 'allowed'],
    ['cp a.txt b.txt', 'allowed'],
    ['cp a.txt linked', 'workspaceOnly'],
    ['cp -r src a.txt linked/', 'workspaceOnly'],
    ['cp *.txt linked', 'workspaceOnly'],
    ['cp -t linked a.txt', 'workspaceOnly'],
    ['cp -tlinked README.md a.txt', 'workspaceOnly'],
    ['cp --target-directory=linked a.txt', 'workspaceOnly'],
    ['cp linked/l old', 'allowed'],
    ['cp README.md package.json linked', 'allowed'],
  ])('judges the files that directories stand for: %s', (text, expected) => {
    expect(rule(text)).toBe(expected)
  })

  it('takes paths from the directory that a flag names as well', () => {
    expect(rule('tar czf x.tgz -C old a.txt deep')).toBe('allowed')
    expect(rule('cd src && tar -czf ../x.tgz -C .. old')).toBe('allowed')
    expect(rule('tar xf x.tar -C not-there')).toBe('allowed')
    expect(rule('tar cf x.tar -C linked a.txt')).toBe('workspaceOnly')
    expect(rule('tar cf x.tar -C linked *')).toBe('workspaceOnly')
    expect(rule(`tar cf x.tar ${'-C . '.repeat(6)} a.txt`)).toBe('shell: limits')
  })
})
