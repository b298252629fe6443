import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** `1 to 4`, `13, 14` and `11b`, as single names. */
function expand(text: string): string[] {
  const parts = text.replaceAll(' and ', ', ').split(/,\s*/)
  return parts.flatMap((part) => {
    const [from, to] = part.split(' to ').map((name) => name.trim())
    if (to === undefined) return from ? [from] : []
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => String(Number(from) + i))
  })
}

interface Row {
  readonly rules: readonly string[]
  readonly verdict: string
  readonly why: string
}

const rows: Row[] = read('docs/openclaw.md')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [, rules = '', , verdict = '', why = ''] = line.split('|').map((cell) => cell.trim())
    return { rules: expand(rules), verdict, why }
  })

const tested = new Set(
  ['test/lib/plugin', 'test/lib/transcript', 'test/lib/approval'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.test.ts'))
      .flatMap((name) => [
        ...read(`${folder}/${name}`).matchAll(/\brules? (\d[\db]*(?:(?:, | and | to )\d[\db]*)*)/g),
      ])
      .flatMap(([, list = '']) => expand(list)),
  ),
)

it('says of every rule whether it is the same, stricter or different, and why when it is not the same', () => {
  const said = rows.flatMap(({ rules }) => rules)
  const all = ['11b', ...Array.from({ length: 106 }, (_, i) => String(i + 1))]
  expect([...said].sort()).toEqual(all.sort())
  for (const { rules, verdict, why } of rows) {
    expect(['same', 'stricter', 'different'], `rule ${rules}`).toContain(verdict)
    if (verdict !== 'same') expect(why, `rule ${rules}`).not.toBe('')
  }
})

it('has a test under the number of every rule that is kept', () => {
  const kept = rows.filter(({ verdict }) => verdict !== 'different').flatMap(({ rules }) => rules)
  expect(kept.filter((rule) => !tested.has(rule))).toEqual([])
})
