import { type Finding, finding } from '../finding.ts'
import { judgePatch } from '../judge-patch.ts'
import { PATCH, patchBudget, patchPaths } from '../patch.ts'
import type { PathPolicy, PathUse } from '../paths.ts'
import { commonNames, holdsName } from './disk.ts'
import type { HandedText } from './types.ts'
import type { Place } from './walk.ts'
import { type GitPath, under } from './words.ts'

/** Most paths that are judged for one call, and most globs that are expanded. */
const MAX_PATHS = 256
/** Most characters of such paths, where a word may be judged in several parts. */
const MAX_PATH_TEXT = 65_536
const MAX_GLOBS = 16
/** Most names that are looked at for one that begins with a dash. */
const MAX_NAMES = 5000

/** A glob that the shell expands, and what its matches may not be. */
interface ShellGlob {
  readonly pattern: string
  /** Names that begin so would be taken for more than a name. */
  readonly flagLike: RegExp | undefined
  /** Judges a match as the word that it becomes. */
  readonly asWord: ((name: string) => Finding | undefined) | undefined
}

/** What the commands of one call look at on disk, within one budget. Nothing where no paths are restricted. */
export class Looks {
  readonly paths: PathPolicy | undefined
  #judged = 0
  #judgedText = 0
  #globs = 0
  readonly #names = { namesLeft: MAX_NAMES }
  readonly #held = new Map<string, boolean>()
  readonly #patches = patchBudget()

  constructor(paths: PathPolicy | undefined) {
    this.paths = paths
  }

  /** True when so many paths more are not too many. */
  hasRoomFor(paths: number): boolean {
    return this.paths === undefined || this.#judged + paths <= MAX_PATHS
  }

  path(text: string, use: PathUse, place: Place, fileUrl = false): Finding | undefined {
    if (this.paths === undefined || text === '/dev/null') return undefined
    this.#judged++
    this.#judgedText += text.length
    if (this.#judged > MAX_PATHS || this.#judgedText > MAX_PATH_TEXT) {
      return tooManyPaths(text)
    }
    return fileUrl
      ? this.paths.judge(text, use, place.real)
      : this.paths.judgeWord(text, use, place.real)
  }

  git(paths: readonly GitPath[], place: Place): Finding | undefined {
    for (const { text, fromTop } of paths) {
      const judge = (at: Place): Finding | undefined =>
        /[*?[\\]/.test(text) ? this.programGlob(text, at) : this.path(text, 'write', at)
      const found = judge(place) ?? (fromTop ? judge(this.#top(place)) : undefined)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Where git takes `rev:path` from, as far as a path policy knows: its own directory. */
  #top(place: Place): Place {
    const cwd = this.paths?.cwd ?? place.real
    return { spelled: cwd, real: cwd }
  }

  /** What a program that applies patches may be given; their names begin from each of some directories. */
  patches(
    handed: readonly HandedText[] = [],
    bases: readonly string[],
    place: Place,
  ): Finding | undefined {
    const { paths } = this
    if (paths === undefined) return undefined
    for (const { text, dynamic } of handed) {
      if (dynamic) return finding('patch', 'a patch may not hold $(...) or $?; write it out', text)
      if (!PATCH.test(text)) continue
      const files = patchPaths(text, this.#patches)
      if (typeof files === 'string') return finding('patch', `the patch cannot be judged: ${files}`)
      for (const base of bases) {
        const seen = new Set<string>()
        const found = judgePatch(
          files,
          (name) => paths.exists(under(base, name), place.real),
          (path) => {
            if (seen.has(path)) return undefined
            seen.add(path)
            return this.path(under(base, path), 'write', place)
          },
        )
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  /** A glob that the program expands. */
  programGlob(pattern: string, place: Place): Finding | undefined {
    return this.#count(pattern) ?? this.paths?.judgeGlob(pattern, 'read', place.real)
  }

  /** A glob that the shell expands. */
  shellGlob({ pattern, flagLike, asWord }: ShellGlob, place: Place): Finding | undefined {
    const tooMany = this.#count(pattern)
    if (tooMany !== undefined) return tooMany
    if (flagLike && /^[*?[@-]/.test(pattern) && this.#holds(flagLike, place.real)) {
      return finding(
        'shell: glob',
        'a file name here begins with a dash or an @ and would become a flag; write ./* instead of *',
        pattern,
      )
    }
    return this.paths?.judgeShellGlob(pattern, 'write', place.real, asWord)
  }

  /** What two directories have in common. */
  common(dir: string, other: string, place: Place): Finding | undefined {
    const [from, to] = [this.enter(dir, place), this.enter(other, place)]
    const names = from && to ? commonNames(from, to, this.#names) : []
    if (names === undefined) return tooManyPaths(dir)
    for (const name of names) {
      if (name.includes('\uFFFD')) {
        const reason = 'they hold a name that is no valid text; name the files instead'
        return finding('path', reason, dir)
      }
      const found = this.path(`${dir}/${name}`, 'read', place)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The directory that a path leads to, when it does. */
  enter(dir: string, place: Place): string | undefined {
    const entered = this.paths?.enter(dir, place.real)
    return entered && 'dir' in entered ? entered.dir : undefined
  }

  #count(pattern: string): Finding | undefined {
    this.#globs++
    const reason = `more than ${MAX_GLOBS} globs in one command; split it up`
    return this.#globs > MAX_GLOBS ? finding('shell: limits', reason, pattern) : undefined
  }

  #holds(names: RegExp, dir: string): boolean {
    const key = `${names.source} ${dir}`
    const known = this.#held.get(key) ?? holdsName(names, dir, this.#names)
    this.#held.set(key, known)
    return known
  }
}

/** The reason for too many paths. */
export function tooManyPaths(text: string): Finding {
  return finding('shell: limits', `more than ${MAX_PATHS} paths in one call; split it up`, text)
}
