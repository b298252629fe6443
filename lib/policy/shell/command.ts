import { type Finding, finding, shorten } from '../finding.ts'
import type { PathPolicy, PathUse } from '../paths.ts'
import { type Reading, readArguments } from './arguments.ts'
import type { Compile } from './compile.ts'
import { canEnter, commonNames, holdsName, isInstalled } from './disk.ts'
import { LANGUAGES } from './languages.ts'
import type { Language, ProgramRule } from './programs/rule.ts'
import type { ShellPolicy, ShellRedirect, ShellWord, SimpleCommand } from './types.ts'
import type { Place } from './walk.ts'
import {
  basesOf,
  candidatesOf,
  escapeGlob,
  filesOf,
  type GitPath,
  gitPaths,
  under,
} from './words.ts'

/** Most paths that are judged for one call, and most globs that are expanded. */
const MAX_PATHS = 256
/** Most characters of such paths, where a word may be judged in several parts. */
const MAX_PATH_TEXT = 65_536
const MAX_GLOBS = 16
/** Most flags that name another directory to begin from. */
const MAX_PLACES = 5
/** Most names that are looked at for one that begins with a dash. */
const MAX_NAMES = 5000

/** What a judge works with. */
export interface Tools {
  readonly allows: ShellPolicy['allows']
  readonly paths: PathPolicy | undefined
  /** The rule of a program; undefined for one that is not in the table. */
  readonly rule: (name: string) => ProgramRule | undefined
  readonly compile: Compile
}

/** The judging of one text: its simple commands and redirects, within one budget of looks at the disk. */
export class CommandRun {
  readonly paths: PathPolicy | undefined
  readonly #tools: Tools
  #judged = 0
  #judgedText = 0
  /** A command before may have changed what is on the disk. */
  #changed = false
  #globs = 0
  readonly #names = { namesLeft: MAX_NAMES }
  readonly #held = new Map<string, boolean>()

  constructor(tools: Tools) {
    this.#tools = tools
    this.paths = tools.paths?.begin()
  }

