import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The tree that the cases of `test/cases/` speak about, laid out under a temporary directory. */
export interface Workspace {
  /** Stands for `/`: `/ws` of a case is `root + '/ws'`. */
  readonly root: string
  readonly ws: string
  readonly home: string
  /** Replaces `/ws` and `/home/u` in every text of a value. */
  map<T>(value: T): T
  remove(): void
}

const FILES = [
  'ws/a.txt',
  'ws/src/index.ts',
  'ws/package.json',
  'ws/README.md',
  'ws/.env',
  'ws/docs/a.md',
  'ws-evil/a',
  'ws-evil/x',
  'wsx/a',
  'home/u/.bashrc',
  'home/u/.ssh/id_rsa',
  'home/u/ws/a',
]

/** Lays the tree out: a workspace with links out and in, siblings with like names, a home directory. */
export function makeWorkspace(): Workspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolware-cases-')))
  for (const file of FILES) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), 'x\n')
  }
  symlinkSync('/etc', join(root, 'ws/link-out'))
  symlinkSync(join(root, 'ws/src'), join(root, 'ws/link-in'))
  symlinkSync(join(root, 'ws/.env'), join(root, 'ws/link-env'))

  const map = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value
        .replace(/(?<![A-Za-z0-9_.~-])\/ws(?=$|[^A-Za-z0-9_]|x\b)/g, `${root}/ws`)
        .replace(/(?<![A-Za-z0-9_.~-])\/home\/u(?=$|[^A-Za-z0-9_])/g, `${root}/home/u`)
    }
    if (Array.isArray(value)) return value.map(map)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item)]))
  }
  return {
    root,
    ws: join(root, 'ws'),
    home: join(root, 'home/u'),
    // The shape of a value is kept, only texts change.
    map: <T>(value: T): T => map(value) as T,
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
