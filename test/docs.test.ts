import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../lib/errors.ts'
import manifest from '../package.json' with { type: 'json' }

const top = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(join(top, file), 'utf8')

describe('docs/errors.md', () => {
  it('has one heading per code, and no other', () => {
    const headings = [...read('docs/errors.md').matchAll(/^### (\w+)$/gm)].map(([, code]) => code)
    expect(headings.sort()).toEqual(Object.keys(ERROR_CODES).sort())
  })
})

describe('pages', () => {
  const pages = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md'].concat(
    readdirSync(join(top, 'docs'))
      .filter((file) => file.endsWith('.md'))
      .map((file) => `docs/${file}`),
    readdirSync(join(top, 'examples'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => `examples/${file}`),
  )

  it.each(pages)('%s links only to what is there', (page) => {
    const dead = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target]) => target as string)
      .filter((target) => !existsSync(join(top, dirname(page), target)))
    expect(dead).toEqual([])
  })

  it.each(pages)('%s speaks of nothing outside the project', (page) => {
    expect(read(page)).not.toMatch(/\.\.\/shared|\/work\//)
  })
})

describe('CHANGELOG.md', () => {
  const sources = Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [[path, target.default.replace('./dist/', '').replace(/\.js$/, '.ts')] as const],
  )

  it.each(sources)('names everything that %s exports', async (_, source) => {
    const names = Object.keys((await import(join(top, source))) as object)
    expect(names).not.toEqual([])
    const said = read('CHANGELOG.md')
    expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(said))).toEqual([])
  })
})

describe('README.md', () => {
  it('is shorter than 300 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThan(300)
  })
})
