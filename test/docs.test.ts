import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ERROR_CODES } from '../lib/errors.ts'
import { FOREIGN_EVENTS } from '../lib/plugin/names.ts'
import { Toolware } from '../lib/toolware.ts'
import { configSchema } from '../middleware/config.ts'
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

const sources = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [[path, target.default.replace('./dist/', '').replace(/\.js$/, '.ts')] as const],
)

describe('CHANGELOG.md', () => {
  it.each(sources)('names everything that %s exports', async (_, source) => {
    const names = Object.keys((await import(join(TOP, source))) as object)
    expect(names).not.toEqual([])
    const said = readPage('CHANGELOG.md')
    expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(said))).toEqual([])
  })
})

/** The words of all code in the pages, those of the changelog aside. */
const CODE_WORDS: ReadonlySet<string> = new Set(
  PAGES.filter((page) => page !== 'CHANGELOG.md')
    .flatMap((page) => readPage(page).match(/```.*?```|`[^`\n]+`/gs) ?? [])
    .flatMap((code) => [...code.split(/\W+/), ...code.split(/[^\w:*]+/)]),
)
const untold = (names: readonly string[]): string[] => names.filter((name) => !CODE_WORDS.has(name))

describe('the pages tell of', () => {
  it.each(sources)('everything that %s exports', async (_, source) => {
    expect(untold(Object.keys((await import(join(TOP, source))) as object))).toEqual([])
  })

  it('every option of a pipeline', () => {
    const page = readPage('docs/pipeline.md')
    // An unknown one is told which there are.
    const known = /There are: (.*)$/.exec(messageOf(() => new Toolware({ unknown: 1 } as object)))
    const names = known?.[1]?.split(', ') ?? []
    expect(names).toContain('beforeTimeoutMs')
    expect(names.filter((name) => !page.includes(`\n| \`${name}\` | `))).toEqual([])
  })

  it('every key of a configuration', () => {
    const names = [...keysOf(z.toJSONSchema(configSchema, { unrepresentable: 'any' }))]
    expect(names).toContain('scopedCapabilities')
    // Sections and events that a configuration may name, and this build has nothing for.
    const foreign = new Set<string>(['telemetry', ...FOREIGN_EVENTS])
    expect(untold(names.filter((name) => !foreign.has(name)))).toEqual([])
  })
})

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

/** The names of all members, at any depth. */
function keysOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found
  const { properties } = schema as { readonly properties?: object }
  for (const name of Object.keys(properties ?? {})) found.add(name)
  for (const member of Object.values(schema)) keysOf(member, found)
  return found
}

describe('README.md', () => {
  it('is shorter than 300 lines', () => {
    expect(readPage('README.md').split('\n').length).toBeLessThan(300)
  })
})