  /** Judges one simple command that runs in `place`. */
  judge(command: SimpleCommand, place: Place): Finding | undefined {
    const [name, ...words] = command.words
    const { allows } = this.#tools
    const rule = name && this.#tools.rule(name.text)
    const label = name?.text ?? ''
    if (rule?.refused !== undefined) {
      return finding(`shell program: ${label}`, `${label}: ${rule.refused}`, command.canonical)
    }
    if (allows !== undefined && !allows(command.canonical)) {
      const reason = name
        ? 'this command is not on the list of allowed commands'
        : 'a redirect without a command is not on the list of allowed commands'
      return finding('allowedShellCommandGlobs', reason, command.canonical)
    }
    this.#changed ||= mayChange(rule) || command.redirects.length > 0
    return (
      (name && (this.#name(name, place) ?? this.#words(words, rule, label, place))) ??
      this.redirects(command.redirects, place)
    )
  }

  /** False when these directories were there and nothing that ran before can have taken them away. */
  mayFailToEnter(places: readonly Place[]): boolean {
    return this.#changed || !places.every(({ real }) => canEnter(real))
  }

  redirects(redirects: readonly ShellRedirect[], place: Place): Finding | undefined {
    for (const { target, use } of redirects) {
      if (/^\/dev\/(?:tcp|udp)(?:\/|$)/.test(target.text)) {
        return finding('shell: redirect', 'network redirects are not allowed', target.text)
      }
      const found = this.#path(target.text, use, place)
      if (found !== undefined) return found
    }
    return undefined
  }

  #name({ text }: ShellWord, place: Place): Finding | undefined {
    if (/^[~-]|[\s'"`\\$;&|<>(){}*?#!]/.test(text)) {
      return finding('shell: syntax', 'this is no name of a program; write the program out', text)
    }
    if (!text.includes('/')) return undefined
    if (this.#tools.allows === undefined) {
      return finding(
        'allowedShellCommandGlobs',
        'a program given by its path runs only when the list names that path',
        text,
      )
    }
    return this.#path(text, 'read', place)
  }

  #words(
    words: readonly ShellWord[],
    rule: ProgramRule = {},
    label: string,
    place: Place,
  ): Finding | undefined {
    const unknown = words.find((word) => word.dynamic)
    if (unknown && !rule.prints) {
      return finding(
        'shell: syntax',
        'only echo and printf may print $(...) or $?; write the value out',
        unknown.text,
      )
    }
    const split = this.paths && words.find((word) => word.splits)
    if (split) return finding('shell: syntax', 'put "$(...)" in double quotes', split.text)
    const readings = readArguments(words, rule, label, this.#tools.compile)
    if ('rule' in readings) return readings
    if (this.#judged + readings.filter(isPath).length > MAX_PATHS && this.paths) {
      return tooManyPaths(words.at(-1)?.text ?? '')
    }
    const places = readings.flatMap(({ use, text }) => (use === 'place' ? [text] : []))
    if (places.length > MAX_PLACES) return tooManyPaths(places[0] ?? '')
    const bases = basesOf(places)
    for (const reading of readings) {
      const found = this.#fromEach(bases, reading, label, place)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Judges a reading from each directory that the program may take it from. */
  #fromEach(
    bases: readonly string[],
    reading: Reading,
    label: string,
    place: Place,
  ): Finding | undefined {
    const { use, text, glob, within } = reading
    if (within !== undefined) return this.#meeting(reading, within, label, place)
    for (const base of REBASED.has(use) ? bases : ['']) {
      const rebased = glob === undefined ? undefined : under(escapeGlob(base), glob)
      const found = this.#reading(
        base === '' ? reading : { ...reading, text: under(base, text), glob: rebased },
        label,
        place,
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Judges what an operand stands for when it is a directory. */
  #meeting(
    reading: Reading,
    { dir, other }: NonNullable<Reading['within']>,
    label: string,
    place: Place,
  ): Finding | undefined {
    const from = this.#enter(dir, place)
    if (from === undefined) return undefined
    const to = reading.use === 'read' ? this.#enter(other, place) : undefined
    if (to === undefined) return this.#reading(reading, label, place)
    const names = commonNames(from, to, this.#names)
    if (names === undefined) return tooManyPaths(dir)
    for (const name of names) {
      const found = this.#path(`${dir}/${name}`, 'read', place)
      if (found !== undefined) return found
    }
    return undefined
  }

  #enter(dir: string, place: Place): string | undefined {
    const entered = this.paths?.enter(dir, place.real)
    return entered && 'dir' in entered ? entered.dir : undefined
  }

  #reading(reading: Reading, label: string, place: Place): Finding | undefined {
    const { use, text, glob, ansiC } = reading
    const refuse = (reason: string) =>
      finding(`shell program: ${label}`, `${label}: ${reason}`, text)
    if (ansiC && this.paths && !AS_TEXT.has(use))
      return refuse("write this name in '...' instead of $'...'")
    if (glob !== undefined) {
      if (isLanguage(use) || use === 'place') return refuse('put this argument in single quotes')
      const found = this.#glob(reading, glob, refuse, place)
      return found ?? (use === 'text' || use === 'any' ? undefined : this.#use(use, text, place))
    }
    if (use === 'bin') {
      return isInstalled(text, place.real)
        ? undefined
        : refuse('it would fetch what is not installed here; install it first')
    }
    if (isLanguage(use)) {
      const reason = LANGUAGES[use](text)
      if (reason !== undefined) return refuse(reason)
      return PATH_LANGUAGES.has(use) ? this.#path(text, 'write', place) : undefined
    }
    if (use === 'script' && (/^[-+]/.test(text) || /^\/(?:dev|proc)\//.test(text))) {
      return refuse('it would run what it reads; name a file')
    }
    if (use === 'script' && this.#tools.allows === undefined) {
      return refuse('programs run from a file only when the list of allowed commands names them')
    }
    if (use === 'any' && CODE_URL.test(text)) return refuse('it holds code; name a file')
    return this.#use(use, text, place)
  }

  #use(use: Reading['use'], text: string, place: Place): Finding | undefined {
    switch (use) {
      case 'read':
      case 'write':
      case 'place':
        return text === '-' || text === ''
          ? undefined
          : this.#path(text, use === 'place' ? 'write' : use, place)
      case 'script':
        return this.#path(text, 'read', place)
      case 'any':
      case 'at':
        for (const { text: path, fileUrl } of use === 'at' ? filesOf(text) : candidatesOf(text)) {
          const found = this.#path(path, 'write', place, fileUrl)
          if (found !== undefined) return found
        }
        return undefined
      case 'git':
        return this.#git(gitPaths(text), place)
      case 'lines':
        return this.#git(
          gitPaths(text).filter((path) => path.text !== text),
          place,
        )
      case 'glob':
        return text.startsWith('!') ? undefined : this.#programGlob(text, place)
      default:
        return undefined
    }
  }

  #git(paths: readonly GitPath[], place: Place): Finding | undefined {
    for (const { text, fromTop } of paths) {
      const judge = (at: Place): Finding | undefined =>
        /[*?[\\]/.test(text) ? this.#programGlob(text, at) : this.#path(text, 'write', at)
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

  #path(text: string, use: PathUse, place: Place, fileUrl = false): Finding | undefined {
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

  #programGlob(pattern: string, place: Place): Finding | undefined {
    this.#globs++
    return this.#globs > MAX_GLOBS
      ? finding(
          'shell: limits',
          `more than ${MAX_GLOBS} globs in one command; split it up`,
          pattern,
        )
      : this.paths?.judgeGlob(pattern, 'read', place.real)
  }

  #glob(
    { use, flagLike, refusals }: Reading,
    pattern: string,
    refuse: (reason: string) => Finding,
    place: Place,
  ): Finding | undefined {
    this.#globs++
    if (this.#globs > MAX_GLOBS) {
      return finding(
        'shell: limits',
        `more than ${MAX_GLOBS} globs in one command; split it up`,
        pattern,
      )
    }
    if (flagLike && /^[*?[@-]/.test(pattern) && this.#holds(flagLike, place.real)) {
      return finding(
        'shell: glob',
        'a file name here begins with a dash or an @ and would become a flag; write ./* instead of *',
        pattern,
      )
    }
    // What a glob finds becomes a word of its own.
    const asWord = (name: string): Finding | undefined => {
      const refused = refusals?.find((each) => each.pattern.test(name))
      if (refused !== undefined) return { ...refuse(refused.reason), value: shorten(name) }
      return GRAMMATICAL.has(use) && HAS_GRAMMAR.test(name)
        ? this.#use(use, name, place)
        : undefined
    }
    const matters = GRAMMATICAL.has(use) || (refusals !== undefined && refusals.length > 0)
    return this.paths?.judgeShellGlob(pattern, 'write', place.real, matters ? asWord : undefined)
  }

  #holds(names: RegExp, dir: string): boolean {
    const key = `${names.source} ${dir}`
    const known = this.#held.get(key) ?? holdsName(names, dir, this.#names)
    this.#held.set(key, known)
    return known
  }
}

/** An address that is a program itself, for what loads modules. */
const CODE_URL = /(?:^|[=,])data:[a-z]+\/(?:x-)?(?:java|ecma|type)script\b/i

/** Languages of texts that are paths as well. */
const PATH_LANGUAGES: ReadonlySet<Language> = new Set<Language>([
  'target',
  'archive',
  'reporter',
  'download',
  'upload',
])

/** Uses of words of which a part may be a path, and characters that may stand before it. */
const GRAMMATICAL: ReadonlySet<Reading['use']> = new Set<Reading['use']>([
  'git',
  'lines',
  'any',
  'at',
])
const HAS_GRAMMAR = /[:=,;@<"']/
/** Uses whose relative paths may begin somewhere else. */
const REBASED: ReadonlySet<Reading['use']> = new Set<Reading['use']>([
  'read',
  'write',
  'script',
  'any',
  'download',
  'upload',
])

/** Uses that name nothing on disk. */
const AS_TEXT: ReadonlySet<Reading['use']> = new Set<Reading['use']>([
  'text',
  'sed',
  'awk',
  'jq',
  'format',
])

function isLanguage(use: Reading['use']): use is Language {
  return Object.hasOwn(LANGUAGES, use)
}

/** True for what is one path at least, so that too many are refused before the first is looked at. */
function isPath({ use, text, glob }: Reading): boolean {
  if (glob !== undefined || text === '/dev/null') return false
  if (use === 'any') return /^[^-:]+$/.test(text)
  return (use === 'read' || use === 'write' || use === 'script') && text !== '-' && text !== ''
}

function tooManyPaths(text: string): Finding {
  return finding('shell: limits', `more than ${MAX_PATHS} paths in one call; split it up`, text)
}

/** A program that is not known to read only. */
function mayChange(rule: ProgramRule | undefined): boolean {
  if (rule?.prints) return false
  return !rule?.operands?.every((use) => use === 'read' || use === 'text')
}
