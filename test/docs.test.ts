import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../lib/errors.ts'
import manifest from '../package.json' with { type: 'json' }
import { PAGES, readPage, TOP } from './helpers/doc-samples.ts'

/** The headings of a page as a browser is led to them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('docs/errors.md', () => {
  it('has one heading per code, and no other', () => {
    const headings = [...readPage('docs/errors.md').matchAll(/^### (\w+)$/gm)].map(
      ([, code]) => code,
    )
    expect(headings.sort()).toEqual(Object.keys(ERROR_CODES).sort())
  })
})

describe('pages', () => {
  it.each(PAGES)('%s links only to what is there', (page) => {
    const dead = [...readPage(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target]) => target as string)
      .filter((target) => !existsSync(join(TOP, dirname(page), target)))
    expect(dead).toEqual([])
  })

  it.each(PAGES)('%s links only to headings that are there', (page) => {
    const dead = [...readPage(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
      .filter(([, target, anchor]) => {
        const other = target === '' ? page : join(dirname(page), target as string)
        return !anchorsOf(readPage(other)).includes(anchor as string)
      })
      .map(([link]) => link)
    expect(dead).toEqual([])
  })

  it.each(PAGES)('%s speaks of nothing outside the project', (page) => {
    expect(readPage(page)).not.toMatch(/\.\.\/shared|\/work\//)
  })
})

describe('CHANGELOG.md', () => {
  const sources = Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [[path, target.default.replace('./dist/', '').replace(/\.js$/, '.ts')] as const],
  )

  it.each(sources)('names everything that %s exports', async (_, source) => {
    const names = Object.keys((await import(join(TOP, source))) as object)
    expect(names).not.toEqual([])
    const said = readPage('CHANGELOG.md')
    expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(said))).toEqual([])
  })
})

describe('README.md', () => {
  it('is shorter than 300 lines', () => {
    expect(readPage('README.md').split('\n').length).toBeLessThan(300)
  })
})
