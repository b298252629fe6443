import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pathPolicy } from '../../../lib/policy/paths.ts'
import { tempDir } from '../../helpers/temp.ts'

const NAMES = ['a', 'b', 'c'] as const
type Entry =
  | { readonly kind: 'dir' | 'file'; readonly path: readonly string[] }
  | { readonly kind: 'link'; readonly path: readonly string[]; readonly target: string }

const name = fc.constantFrom(...NAMES)
const place = fc.array(name, { minLength: 1, maxLength: 4 })
const step = fc.constantFrom(...NAMES, '..', '.', '', '...', 'canary', 'root')
const target = fc
  .tuple(
    fc.constantFrom('', '/ROOT/', '/OUTSIDE/', '/'),
    fc.array(step, { minLength: 1, maxLength: 5 }),
  )
  .map(([start, steps]) => start + steps.join('/'))
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ kind: fc.constant('dir' as const), path: place }),
  fc.record({ kind: fc.constant('file' as const), path: place }),
  fc.record({ kind: fc.constant('link' as const), path: place, target }),
)

/** Lays a random tree out; what does not fit what is there already is left out. */
function layOut(dir: string, entries: readonly Entry[]): { root: string; outside: string } {
  const root = join(dir, 'root')
  const outside = join(dir, 'outside')
  mkdirSync(join(outside, 'a/b'), { recursive: true })
  mkdirSync(root)
  writeFileSync(join(outside, 'canary'), 'untouched')
  writeFileSync(join(outside, 'a/canary'), 'untouched')
  for (const what of entries) {
    try {
      const at = join(root, ...what.path)
      // One by one, or links would lead the making of directories out of the tree.
      for (let i = 1; i < what.path.length; i++) {
        const above = join(root, ...what.path.slice(0, i))
        if (!lstatSync(above, { throwIfNoEntry: false })?.isDirectory()) mkdirSync(above)
      }
      if (what.kind === 'dir') mkdirSync(at)
      if (what.kind === 'file') writeFileSync(at, 'inside', { flag: 'wx' })
      if ('target' in what) symlinkSync(real(what.target, root, outside) || '.', at)
    } catch {
      // The place is taken, or a file is in the way.
    }
  }
  return { root, outside }
}

function real(path: string, root: string, outside: string): string {
  return path.replace('/ROOT', root).replace('/OUTSIDE', outside)
}

const MAKE_OR_READ = [constants.O_RDWR | constants.O_CREAT, constants.O_RDONLY]

/** Where the kernel ends when it opens the path, or makes it; undefined when it can do neither. */
function opened(path: string, how: readonly number[] = MAKE_OR_READ): string | undefined {
  let file: number | undefined
  for (const flags of how) {
    try {
      file ??= openSync(path, flags)
    } catch {
      // A directory is opened for reading only; other failures open nothing.
    }
  }
  if (file === undefined) return undefined
  try {
    fstatSync(file)
    return process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${file}`) : realpathSync(path)
  } finally {
    closeSync(file)
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}

const RUNS = Number(process.env.TOOLWARE_FUZZ_RUNS ?? 80)

describe('pathPolicy() over random trees', () => {
  it('lets nothing through that opens outside, however it is spelled', () => {
    const dir = realpathSync(tempDir())
    let allowed = 0
    let refused = 0
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 3, maxLength: 14 }),
        fc.array(target, { minLength: 10, maxLength: 30 }),
        (entries, spellings) => {
          const here = join(dir, 'tree')
          const { root, outside } = layOut(here, entries)
          try {
            const policy = pathPolicy({ base: root, within: { rule: 'inside', dirs: ['.'] } })
            for (const spelling of spellings) {
              const path = real(spelling, root, outside)
              const found = policy.judge(path, 'write')
              if (found) {
                refused++
                continue
              }
              allowed++
              // Tools differ: some open the text, some tidy it up before.
              const isAbsolute = path.startsWith('/')
              const ends = [
                opened(isAbsolute ? path : `${root}/${path}`),
                opened(isAbsolute ? join(path) : join(root, path)),
              ].filter((end) => end !== undefined)
              for (const end of ends) expect(isInside(end, root), `${path} opens ${end}`).toBe(true)
              const entered = policy.enter(path)
              if ('dir' in entered) {
                expect(isInside(entered.dir, root)).toBe(true)
                expect(lstatSync(entered.dir).isDirectory()).toBe(true)
                expect(realpathSync(entered.dir)).toBe(entered.dir)
              }
            }
            expect(readFileSync(join(outside, 'canary'), 'utf8')).toBe('untouched')
            expect(readdirSync(outside)).toEqual(['a', 'canary'])
          } finally {
            rmSync(here, { recursive: true, force: true })
          }
        },
      ),
      { numRuns: RUNS },
    )
    // All happen often, or the law would hold for want of cases.
    expect(allowed).toBeGreaterThan(RUNS)
    expect(refused).toBeGreaterThan(RUNS)
  })

  it('lets nothing through that opens a forbidden file, however it is spelled', () => {
    const dir = realpathSync(tempDir())
    let hits = 0
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 3, maxLength: 14 }),
        fc.array(target, { minLength: 10, maxLength: 30 }),
        (entries, spellings) => {
          const here = join(dir, 'tree')
          const { root, outside } = layOut(here, entries)
          try {
            const policy = pathPolicy({ base: root, forbidden: ['**/canary', 'a'] })
            for (const spelling of spellings) {
              const path = real(spelling, root, outside)
              const isAbsolute = path.startsWith('/')
              const ends = [
                opened(isAbsolute ? path : `${root}/${path}`, [constants.O_RDONLY]),
                opened(isAbsolute ? join(path) : join(root, path), [constants.O_RDONLY]),
              ]
              const isForbidden = ends.some(
                (end) =>
                  end !== undefined &&
                  (/\/canary(?:\/|$)/.test(end) || isInside(end, join(root, 'a'))),
              )
              if (!isForbidden) continue
              hits++
              expect(policy.judge(path, 'read'), path).toBeDefined()
            }
          } finally {
            rmSync(here, { recursive: true, force: true })
          }
        },
      ),
      { numRuns: RUNS },
    )
    expect(hits).toBeGreaterThan(RUNS / 8)
  })

  it('refuses nothing that is spelled plainly and stays inside', () => {
    const dir = realpathSync(tempDir())
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 8 }), (paths) => {
        const here = join(dir, 'tree')
        const { root } = layOut(
          here,
          paths.map((path) => ({ kind: 'dir' as const, path })),
        )
        try {
          const policy = pathPolicy({ base: root, within: { rule: 'inside', dirs: ['.'] } })
          for (const path of paths) {
            expect(policy.judge(path.join('/'), 'read')).toBeUndefined()
            expect(policy.judge(join(root, ...path), 'read')).toBeUndefined()
            expect(policy.judge(`./${path.join('//')}/`, 'read')).toBeUndefined()
          }
        } finally {
          rmSync(here, { recursive: true, force: true })
        }
      }),
      { numRuns: 50 },
    )
  })
})
