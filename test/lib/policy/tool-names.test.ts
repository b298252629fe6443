import { describe, expect, it } from 'vitest'
import { toolNames } from '../../../lib/policy/tool-names.ts'

describe('toolNames()', () => {
  const names = toolNames(['web_*', 'Mail.Send'], 'where')

  it('says which pattern matched, as it was written', () => {
    expect([names.exact('web_search'), names.exact('Mail.Send'), names.exact('other')]).toEqual([
      'web_*',
      'Mail.Send',
      undefined,
    ])
  })

  it('grants by exact spelling and forbids by any', () => {
    const spellings = ['WEB_SEARCH', 'mail.send', 'ｗeb_x', 'web _x']
    expect(spellings.map(names.exact)).toEqual([undefined, undefined, undefined, undefined])
    expect(spellings.map(names.folded)).toEqual(['web_*', 'Mail.Send', 'web_*', 'web_*'])
  })

  it('matches nothing with no patterns', () => {
    expect(toolNames([], 'where').folded('a')).toBeUndefined()
  })

  it('names the place of a pattern that can match no tool', () => {
    expect(() => toolNames(['a', 'b c'], 'where')).toThrow(/^where\[1\]: "b c" can match no tool/)
  })
})
