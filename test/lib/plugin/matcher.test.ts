import { describe, expect, it } from 'vitest'
import { foldToolName, parseMatcher } from '../../../lib/plugin/matcher.ts'

describe('parseMatcher()', () => {
  it('matches every tool when it is left out (rule 12)', () => {
    expect(parseMatcher(undefined)).toBeUndefined()
  })

  it.each([['exec'], [null], [false], [0], [Number.NaN], ['']].map(([value]) => [value]))(
    'refuses %j, which is no list (rules 12, 13)',
    (value) => {
      expect(() => parseMatcher(value)).toThrow(/matcher must be a list of tool names/)
    },
  )

  it('refuses an empty list (rule 13)', () => {
    expect(() => parseMatcher([])).toThrow(/at least one tool/)
  })

  it.each([[[42]], [[' ']], [['']], [new Array(1)], [['exec', undefined]]])(
    'refuses the entries of %j (rule 13)',
    (matcher) => {
      expect(() => parseMatcher(matcher)).toThrow(/matcher\[\d\] must be the name of a tool/)
    },
  )

  it.each(['*', 'web_*', 'ex?c'])('refuses the wildcard %s (rule 13)', (entry) => {
    expect(() => parseMatcher([entry])).toThrow(/has a wildcard/)
  })

  it.each(['Bash(git commit*)', 'read file', 'exec{}', '^exec$'])(
    'refuses %s, which no tool can be called (BR-016)',
    (entry) => {
      expect(() => parseMatcher([entry])).toThrow(/wildcard|can never match/)
    },
  )

  it('trims, folds and drops doubles (rule 14)', () => {
    expect(parseMatcher([' EXEC ', 'apply_patch', 'exec'])).toEqual(
      new Set(['exec', 'apply_patch']),
    )
  })

  it('takes spellings of other products as they are, since any host may have such a tool (rules 15, 16: different)', () => {
    expect(parseMatcher(['Bash', 'Write', 'tool_call'])).toEqual(
      new Set(['bash', 'write', 'tool_call']),
    )
  })

  it('folds a tool name the same way', () => {
    expect(foldToolName(' Exec')).toBe('exec')
  })
})
