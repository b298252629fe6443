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
    // Nothing stands in what is no directory, not even dots.
    ['nowhere/.*', undefined],
    ['*.txt/.*', undefined],
    ['docs/.*/a.txt', undefined],
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

describe('what the shell globs of one call look at', () => {
  it('is not more where files stand among directories', () => {
    const made = workspace()
    for (let i = 0; i < 400; i++) made.write(`ws/mixed/f${i}.txt`)
    const call = pathPolicy({
      base: made.ws,
      within: { rule: 'workspaceOnly', dirs: ['.'] },
    }).begin()
    expect(call.judgeShellGlob('mixed/*/*', 'read')).toBeUndefined()
    expect(call.judgeShellGlob('docs/*', 'read')).toBeUndefined()
    made.remove()
  })

  it('is at most 1000 entries', () => {
    const made = workspace()
    for (let i = 0; i < 600; i++) made.write(`ws/full/f${i}.txt`)
    const inside = pathPolicy({
      base: made.ws,
      within: { rule: 'workspaceOnly', dirs: ['.'] },
    })
    expect(inside.judgeShellGlob('full/*', 'read')).toBeUndefined()
    const call = inside.begin()
    const answers = ['1', '2', '3'].map(
      (digit) => call.judgeShellGlob(`full/f${digit}*`, 'read')?.rule,
    )
    expect(answers).toEqual([undefined, 'path', 'path'])
    made.remove()
  })
})
