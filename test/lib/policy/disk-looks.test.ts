import { afterAll, describe, expect, it } from 'vitest'
import { autonomy } from '../../../middleware/hooks/autonomy.ts'
import { diskLooks } from '../../helpers/disk-looks.ts'
import { hookContext } from '../../helpers/hook-context.ts'
import { workspace } from '../../helpers/workspace.ts'

const made = workspace()
for (let i = 0; i < 600; i++) made.write(`ws/full/f${i}`)
for (let i = 0; i < 10; i++) made.write(`ws/small/f${i}`)
for (let i = 0; i < 300; i++) made.write(`ws/dirs/d${i}/x`)
afterAll(() => made.remove())

const { check } = autonomy({
  workspaceOnly: true,
  workspaceRoot: made.ws,
  home: made.home,
  forbiddenPathGlobs: ['**/.env'],
})

/** The looks at the disk that one call takes, and its answer. */
function judged(toolName: string, params: Record<string, unknown>) {
  let answer: unknown
  const looks = diskLooks(() => {
    answer = check(hookContext({ toolName, params }))
  })
  return { ...looks, answer }
}

const words = (count: number): string => Array.from({ length: count }, (_, i) => ` w${i}`).join('')

describe('how often one call looks at the disk', () => {
  it('does not depend on how many files a glob matches', () => {
    const looks = judged('bash', { command: 'ls full/*' })
    expect(looks).toMatchObject({ opendirSync: 1, answer: null })
    expect(looks).toEqual(judged('bash', { command: 'ls small/*' }))
  })

  it('is once for each file that is named', () => {
    const one = judged('bash', { command: `ls${words(1)}` })
    const looks = judged('bash', { command: `ls${words(200)}` })
    expect(looks).toMatchObject({ opendirSync: 0, answer: null })
    expect(looks.lstatSync).toBe(one.lstatSync + 199)
  })

  it('is never for more words than may be judged', () => {
    const looks = judged('bash', { command: `ls${words(257)}` })
    expect(looks).toMatchObject({ lstatSync: 0, opendirSync: 0 })
    expect(looks.answer).toMatchObject({
      reason: 'command: more than 256 paths in one call; split it up',
    })
  })

  it('is never for a list of commands that is too much', () => {
    const command = `ls${words(150)}`
    const looks = judged('bash', { commands: Array.from({ length: 5 }, () => command) })
    expect(looks).toMatchObject({ lstatSync: 0 })
    expect(looks.answer).toMatchObject({
      reason: 'commands[3]: more than 600 words and operators in one call; split it up',
    })
  })

  it('is bounded for directories: each counts as four entries', () => {
    const looks = judged('bash', { command: 'ls dirs/*/*' })
    // The one above, and the first of those in it.
    expect(looks.opendirSync).toBe(1 + Math.ceil((1000 - 4 - 300) / 5))
    expect(looks.answer).toMatchObject({ rule: 'path' })
  })

  it.each([
    ['my_tool', Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`path${i}`, 'a.txt']))],
    ['my_tool', { paths: Array.from({ length: 501 }, () => 'a.txt') }],
    ['my_tool', { x: Array.from({ length: 10_001 }, () => ({})), path: 'a.txt' }],
    ['my_tool', { outputs: Array.from({ length: 10_001 }, () => 'x'), path: 'a.txt' }],
    ['bash', { command: 'ls a.txt', env: Array.from({ length: 257 }, () => 'LANG=C') }],
    ['git', { subcommand: 'log '.repeat(300), args: [] }],
    ['bash', { command: ['ls', ...Array.from({ length: 601 }, () => 'a.txt')] }],
  ])('is at most one where %s is given too much', (toolName, params) => {
    const looks = judged(toolName, params)
    expect(looks.lstatSync).toBeLessThanOrEqual(1)
    expect(looks.answer).toMatchObject({ kind: 'deny' })
  })
})
