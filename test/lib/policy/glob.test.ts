import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isToolwareError } from '../../../lib/errors.ts'
import { commandGlob, nameGlob, segment, textGlob } from '../../../lib/policy/glob.ts'

interface GlobCase {
  readonly area: string
  readonly name: string
  readonly config: { readonly pattern: string }
  readonly call: { readonly value: string }
  readonly expect: { readonly match: boolean }
  readonly why: string
}

const url = new URL('../../cases/dotnet-policy.json', import.meta.url)
const cases = (JSON.parse(readFileSync(url, 'utf8')) as readonly GlobCase[]).filter(
  ({ area }) => area === 'glob',
)

describe('textGlob()', () => {
  it.each(cases)('$name: $why', ({ config, call, expect: { match } }) => {
    expect(textGlob(config.pattern).matches(call.value)).toBe(match)
  })

  it.each([
    ['git log*', 'git log -- a/b', true],
    ['rm *', 'rm /etc', true],
    ['git status*', 'git statu', false],
    ['*', 'x\ny', true],
    ['a**b', 'ab', true],
    ['*aba', 'ababa', true],
    ['ab*ba', 'aba', false],
    ['*b*b*', 'ab', false],
    ['(a|b)[c]{d}!', '(a|b)[c]{d}!', true],
    ['a?c', 'abc', false],
  ])('%j over %j is %j', (pattern, text, matches) => {
    expect(textGlob(pattern).matches(text)).toBe(matches)
  })

  it('takes time linear in the text, whatever the stars', () => {
    const glob = textGlob(`${'*a'.repeat(64)}*z`)
    const started = process.cpuUsage()
    for (const length of [40, 300, 16_384, 100_000])
      expect(glob.matches('a'.repeat(length))).toBe(false)
    const { user } = process.cpuUsage(started)
    // A backtracking matcher needs longer than anyone waits for four stars and 300 characters.
    expect(user).toBeLessThan(1_000_000)
  })
})

describe('segment()', () => {
  const matches = (pattern: string, name: string): boolean => {
    const compiled = segment(pattern)
    if (typeof compiled === 'string') throw new Error(compiled)
    return compiled.matches(name)
  }

  it.each([
    ['*.pem', 'key.pem', true],
    ['*.pem', '.pem', true],
    ['id_rsa*', 'id_rsa.pub', true],
    ['file?.txt', 'file1.txt', true],
    ['file?.txt', 'file.txt', false],
    ['[ab].txt', 'a.txt', true],
    ['[!ab].txt', 'a.txt', false],
    ['[^ab]*', '😀x', true],
    ['[[:digit:]]x', '5x', true],
    ['[]a]', ']', true],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['SECRET*', 'secrets', true],
    ['ﬁle', 'file', true],
    ['stra\u00dfe', 'strasse', true],
    ['e\u0301*', '\u00e9t\u00e9', true],
    ['(group)', '(group)', true],
    ['a+b', 'a+b', true],
  ])('%j over the folded name %j is %j', (pattern, name, wanted) => {
    expect(matches(pattern, name)).toBe(wanted)
  })

  it.each([
    ['[a', 'a [ that is not closed; write \\[ for the character'],
    ['a\\', 'a backslash at its end'],
    ['[z-a]', '[z-a] is no valid set of characters'],
  ])('refuses %j', (pattern, problem) => {
    expect(segment(pattern)).toBe(problem)
  })

  it('takes no longer than the product of both lengths', () => {
    const compiled = segment(`${'*a?'.repeat(60)}z`)
    const started = process.cpuUsage()
    expect(typeof compiled === 'string' || compiled.matches('a'.repeat(4000))).toBe(false)
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000)
  })
})

describe('patterns of a configuration', () => {
  const problem = (vet: () => unknown): string => {
    try {
      vet()
    } catch (error) {
      if (isToolwareError(error, 'CONFIG')) return error.message
      throw error
    }
    return 'accepted'
  }

  it.each([
    ['', 'list[0]: the pattern "" is blank; remove it'],
    ['  ', 'list[0]: the pattern "  " is blank; remove it'],
    [' ls', 'list[0]: the pattern " ls" begins or ends with a blank; write it without'],
    ['a\nb', 'list[0]: the pattern "a\\u000ab" holds control characters; write it without'],
    [7, 'list[0]: a pattern must be text, not 7'],
    [undefined, 'list[0]: a pattern must be text, not undefined'],
    ['git *', 'accepted'],
  ])('a command glob %j: %s', (pattern, message) => {
    expect(problem(() => commandGlob(pattern, 'list[0]'))).toBe(message)
  })

  it('a pattern is at most 256 characters long', () => {
    expect(problem(() => commandGlob('a'.repeat(256), 'x'))).toBe('accepted')
    expect(problem(() => commandGlob('a'.repeat(257), 'x'))).toMatch(/longer than 256/)
  })

  it.each([
    ['sk_*', 'accepted'],
    ['mcp__*__read', 'accepted'],
    ['{a,b}', 'list[0]: "{a,b}" can match no tool; use letters, digits, _.:/- and *'],
    ['a b', 'list[0]: "a b" can match no tool; use letters, digits, _.:/- and *'],
  ])('a glob over tool names %j: %s', (pattern, message) => {
    expect(problem(() => nameGlob(pattern, 'list[0]'))).toBe(message)
  })
})
