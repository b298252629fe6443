import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A tree on disk as the cases describe it: `/ws`, `/ws-evil` and `/home/u` under one temporary directory. */
export interface Workspace {
  readonly root: string
  readonly ws: string
  readonly home: string
  /** Puts this tree's paths in place of `/ws` and `/home/u`. */
  map(text: string): string
  write(path: string, text?: string): void
  link(target: string, path: string): void
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
  'home/u/.bashrc',
  'home/u/.ssh/id_rsa',
  'home/u/ws/a',
]

export function workspace(): Workspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolware-ws-')))
  const made: Workspace = {
    root,
    ws: join(root, 'ws'),
    home: join(root, 'home/u'),
    map: (text) =>
      text
        .replace(/(?<![A-Za-z0-9_.~-])\/ws(?=$|[^A-Za-z0-9_]|x\b)/g, `${root}/ws`)
        .replace(/(?<![A-Za-z0-9_.~-])\/home\/u(?=$|[^A-Za-z0-9_])/g, `${root}/home/u`),
    write: (path, text = 'x\n') => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    link: (target, path) => symlinkSync(target, join(root, path)),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
  for (const file of FILES) made.write(file)
  made.link('/etc', 'ws/link-out')
  made.link(join(root, 'ws/src'), 'ws/link-in')
  made.link(join(root, 'ws/.env'), 'ws/link-env')
  return made
}
