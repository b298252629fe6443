import { describe, expect, it } from 'vitest'
import { isToolwareError } from '../../../lib/errors.ts'
import { expandBraces } from '../../../lib/policy/braces.ts'
import { forbiddenPaths } from '../../../lib/policy/forbidden.ts'

const compile = (patterns: readonly unknown[], more: { follow?: (path: string) => string } = {}) =>
  forbiddenPaths(patterns, {
    path: 'forbiddenPathGlobs',
    bases: ['/ws'],
    home: '/home/u',
    platform: 'posix',
    ...more,
  })

describe('forbiddenPaths()', () => {
  it.each([
    ['**/.env', '/ws/.env', true],
    ['**/.env', '/ws/a/b/.env', true],
    ['**/.env', '/ws/.envrc', false],
    ['**/.env', '/ws/environment.ts', false],
    ['**/.git/**', '/ws/.git', true],
    ['**/.git/**', '/ws/.git/config', true],
    ['**/.git/**', '/ws/.gitignore', false],
    ['**/.ssh', '/home/u/.ssh/id_rsa', true],
    ['**/secrets/**', '/ws/docs/secrets.md', false],
    ['/secret/*', '/secret', true],
    ['/secret/*', '/secret/a/b', true],
    ['/secret/*', '/secrets/a', false],
    ['/etc/shadow*', '/etc/shadow-', true],
    ['/etc/shadow*', '/etc', false],
    ['src/*.pem', '/ws/src/a.pem', true],
    ['src/*.pem', '/ws/src', false],
    ['src/*.pem', '/other/src/a.pem', false],
    ['./src//x', '/ws/src/x/y', true],
    ['secrets/', '/ws/secrets/a', true],
    ['~/.ssh/*', '/home/u/.ssh/id_rsa', true],
    ['~', '/home/u/a', true],
    ['**/{.env,.npmrc}', '/ws/.npmrc', true],
    ['**/*.{pem,key}', '/ws/x.key', true],
    ['/a/**/z', '/a/z', true],
    ['/a/**/z', '/a/b/c/z/d', true],
    ['/a/**/z', '/a/b/c', false],
    ['**', '/anything', true],
    ['*', '/ws/a', true],
    ['*', '/other', false],
  ])('%j over %j is %j', (pattern, path, wanted) => {
    expect(compile([pattern]).hit(path)).toBe(wanted ? pattern : undefined)
  })

  it.each([
    ['/ws/.ENV', 'case'],
    ['/ws/.env.', 'a dot that Windows drops'],
    ['/ws/.env . .', 'blanks and dots that Windows drops'],
    ['/ws/.env::$DATA', 'a stream'],
    ['/ws/.env:hidden', 'a stream'],
    ['/ws/.ｅnv', 'compatibility forms'],
    ['/ws/a\\.env', 'backslashes as separators'],
    ['/ws/a\uff0f.env', 'a separator that folding makes'],
  ])('finds **/.env in %j: %s', (path) => {
    expect(compile(['**/.env']).hit(path)).toBe('**/.env')
  })

  it('follows the links in the literal beginning of a pattern', () => {
    const follow = (path: string): string => path.replace(/^\/data\/link/, '/data/real')
    const forbidden = compile(['/data/link/*.key'], { follow })
    expect(forbidden.hit('/data/real/a.key')).toBe('/data/link/*.key')
    expect(forbidden.hit('/data/link/a.key')).toBe('/data/link/*.key')
  })

  it('takes the first glob that hits', () => {
    expect(compile(['**/a', '**/b']).hit('/b/a')).toBe('**/a')
  })

  it.each([
    ['!**/x', 'the pattern "!**/x" has a leading "!"; list what is forbidden'],
    ['../x', 'the pattern "../x" has a ".." in it; write the absolute path'],
    ['a/@(b|c)', 'the pattern "a/@(b|c)" has an extglob such as @(a|b) in it; use {a,b}'],
    ['a{1..3}', 'the pattern "a{1..3}" has a range in braces; list the alternatives'],
    ['a{b', 'the pattern "a{b" has a brace that is not closed'],
    ['**.env', 'the pattern "**.env" has a "**" that does not stand alone between slashes'],
    ['a*b*c*d*e', 'the pattern "a*b*c*d*e" has more than 3 stars in one segment'],
    ['~root/x', 'the pattern "~root/x" has ~user in it; write the absolute path'],
    ['$HOME/x', 'the pattern "$HOME/x" has a variable at its start; write the path itself'],
    ['[a', 'the pattern "[a" has a [ that is not closed; write \\\\[ for the character'],
  ])('refuses %j at load', (pattern, message) => {
    const load = (): unknown => compile(['ok', pattern])
    expect(load).toThrow(message.replaceAll('\\\\', '\\'))
    try {
      load()
    } catch (error) {
      expect(isToolwareError(error, 'CONFIG')).toBe(true)
      expect(error).toMatchObject({ details: { path: 'forbiddenPathGlobs[1]' } })
    }
  })

  it('stays quick over long paths', () => {
    const forbidden = compile(Array.from({ length: 50 }, (_, i) => `**/*a*${i}/**/*b*/x${i}`))
    const started = process.cpuUsage()
    expect(forbidden.hit('/a0'.repeat(1365))).toBeUndefined()
    expect(forbidden.hit(`/${'ab'.repeat(2000)}`)).toBeUndefined()
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000)
  })
})

describe('expandBraces()', () => {
  it.each([
    ['a', ['a']],
    ['{a,b}', ['a', 'b']],
    ['x{a,b}y{c,d}', ['xayc', 'xayd', 'xbyc', 'xbyd']],
    ['{a,{b,c}}', ['a', 'b', 'c']],
    ['{a}', ['{a}']],
    ['\\{a,b}', ['\\{a,b}']],
    ['{,a}', ['', 'a']],
  ])('%j gives %j', (pattern, wanted) => {
    expect(expandBraces(pattern)).toEqual(wanted)
  })

  it('stops at 64 alternatives', () => {
    expect(expandBraces('{a,b}'.repeat(6))).toHaveLength(64)
    expect(expandBraces('{a,b}'.repeat(7))).toBe('more than 64 alternatives in braces')
  })
})
