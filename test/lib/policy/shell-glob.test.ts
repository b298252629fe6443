import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { pathPolicy } from '../../../lib/policy/paths.ts'
import { workspace } from '../../helpers/workspace.ts'

const tree = workspace()
afterAll(() => tree.remove())
tree.write('ws/many/x')
for (let i = 0; i < 1001; i++) tree.write(`ws/many/f${i}`)
tree.write('ws/odd/[x')
tree.write('ws/odd/*')

const policy = pathPolicy({
  base: tree.ws,
  within: { rule: 'workspaceOnly', dirs: ['.'] },
  forbidden: ['**/.env', '**/index.ts'],
  home: tree.home,
})

describe('judgeShellGlob()', () => {
  it.each([
    ['*.txt', undefined],
    ['docs/*', undefined],
    ['s*/nothing*', undefined],
    ['nomatch*', undefined],
    ['[a-b].txt', undefined],
    ['?.txt', undefined],
    ['\\*', undefined],
    ['odd/[x*', undefined],
    ['odd/\\*', undefined],
    // Files that begin with a dot only match a pattern that does.
    ['e*v', undefined],
    ['.e*', 'forbiddenPathGlobs: **/.env'],
    ['.?nv', 'forbiddenPathGlobs: **/.env'],
    ['.[e]nv', 'forbiddenPathGlobs: **/.env'],
    ['src/*', 'forbiddenPathGlobs: **/index.ts'],
    ['*/nomatch*', 'workspaceOnly'],
    ['link-o*', 'workspaceOnly'],
    ['link-out/pass*', 'workspaceOnly'],
    ['link-in/*', 'forbiddenPathGlobs: **/index.ts'],
    ['../*', 'workspaceOnly'],
    ['src/../../*', 'workspaceOnly'],
    ['.*', 'workspaceOnly'],
    ['/et*/passwd', 'workspaceOnly'],
    ['~/.s*', 'workspaceOnly'],
    ['../nomatch*', 'workspaceOnly'],
    ['/nomatch-?', 'workspaceOnly'],
    ['many/*', 'path'],
  ])('%j: %s', (pattern, rule) => {
    expect(policy.judgeShellGlob(pattern, 'read')?.rule).toBe(rule)
  })

  it.each(['*', '**/*.ts', '*/index.ts', '*env'])(
    'refuses %j for one of its matches',
    (pattern) => {
      expect(policy.judgeShellGlob(pattern, 'read')).toBeDefined()
    },
  )

  it('starts where the command runs', () => {
    expect(policy.judgeShellGlob('*.md', 'read', join(tree.ws, 'docs'))).toBeUndefined()
    expect(policy.judgeShellGlob('../.e*', 'read', join(tree.ws, 'docs'))).toMatchObject({
      rule: 'forbiddenPathGlobs: **/.env',
    })
  })

  it('shares its entries among the globs of one call', () => {
    const call = policy.begin()
    const answers = [...'abcdefghijkl'].map(
      (c) => call.judgeShellGlob(`many/*/${c}*`, 'read')?.rule,
    )
    expect(answers[0]).toBe('path')
    const small = policy.begin()
    expect(small.judgeShellGlob('docs/a*', 'read')).toBeUndefined()
  })
})

describe('what the shell globs of one call match', () => {
  it('is at most 500 files', () => {
    const made = workspace()
    for (let i = 0; i < 502; i++) made.write(`ws/full/f${i}.txt`)
    const inside = pathPolicy({
      base: made.ws,
      within: { rule: 'workspaceOnly', dirs: ['.'] },
    })
    expect(inside.judgeShellGlob('full/*', 'read')?.rule).toBe('path')
    expect(inside.judgeShellGlob('full/f1*', 'read')).toBeUndefined()
    const call = inside.begin()
    const answers = ['1', '2', '3', '4', '50'].map(
      (digit) => call.judgeShellGlob(`full/f${digit}*`, 'read')?.rule,
    )
    expect(answers).toEqual([undefined, 'path', 'path', 'path', 'path'])
    made.remove()
  })
})

describe('judgeGlob()', () => {
  it.each([
    ['**/*', undefined],
    ['**/*.md', undefined],
    ['*.*', undefined],
    ['src/**', undefined],
    ['docs/{a,b}.md', undefined],
    ['/ws/docs/*', undefined],
    ['[a-z]*', undefined],
    ['(group)/x', undefined],
    ['**/.env*', 'forbiddenPathGlobs: **/.env'],
    ['**/.*', 'forbiddenPathGlobs: **/.env'],
    ['.e??', 'forbiddenPathGlobs: **/.env'],
    ['*.env', 'forbiddenPathGlobs: **/.env'],
    // Libraries differ in what matches a leading dot.
    ['?env', 'forbiddenPathGlobs: **/.env'],
    ['[.]env', 'forbiddenPathGlobs: **/.env'],
    ['**/INDEX.*', 'forbiddenPathGlobs: **/index.ts'],
    ['{a,.env}', 'forbiddenPathGlobs: **/.env'],
    ['../**/*.pem', 'path'],
    ['src/../../*', 'path'],
    ['/etc/**', 'workspaceOnly'],
    ['{a.txt,../../etc/passwd}', 'workspaceOnly'],
    ['{a,/etc}/*', 'workspaceOnly'],
    ['link-out/*', 'workspaceOnly'],
    ['~/*', 'workspaceOnly'],
    ['file:///etc/*', 'path'],
    ['@(../x|y)', 'path'],
    ['{a,b', 'path'],
    ['x{1..9}*', 'path'],
    ['[a', 'path'],
    ['..\\*', 'path'],
    [`${'*/'.repeat(20)}x`, 'path'],
    [' *', 'path'],
  ])('%j: %s', (pattern, rule) => {
    expect(policy.judgeGlob(tree.map(pattern), 'read')?.rule).toBe(rule)
  })

  it('limits the alternatives of one call', () => {
    const call = policy.begin()
    expect(call.judgeGlob(`${'{a,b}'.repeat(6)}*`, 'read')).toBeUndefined()
    expect(call.judgeGlob('b*', 'read')).toMatchObject({ rule: 'path' })
  })
})
