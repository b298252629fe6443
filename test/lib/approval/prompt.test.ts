import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safeText, showParams } from '../../../lib/approval/prompt.ts'

const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{DI}\u2800]|(?! )\p{Zs}/u

describe('safeText()', () => {
  it.each([
    ['plain text', 'rm -rf build', 'rm -rf build'],
    ['other scripts', 'löschen 削除', 'löschen 削除'],
    ['a newline', 'a\nb', 'a⟨newline⟩b'],
    ['a bidi override', 'a\u202egpj.exe', 'a⟨U+202E⟩gpj.exe'],
    ['an escape sequence', '\u001b[2J', '⟨U+001B⟩[2J'],
    ['a zero-width space', 'a\u200bb', 'a⟨U+200B⟩b'],
    ['an invisible letter', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['a tag character', 'a\u{e0041}b', 'a⟨U+E0041⟩b'],
    ['half a surrogate pair', 'a\ud800b', 'a⟨U+D800⟩b'],
    ['a blank that is none', 'a\u00a0b', 'a⟨U+00A0⟩b'],
    ['text that imitates an escape', '⟨newline⟩', '⟨U+27E8⟩newline⟨U+27E9⟩'],
    ['eight blanks', 'a        b', 'a        b'],
    ['nine blanks', 'a         b', 'a⟨9 blanks⟩b'],
    ['a literal backslash n', 'printf "\\n"', 'printf "\\n"'],
  ])('shows %s', (_, raw, shown) => {
    expect(safeText(raw, 200).text).toBe(shown)
  })

  it('cuts the middle and keeps head and tail', () => {
    const { text, cut } = safeText(`first${'x'.repeat(500)}last`, 21)
    expect(text).toBe('firstxxxx⟨…⟩xxxxxlast')
    expect(cut).toBe(true)
  })

  it('looks at both ends of a huge text', () => {
    const huge = `\u202e${'x'.repeat(1_000_000)}\u202dend`
    expect(safeText(huge, 40)).toEqual({
      text: '⟨U+202E⟩xxxxxxxxxxx⟨…⟩xxxxxxx⟨U+202D⟩end',
      cut: true,
      escaped: 2,
    })
  })

  it('never exceeds the bound, never shows what cannot be seen, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 20, max: 90 }),
        (raw, max) => {
          const { text, cut } = safeText(raw, max)
          expect(text.length).toBeLessThanOrEqual(max)
          expect(text).not.toMatch(UNSHOWABLE)
          if (!cut && raw === text) expect(safeText(text, max).escaped).toBe(0)
        },
      ),
    )
  })

  it('shows different texts differently unless it says that it cut', () => {
    const tricky = fc.string({
      unit: fc.constantFrom('a', ' ', '         ', '\n', '\u202e', '⟨', '⟩', '9 blanks', 'newline'),
      maxLength: 8,
    })
    fc.assert(
      fc.property(tricky, tricky, (a, b) => {
        fc.pre(a !== b)
        expect(safeText(a, 1000).text).not.toBe(safeText(b, 1000).text)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('showParams()', () => {
  it('names every leaf by its place', () => {
    const params = { path: 'a', edits: [{ from: 1, to: null }, []], deep: { '': true }, none: {} }
    expect(showParams(params).values.map(({ path, text }) => `${path} = ${text}`)).toEqual([
      'path = a',
      'edits[0].from = 1',
      'edits[0].to = null',
      'edits[1] = []',
      'deep."" = true',
      'none = {}',
    ])
  })

  it('shows the first and the last of many values and counts the others', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i]))
    const { values, omitted } = showParams(many)
    expect([values[0]?.path, values.at(-1)?.path, values.length, omitted]).toEqual([
      'k0',
      'k99',
      40,
      60,
    ])
  })

  it('says how long a value is and that it was cut or escaped', () => {
    const [value] = showParams({ command: `\u202e${'x'.repeat(1000)}; rm -rf .` }).values
    expect(value).toMatchObject({ length: 1011, cut: true, escaped: 1 })
    expect(value?.text.endsWith('; rm -rf .')).toBe(true)
  })

  it('escapes hostile keys', () => {
    expect(showParams({ 'a\u202eb': 1 }).values[0]?.path).toBe('a⟨U+202E⟩b')
  })
})
