import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../../lib/policy/shell/languages.ts'
import { Lru } from '../../../../lib/policy/shell/lru.ts'
import { PROGRAMS, ruleFor } from '../../../../lib/policy/shell/programs/table.ts'
import { candidatesOf, filesOf, gitPaths } from '../../../../lib/policy/shell/words.ts'

const texts = (all: readonly { readonly text: string }[]): string[] => all.map(({ text }) => text)

describe('candidatesOf()', () => {
  it.each([
    ['a', ['a']],
    ['-', []],
    ['', []],
    ['--long', []],
    ['-x', []],
    ['-la', ['a']],
    ['-x/etc', ['/etc']],
    ['-xy/etc', ['y/etc', '/etc']],
    ['-I../x', ['../x']],
    ['if=/etc/x', ['if=/etc/x', '/etc/x']],
    ['--x=a', ['a']],
    ['/a:/b:ro', ['/a:/b:ro', '/b:ro', '/b']],
    ['u@h:/x', ['u@h:/x', '/x']],
    ['a:b', ['a:b']],
    ['@/etc/x', ['@/etc/x', '/etc/x']],
    ['https://a.b/etc?x=/y', []],
    ['x=https://a.b/etc', ['x=https://a.b/etc']],
    ['file:///etc', ['file:///etc']],
    ['git+file:///etc', ['file:///etc']],
    ['x=FILE:/etc', ['x=FILE:/etc', 'FILE:/etc']],
    ['f{i}le:///etc', ['f{i}le:///etc', '///etc']],
    ['{"a": ["/x", \'.y\']}', ['{"a": ["/x", \'.y\']}', '/x', '.y']],
  ])('finds in %s what may be a path', (word, expected) => {
    expect(texts(candidatesOf(word))).toEqual(expected)
  })
})

describe('filesOf()', () => {
  it.each([
    ['{"a":"/x"}', []],
    ['a=/x', []],
    ['@/x', ['/x']],
    ['n=@/x;type=a', ['/x;type=a', '/x']],
    ['n=</x', ['/x']],
    ['n=@a,/x', ['a,/x', 'a', '/x']],
    ['n=@"/x"', ['"/x"', '/x']],
    ['n=@a;headers=@"/x"', ['a;headers=@"/x"', 'a', '/x']],
    ['n@a,/x', ['a,/x', 'a']],
    ['@-', []],
  ])('finds in %s the file that is read', (word, expected) => {
    expect(texts(filesOf(word))).toEqual(expected)
  })
})

describe('gitPaths()', () => {
  it.each([
    ['main', ['main']],
    ['HEAD:a/b', ['HEAD:a/b', 'top a/b']],
    ['HEAD:./a', ['HEAD:./a', './a']],
    [':0:a', ['top 0:a', 'top a']],
    [':/a', ['top a']],
    [':!a', []],
    [':^a', []],
    [':(exclude)a', []],
    [':(top)a', ['top a']],
    [':(top,exclude)a', []],
    [':(attr:exclude)a', ['top a']],
    [':(attr:!x)a', ['top a']],
    [':(attr:a\\)b)c', ['top b)c', 'top c']],
    [':/:a', ['top a']],
    [':/!:a', []],
    ['https://a/b', []],
  ])('finds the paths of %s', (word, expected) => {
    expect(gitPaths(word).map(({ text, fromTop }) => (fromTop ? `top ${text}` : text))).toEqual(
      expected,
    )
  })
})

describe('LANGUAGES', () => {
  it('knows sed scripts that stay within sed', () => {
    for (const script of [
      'p',
      '1,5p',
      '$!N;P;D',
      '/a/,/b/{s/x/y/2g;p}',
      's|a/b|[&]|I',
      '/[a-z]/Id',
    ]) {
      expect(LANGUAGES.sed(script), script).toBeUndefined()
    }
    for (const script of [
      'e',
      'w x',
      's/a/b/e',
      's/a/b/w x',
      's/[/]/x/',
      '1!r x',
      '{p;w x',
      'a\\x',
    ]) {
      expect(LANGUAGES.sed(script), script).toBeDefined()
    }
  })

  it('knows formats of printf that assign nothing', () => {
    expect(LANGUAGES.format('%s\\n%5.2f%%n %q')).toBeUndefined()
    for (const format of ['%n', '%5n', '%-ln', '%.3hhn', 'a%%%n', '%-%%n', '%5%%n']) {
      expect(LANGUAGES.format(format), format).toBeDefined()
    }
  })
})

describe('ruleFor()', () => {
  it('finds a program by its base name and without its version', () => {
    expect(ruleFor('/usr/bin/git')).toBe(PROGRAMS.git)
    expect(ruleFor('python3.12')).toBe(PROGRAMS.python)
    expect(ruleFor('x86_64-linux-gnu-gcc-12')).toBe(PROGRAMS.gcc)
    expect(ruleFor('arm-none-eabi-gcc')).toBe(PROGRAMS.gcc)
    expect(ruleFor('perl5.36-x86_64-linux-gnu')).toBe(PROGRAMS.perl)
    expect(ruleFor('toString')).toBeUndefined()
    expect(ruleFor('mytool')).toBeUndefined()
  })

  it('refuses other spellings of a program that has a rule', () => {
    for (const name of ['ENV', 'Git', 'ｅｎｖ', 'bash.exe']) {
      expect(ruleFor(name)?.refused, name).toMatch(/^write the program as/)
    }
  })
})

describe('Lru', () => {
  it('makes a value once while it is kept, and drops the one used longest ago', () => {
    const made: string[] = []
    const lru = new Lru(2, (key) => {
      made.push(key)
      return key.toUpperCase()
    })
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map((key) => lru.get(key)).join('')).toBe('ABACAB')
    expect(made).toEqual(['a', 'b', 'c', 'b'])
  })
})
