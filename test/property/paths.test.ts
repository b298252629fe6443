import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openInside } from '../../lib/policy/open-inside.ts'
import type { Params } from '../../lib/types.ts'
import { autonomy } from '../../middleware/hooks/autonomy.ts'
import { hookContext } from '../helpers/hook-context.ts'
import { tempDir } from '../helpers/temp.ts'

const TREES = Number(process.env.TOOLWARE_FUZZ_RUNS ?? 60)
const CASES = 40

const names = [
  'a',
  'a',
  'b',
  'é',
  '.env',
  'file:',
  'https:',
  '~',
  '%2e%2e',
  'a b',
  'canary',
] as const
const name = fc.constantFrom(...names)
/** Roots of the tree and of what is outside, also where they stand within the tree once more. */
const start = fc.constantFrom('', '', '', './', '/ROOT/', '/ROOT//', '/OUT/', '/ROOT//ROOT/', '/')
const step = fc.oneof(
  { weight: 6, arbitrary: name },
  fc.constantFrom('..', '.', '', '...', 'root', 'outside', 'E\u0301', 'e\u0301', 'A', '.ENV'),
)
const steps = (max: number) => fc.array(step, { minLength: 1, maxLength: max })
const target = fc.tuple(start, steps(4)).map(([from, all]) => from + all.join('/'))
const spelling = fc
  .tuple(
    fc.constantFrom('', '', '', 'file://', 'file:', 'FILE://localhost', 'https:/', '~/', '/'),
    start,
    fc.oneof(steps(1), steps(2), steps(6)),
    fc.constantFrom('/', '/', '/', '//', '/./', '\\'),
    fc.constantFrom('', '', '/canary', '/canary', '/.env', '/', '/.', ' '),
    fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text,
      (text) => text.replaceAll('..', '%2e%2E'),
      (text) => text.replace('é', '%C3%A9'),
      (text) => text.normalize('NFD'),
    ),
  )
  .map(([scheme, from, all, between, end, change]) =>
    change(scheme + from + all.join(between) + end),
  )

type Entry = { readonly at: readonly string[]; readonly to: string | undefined }
const entry: fc.Arbitrary<Entry> = fc.record({
  at: fc.array(name, { minLength: 1, maxLength: 3 }),
  to: fc.option(target, { nil: undefined, freq: 3 }),
})

interface Tree {
  readonly root: string
  readonly outside: string
  place(text: string): string
}

/** A tree of directories and links; each directory holds a file `canary`. What does not fit is left out. */
function layOut(dir: string, entries: readonly Entry[]): Tree {
  const [root, outside] = [join(dir, 'root'), join(dir, 'outside')]
  const place = (text: string): string => text.replaceAll('/ROOT', root).replaceAll('/OUT', outside)
  for (const at of [root, outside, join(outside, 'a/b')]) mkdirSync(at, { recursive: true })
  for (const at of [outside, join(outside, 'a'), join(outside, 'a/b')]) {
    for (const file of ['canary', '.env']) writeFileSync(join(at, file), 'outside')
  }
  const make = (at: readonly string[], to: string | undefined): void => {
    try {
      // One by one, or links would lead the making of directories out of the tree.
      for (let i = 1; i <= at.length; i++) {
        const each = join(root, ...at.slice(0, i))
        if (i === at.length && to !== undefined) symlinkSync(place(to) || '.', each)
        else if (!lstatSync(each, { throwIfNoEntry: false })?.isDirectory()) mkdirSync(each)
      }
      if (to === undefined) writeFileSync(join(root, ...at, 'canary'), 'inside', { flag: 'wx' })
    } catch {
      // The place is taken, or a link or a file is in the way.
    }
  }
  for (const { at, to } of entries) make(at, to)
  // The tree's own path within the tree, leading elsewhere.
  make(root.slice(1).split('/'), '/OUT')
  return { root, outside, place }
}

/** How tools read one text: as it is, tidied up, as an address that is decoded before or after it is tidied. */
function readings(text: string, from: string): readonly string[] {
  const absolute = (path: string): string => (path.startsWith('/') ? path : `${from}/${path}`)
  const found = [absolute(text), join(absolute(text))]
  const rest = /^file:(?:\/\/(?:localhost)?)?(.*)$/is.exec(text)?.[1]
  if (rest !== undefined) {
    try {
      found.push(fileURLToPath(text), absolute(decodeURIComponent(rest)))
    } catch {
      // No address that could be opened.
    }
  }
  return found
}

/** What is read there, after a file was made where none is; undefined where nothing can be opened. */
function contentOf(path: string): string | undefined {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT))
  } catch {
    // A directory, or nothing that could be made.
  }
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const shape = fc.constantFrom<(one: string, two: string, three: string) => Params>(
  (path) => ({ path }),
  (path, cwd) => ({ cwd, path }),
  (path, cwd, workdir) => ({ cwd, path, workdir }),
  (file, directory) => ({ file, directory }),
  (filename, root) => ({ root, filename }),
)

/** Which of these names the file. */
const FILES: ReadonlySet<string> = new Set(['path', 'file', 'filename'])

const listing = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true }).map(String).toSorted()

describe('Autonomy over random trees, calls and tools', () => {
  it('lets no tool reach what is outside or forbidden, however it reads the call', {
    timeout: 600_000,
  }, async () => {
    const dir = realpathSync(tempDir())
    const counts = { allowed: 0, denied: 0, opened: 0, handed: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 4, maxLength: 16 }),
        fc.array(fc.tuple(shape, spelling, spelling, spelling), {
          minLength: CASES,
          maxLength: CASES,
        }),
        async (entries, calls) => {
          const here = join(dir, 'tree')
          const { root, outside, place } = layOut(here, entries)
          try {
            const before = listing(outside)
            const { check } = autonomy({
              workspaceOnly: true,
              workspaceRoot: root,
              home: join(outside, 'a'),
              forbiddenPathGlobs: ['**/.env'],
            })
            for (const [make, ...texts] of calls) {
              const [one = '', two = '', three = ''] = texts.map(place)
              const params = make(one, two, three)
              if (check(hookContext({ toolName: 'my_tool', params })) !== null) {
                counts.denied++
                continue
              }
              counts.allowed++
              const froms = [root]
              for (const [name, other] of Object.entries(params)) {
                // No tool takes a name from where the name itself leads.
                if (!FILES.has(name)) froms.push(...readings(String(other), root))
              }
              for (const from of froms) {
                for (const path of readings(one, from)) {
                  const content = contentOf(path)
                  if (content === undefined) continue
                  counts.opened++
                  expect(content, `${JSON.stringify(params)} opens ${path}`).not.toBe('outside')
                  expect(realpathSync(path)).not.toMatch(/\/\.env(?:\/|$)/i)
                }
              }
            }
            for (const [, text] of calls) {
              const file = await openInside(root, place(text)).catch(() => undefined)
              if (file === undefined) continue
              counts.handed++
              expect(await file.readFile('utf8'), text).not.toBe('outside')
              await file.close()
            }
            expect(listing(outside)).toEqual(before)
          } finally {
            rmSync(here, { recursive: true, force: true })
          }
        },
      ),
      { numRuns: TREES },
    )
    // All happen often, or the law would hold for want of cases.
    for (const [what, count] of Object.entries(counts)) {
      expect(count, what).toBeGreaterThan(TREES / 10)
    }
  })
})
