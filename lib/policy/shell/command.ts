import { type Finding, finding } from '../finding.ts'
import type { PathPolicy } from '../paths.ts'
import { type Reading, readArguments } from './arguments.ts'
import type { Compile } from './compile.ts'
import { canEnter, isInstalled } from './disk.ts'
import { LANGUAGES } from './languages.ts'
import { Looks, tooManyPaths } from './looks.ts'
import type { ProgramRule } from './programs/rule.ts'
import type { ShellPolicy, ShellRedirect, ShellWord, SimpleCommand } from './types.ts'
import {
  AS_TEXT,
  CODE_URL,
  GRAMMATICAL,
  HAS_GRAMMAR,
  isLanguage,
  isPath,
  PATH_LANGUAGES,
  REBASED,
} from './uses.ts'
import type { Place } from './walk.ts'
import { basesOf, candidatesOf, escapeGlob, filesOf, gitPaths, under } from './words.ts'

/** Most flags that name another directory to begin from. */
const MAX_PLACES = 5

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
  readonly #looks: Looks
  /** A command before may have changed what is on the disk. */
  #changed = false

  constructor(tools: Tools) {
    this.#tools = tools
    this.paths = tools.paths?.begin()
    this.#looks = new Looks(this.paths)
  }

  /** Judges one simple command that runs in `place`. */
  judge(command: SimpleCommand, place: Place): Finding | undefined {
    const [name] = command.words
    const { allows } = this.#tools
    const rule = name && this.#tools.rule(name.text)
    const label = name?.text ?? ''
    if (rule?.refused !== undefined) {
      return finding(`shell program: ${label}`, `${label}: ${rule.refused}`, command.canonical)
    }
    if (allows !== undefined && !allows(command.canonical)) {
      const reason = name
        ? 'this command is not on the list of allowed commands; use one that is, or say what you need'
        : 'a redirect without a command is not on the list of allowed commands; use a file tool'
      return finding('allowedShellCommandGlobs', reason, command.canonical)
    }
    this.#changed ||= mayChange(rule) || command.redirects.length > 0
    return (
      (name && (this.#name(name, place) ?? this.#words(command, rule, label, place))) ??
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
        return finding(
          'shell: redirect',
          'network redirects are not allowed; name a file',
          target.text,
        )
      }
      const found = this.#looks.path(target.text, use, place)
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
        'a program given by its path runs only when the list names that path; write its name alone',
        text,
      )
    }
    return this.#looks.path(text, 'read', place)
  }

  #words(
    command: SimpleCommand,
    rule: ProgramRule = {},
    label: string,
    place: Place,
  ): Finding | undefined {
    const words = command.words.slice(1)
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
    if (!this.#looks.hasRoomFor(readings.filter(isPath).length)) {
      return tooManyPaths(words.at(-1)?.text ?? '')
    }
    const places = readings.flatMap(({ use, text }) => (use === 'place' ? [text] : []))
    if (places.length > MAX_PLACES) return tooManyPaths(places[0] ?? '')
    const bases = basesOf(places)
    for (const reading of readings) {
      const found = this.#fromEach(bases, reading, label, place)
      if (found !== undefined) return found
    }
    return this.#looks.patches(command.patches, bases, place)
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
    if (this.#looks.enter(dir, place) === undefined) return undefined
    return reading.use === 'read' && this.#looks.enter(other, place) !== undefined
      ? this.#looks.common(dir, other, place)
      : this.#reading(reading, label, place)
  }

  #reading(reading: Reading, label: string, place: Place): Finding | undefined {
    const { use, text, glob, ansiC } = reading
    const refuse = (reason: string) =>
      finding(`shell program: ${label}`, `${label}: ${reason}`, text)
    if (ansiC && this.paths && !AS_TEXT.has(use))
      return refuse("write this name in '...' instead of $'...'")
    if (use === 'script' && this.#tools.allows === undefined) {
      return refuse(
        'programs run from a file only when the list of allowed commands names them; use one that is known',
      )
    }
    if (glob !== undefined) {
      if (isLanguage(use) || use === 'place') return refuse('put this argument in single quotes')
      const found = this.#glob(reading, glob, label, place)
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
      return PATH_LANGUAGES.has(use) ? this.#looks.path(text, 'write', place) : undefined
    }
    if (use === 'script' && (/^[-+]/.test(text) || /^\/(?:dev|proc)\//.test(text))) {
      return refuse('it would run what it reads; name a file')
    }
    if (use === 'any' && CODE_URL.test(text)) return refuse('it holds code; name a file')
    return this.#use(use, text, place)
  }

  #glob(
    { use, flagLike, refusals }: Reading,
    pattern: string,
    label: string,
    place: Place,
  ): Finding | undefined {
    const hasGrammar = GRAMMATICAL.has(use)
    const asWord = (name: string): Finding | undefined => {
      const refused = refusals?.find((each) => each.pattern.test(name))
      if (refused !== undefined) {
        return finding(`shell program: ${label}`, `${label}: ${refused.reason}`, name)
      }
      return hasGrammar && HAS_GRAMMAR.test(name) ? this.#use(use, name, place) : undefined
    }
    const matters = hasGrammar || (refusals !== undefined && refusals.length > 0)
    const given = { pattern, flagLike, asWord: matters ? asWord : undefined }
    return this.#looks.shellGlob(given, place)
  }

  #use(use: Reading['use'], text: string, place: Place): Finding | undefined {
    switch (use) {
      case 'read':
      case 'write':
      case 'place':
        return text === '-' || text === ''
          ? undefined
          : this.#looks.path(text, use === 'place' ? 'write' : use, place)
      case 'script':
        return this.#looks.path(text, 'read', place)
      case 'any':
      case 'at':
        for (const { text: path, fileUrl } of use === 'at' ? filesOf(text) : candidatesOf(text)) {
          const found = this.#looks.path(path, 'write', place, fileUrl)
          if (found !== undefined) return found
        }
        return undefined
      case 'git':
        return this.#looks.git(gitPaths(text), place)
      case 'lines':
        return this.#looks.git(
          gitPaths(text).filter((path) => path.text !== text),
          place,
        )
      case 'glob':
        return text.startsWith('!') ? undefined : this.#looks.programGlob(text, place)
      default:
        return undefined
    }
  }
}

/** A program that is not known to read only. */
function mayChange(rule: ProgramRule | undefined): boolean {
  if (rule?.prints) return false
  return !rule?.operands?.every((use) => use === 'read' || use === 'text')
}
