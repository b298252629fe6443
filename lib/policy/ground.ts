import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import { configError } from '../errors.ts'
import { shorten } from './finding.ts'
import type { PathPlatform } from './spelling.ts'
import { type StepBudget, walk } from './walk.ts'
import { badWin32 } from './win32.ts'

/** Where one path leads. */
export interface Place {
  /** As the kernel follows it; by spelling only on another platform. */
  readonly real: string
  /** Every place that a tool may end in: as the kernel goes, and after a lexical clean-up. */
  readonly reals: readonly string[]
  /** Every absolute path the text may stand for, links on the way included. */
  readonly marks: readonly string[]
  /** True for devices, pipes and sockets. */
  readonly special: boolean
  /** True for a file that has another name as well (a hard link). */
  readonly isShared: boolean
}

/** The directory that relative paths start from, and how paths are followed from there. */
export interface Ground {
  /** Absolute and without links. */
  readonly dir: string
  /** Absolute, as configured. */
  readonly lexical: string
  /** Where a path leads, or a text that says why it cannot be followed. */
  place(path: string, cwd: string, budget?: StepBudget): Place | string
  exists(name: string, cwd: string): boolean
  /** The directory a path leads to, without links; undefined when there is none. */
  enter(path: string, cwd: string, budget?: StepBudget): string | undefined
  /** Where an absolute path leads, existing or not; undefined when it cannot be followed. */
  follow(path: string): string | undefined
}

/** Opens the ground of a policy; `key` names the setting in errors. */
export function openGround(base: string, platform: PathPlatform, key = 'workspaceRoot'): Ground {
  const isHost = (process.platform === 'win32') === (platform === 'win32')
  if (!isHost) return spelledGround(base, platform, key)
  return platform === 'win32' ? win32Ground(base, key) : posixGround(base, key)
}

function noDirectory(key: string, base: string): never {
  throw configError(key, `"${shorten(base)}" is not a directory; create it or name another`)
}

function statDirectory(base: string, key: string): Stats {
  try {
    const stats = statSync(base)
    if (stats.isDirectory()) return stats
  } catch {
    // reported below
  }
  return noDirectory(key, base)
}

/** What tidying up would take out of a path. */
const UNTIDY = /(?:^|\/)\.{0,2}(?:\/|$)/
const CLIMBS = /(?:^|\/)\.\.(?:\/|$)/

function absolute(path: string, cwd: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`
}

function posixGround(base: string, key: string): Ground {
  const lexical = posix.resolve(base)
  let known = statDirectory(lexical, key)
  const dir = realpathSync.native(lexical)
  const prefix = dir === '/' ? '/' : `${dir}/`

  // Another directory may have been made in the same place; a link may not.
  const isIntact = (): boolean => {
    try {
      const now = statSync(dir)
      if (now.ino === known.ino && now.dev === known.dev) return true
      if (!now.isDirectory() || realpathSync.native(dir) !== dir) return false
      known = now
      return true
    } catch {
      return false
    }
  }
  const start = (
    path: string,
    cwd: string,
    budget: StepBudget | undefined,
  ): readonly [string, string] | undefined => {
    const isAbsolute = path.startsWith('/')
    const from = isAbsolute ? path : cwd
    if (from !== dir && !from.startsWith(prefix)) return [path, isAbsolute ? '/' : cwd]
    if (!budget?.isIntact && !isIntact()) return undefined
    if (budget) budget.isIntact = true
    // More slashes may follow; the rest is relative all the same.
    return isAbsolute ? [path.slice(prefix.length).replace(/^\/+/, ''), dir] : [path, cwd]
  }
  const place = (path: string, cwd: string, budget?: StepBudget): Place | string => {
    const from = start(path, cwd, budget)
    if (from === undefined) return `${key} was replaced while running`
    const led = walk(from[0], from[1], budget)
    if (typeof led === 'string') return led
    const plain = UNTIDY.test(path) ? posix.resolve(cwd, path) : absolute(path, cwd)
    if (!CLIMBS.test(path)) {
      const isPlain = plain === led.real && led.links.length === 0
      const marks = isPlain ? [plain] : [...new Set([plain, led.real, ...led.links])]
      const { real, isShared } = led
      return { real, reals: [real], marks, special: led.kind === 'special', isShared }
    }
    const marks = new Set([plain, led.real, ...led.links])
    const tidied = walk(plain, '/', budget)
    if (typeof tidied === 'string') return tidied
    for (const mark of [tidied.real, ...tidied.links]) marks.add(mark)
    marks.add(absolute(path, cwd))
    return {
      real: led.real,
      reals: [led.real, tidied.real],
      marks: [...marks],
      special: led.kind === 'special' || tidied.kind === 'special',
      isShared: led.isShared || tidied.isShared,
    }
  }
  return {
    dir,
    lexical,
    place,
    exists: (name, cwd) => {
      try {
        return lstatSync(absolute(name, cwd), { throwIfNoEntry: false }) !== undefined
      } catch {
        return false
      }
    },
    enter: (path, cwd, budget) => {
      const led = walk(path, cwd, budget)
      return typeof led !== 'string' && led.kind === 'directory' ? led.real : undefined
    },
    follow: (path) => {
      const led = walk(path, '/')
      return typeof led === 'string' ? undefined : led.real
    },
  }
}

/** A ground of another platform: nothing is looked up. */
function spelledGround(base: string, platform: PathPlatform, key: string): Ground {
  const paths = platform === 'win32' ? win32 : posix
  if (!paths.isAbsolute(base)) {
    throw configError(key, `"${shorten(base)}" must be an absolute path of that platform`)
  }
  const dir = paths.resolve(base)
  return {
    dir,
    lexical: dir,
    place: (path, cwd) => {
      const bad = platform === 'win32' ? badWin32(path) : undefined
      if (bad) return bad.reason
      const real = paths.resolve(cwd, path)
      return { real, reals: [real], marks: [real], special: false, isShared: false }
    },
    exists: () => false,
    enter: (path, cwd) => paths.resolve(cwd, path),
    follow: () => undefined,
  }
}

function isShared(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.nlink > 1
}

/** Windows drops `..` before it follows links, so the text is tidied first. */
function win32Ground(base: string, key: string): Ground {
  const lexical = win32.resolve(base)
  statDirectory(lexical, key)
  const spelled = spelledGround(lexical, 'win32', key)
  const dir = realpathSync.native(lexical)
  const follow = (path: string): string | undefined => {
    let rest = ''
    for (let at = path; ; at = win32.dirname(at)) {
      try {
        return win32.join(realpathSync.native(at), rest)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code !== 'ENOENT' || win32.dirname(at) === at) return undefined
        rest = win32.join(win32.basename(at), rest)
      }
    }
  }
  return {
    dir,
    lexical,
    place: (path, cwd) => {
      const place = spelled.place(path, cwd)
      if (typeof place === 'string') return place
      const real = follow(place.real)
      if (real === undefined) return 'the path cannot be followed'
      const marks = [place.real, real]
      return { real, reals: [real], marks, special: false, isShared: isShared(real) }
    },
    exists: (name, cwd) => {
      try {
        return lstatSync(win32.resolve(cwd, name), { throwIfNoEntry: false }) !== undefined
      } catch {
        return false
      }
    },
    enter: (path, cwd) => follow(win32.resolve(cwd, path)),
    follow,
  }
}
