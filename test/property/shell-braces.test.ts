/** Compares what the judge says of braces in a word with what real bash makes of the word. */
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandsBraces } from '../../lib/policy/shell/braces.ts'

/** For each word, whether bash makes something else of it than its own characters. */
function expandsInBash(words: readonly string[]): boolean[] {
  const script = words.map((word) => `printf '%s ' ${word}; printf '\\n'\n`).join('')
  const run = spawnSync('bash', ['--norc', '--noprofile', '-f'], {
    input: script,
    maxBuffer: 1 << 26,
  })
  const lines = run.stdout.toString().split('\n').slice(0, -1)
  expect(lines).toHaveLength(words.length)
  return words.map((word, i) => lines[i] !== `${word.replace(/\\(.)/g, '$1')} `)
}

const word = (...pieces: string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((some) => some.join(''))

describe('expandsBraces()', () => {
  it('says of commas what bash does', () => {
    // A word that begins with `{}` is an exception of bash's, which the judge does not make.
    const words = fc
      .sample(word('{', '}', ',', 'a', '\\{', '\\}', '\\,'), 5000)
      .filter((text) => !text.startsWith('{}'))
    const inBash = expandsInBash(words)
    expect(inBash.filter(Boolean).length).toBeGreaterThan(200)
    expect(words.filter((text, i) => expandsBraces(text) !== inBash[i])).toEqual([])
  })

  it('misses nothing that bash makes of dots', () => {
    const words = fc.sample(word('{', '{}', '}', ',', '..', '..', '1', 'a', '\\}'), 5000)
    const inBash = expandsInBash(words)
    expect(inBash.filter(Boolean).length).toBeGreaterThan(200)
    expect(words.filter((text, i) => inBash[i] && !expandsBraces(text))).toEqual([])
  })
})
