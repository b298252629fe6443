import { type Finding, finding } from '../finding.ts'
import { type Compile, type CompiledRule, names } from './compile.ts'
import type { ProgramRule, WordUse } from './programs/rule.ts'
import type { ShellWord } from './types.ts'
import { baseOf, escapeGlob } from './words.ts'

/** A word, or the part of one, and what it means to the program. */
export interface Reading {
  readonly use: WordUse
  readonly text: string
  /** Set when the shell expands the word on disk. */
  readonly glob?: string | undefined
  /** Names that begin so would be taken for a flag, or for more than a name, once the word is expanded. */
  readonly flagLike?: RegExp | undefined
  /** Set for a file that is there when both are directories, or this one alone: `diff a/x b` reads `b/x`. */
  readonly within?: { readonly dir: string; readonly other: string } | undefined
  /** What the names that a glob finds may not look like. */
  readonly refusals?: CompiledRule['refuseOperands'] | undefined
  /** Part of a word with `$'...'`, which only bash reads so. */
  readonly ansiC?: boolean | undefined
}

/**
 * Reads the words after a program's name by its rule: what each means, or why one is refused.
 *
 * @param label The program for the rule's name in findings, such as `git log`.
 */
export function readArguments(
  words: readonly ShellWord[],
  rule: ProgramRule,
  label: string,
  compile: Compile,
): Finding | readonly Reading[] {
  return new Reader(compile(rule), label, compile).read(words)
}

const PATHS: ReadonlySet<WordUse> = new Set<WordUse>([
  'read',
  'write',
  'place',
  'any',
  'git',
  'script',
])
const DASH = /^-/
const DASH_OR_AT = /^[-@]/
/** What follows a script's name belongs to the script. */
const REST: ProgramRule = { noTerminator: true }

class Reader {
  readonly #compiled: CompiledRule
  readonly #label: string
  readonly #compile: Compile
  readonly #readings: Reading[] = []
  readonly #seen = new Set<string>()
  readonly #operands: { readonly word: ShellWord; readonly flagsEnded: boolean }[] = []
  /** Words follow the first operand, which ends the flags. */
  #goesOn = false
  /** A flag named a program to run: the words that follow are its own. */
  #handedOver: ProgramRule | undefined

  constructor(compiled: CompiledRule, label: string, compile: Compile) {
    this.#compiled = compiled
    this.#label = label
    this.#compile = compile
  }

  read(words: readonly ShellWord[]): Finding | readonly Reading[] {
    const { rule } = this.#compiled
    if (rule.refused !== undefined) return this.#refuse(rule.refused, this.#label)
    if (rule.prints) return this.#prints(words)
    const found = this.#refused(words) ?? this.#each(words) ?? this.#place()
    if (found !== undefined) return found
    if (
      rule.needsOperand !== undefined &&
      this.#operands.length === 0 &&
      !this.#saw(this.#compiled.harmless)
    ) {
      return this.#refuse('it would run what it reads from its input; name a file', this.#label)
    }
    for (const [flags, other] of Object.entries(rule.onlyWith ?? {})) {
      const flag = names(flags).find((name) => this.#seen.has(name))
      if (flag !== undefined && !names(other).some((name) => this.#seen.has(name))) {
        return this.#refuse(`${flag} follows links out of the directory; add ${other}`, flag)
      }
    }
    const isAlone = rule.alone && this.#operands.length === 1 && !this.#goesOn
    if (rule.requires !== undefined && !isAlone && !this.#saw(this.#compiled.required)) {
      return this.#refuse(
        `it changes something; add ${rule.requires.replaceAll(' ', ' or ')}`,
        this.#label,
      )
    }
    return this.#readings
  }

  /** The first word that is refused wherever it stands. */
  #refused(words: readonly ShellWord[]): Finding | undefined {
    for (const { pattern, reason } of this.#compiled.refuseWords) {
      const word = words.find(({ text }) => pattern.test(text))
      if (word !== undefined) return this.#refuse(reason, word.text)
    }
    return undefined
  }

  #each(words: readonly ShellWord[]): Finding | undefined {
    const { rule } = this.#compiled
    let flagsEnded = false
    for (let i = 0; i < words.length; i++) {
      const word = words[i] as ShellWord // i < length
      const { text } = word
      if (!flagsEnded && text === '--' && !rule.noTerminator) {
        flagsEnded = true
      } else if (i === 0 && rule.bundled && word.glob !== undefined) {
        return this.#refuse('write its first argument out', text)
      } else if (i === 0 && rule.bundled && /^[A-Za-z]/.test(text)) {
        const found = this.#bundle(text)
        if (found !== undefined) return found
      } else if (!flagsEnded && isFlag(text)) {
        const used = this.#flag(text, word, words, i)
        if (typeof used !== 'number') return used
        i += used
        if (this.#handedOver) {
          return this.#rest(this.#reader(this.#handedOver), words.slice(i + 1))
        }
      } else if (rule.subcommands !== undefined) {
        return this.#rest(this.#subcommand(word), words.slice(i + 1))
      } else {
        const found = this.#operand(word, flagsEnded)
        if (found !== undefined) return found
        if (rule.stops) {
          this.#goesOn = word.glob !== undefined || i + 1 < words.length
          return this.#rest(this.#reader(REST), words.slice(i + 1))
        }
      }
    }
    return undefined
  }

  #reader(rule: ProgramRule, label = this.#label): Reader {
    return new Reader(this.#compile(rule), label, this.#compile)
  }

  #rest(reader: Reader | Finding, words: readonly ShellWord[]): Finding | undefined {
    if (!(reader instanceof Reader)) return reader
    const found = reader.read(words)
    if ('rule' in found) return found
    this.#readings.push(...found)
    return undefined
  }

  #refuse(reason: string, value: string): Finding {
    const said = reason.includes(';') ? reason : `${reason}; leave it out`
    return finding(`shell program: ${this.#label}`, `${this.#label}: ${said}`, value)
  }

  #push(use: WordUse, word: ShellWord, text: string, flagLike: boolean): void {
    this.#readings.push({
      use,
      text,
      ansiC: word.ansiC,
      glob: word.glob,
      refusals: word.glob === undefined ? undefined : this.#compiled.refusals,
      flagLike:
        word.glob === undefined
          ? undefined
          : this.#compiled.rule.responseFiles
            ? DASH_OR_AT
            : flagLike
              ? DASH
              : undefined,
    })
    if (word.literalTilde && text === word.text && PATHS.has(use))
      this.#readings.push({ use, text: `./${text}` })
  }

  /** A part of a flag. */
  #add(use: WordUse, text: string, word: ShellWord | undefined): void {
    this.#readings.push({ use, text, ansiC: word?.ansiC })
  }

  #prints(words: readonly ShellWord[]): Finding | readonly Reading[] {
    const [first] = words
    for (const [flag, meaning] of this.#compiled.flags) {
      if (meaning.kind !== 'refused' || first === undefined) continue
      if (first.dynamic) return this.#refuse('write its first argument out', first.text)
      if (first.text.startsWith(flag) || first.glob !== undefined) {
        return this.#refuse(meaning.reason, first.text)
      }
    }
    const ended = first?.text === '--' ? 1 : 0
    for (const [i, word] of words.entries()) {
      const use = this.#compiled.rule.prints === 'format' && i === ended ? 'format' : 'text'
      if (use === 'format' && word.dynamic) return this.#refuse('write its format out', word.text)
      this.#push(use, word, word.text, false)
    }
    return this.#readings
  }

  #subcommand(word: ShellWord): Finding | Reader {
    const { subcommands = {}, otherSubcommands, installed } = this.#compiled.rule
    const known = Object.hasOwn(subcommands, word.text) ? subcommands[word.text] : otherSubcommands
    if (word.glob !== undefined) return this.#refuse('write the subcommand out', word.text)
    if (known === undefined) {
      return this.#refuse(
        installed
          ? 'only known checkers run through it; run a script of the package instead'
          : 'this subcommand is not known to be safe; use another one',
        word.text,
      )
    }
    if (installed) this.#readings.push({ use: 'bin', text: word.text })
    return this.#reader(known, `${this.#label} ${word.text}`)
  }

  #operand(word: ShellWord, flagsEnded: boolean): Finding | undefined {
    const { maxOperands = Number.POSITIVE_INFINITY } = this.#compiled.rule
    this.#operands.push({ word, flagsEnded })
    if (this.#operands.length > maxOperands) {
      return this.#refuse('it takes fewer operands; redirect the output instead', word.text)
    }
    if (word.glob !== undefined && maxOperands < Number.POSITIVE_INFINITY) {
      return this.#refuse('a glob may become too many operands; write the name out', word.text)
    }
    for (const { pattern, reason } of this.#compiled.refuseOperands) {
      if (pattern.test(word.text)) return this.#refuse(reason, word.text)
    }
    return undefined
  }

  /** Says what each operand is, once every flag is known: in `grep a -e b` the operand is a file. */
  #place(): undefined {
    const { operands = ['any'] } = this.#compiled.rule
    const instead = this.#saw(this.#compiled.instead) ? 1 : 0
    const flagged = [...this.#readings]
    for (const [i, { word, flagsEnded }] of this.#operands.entries()) {
      const use = operands[Math.min(i + instead, operands.length - 1)] as WordUse // never empty
      this.#push(use, word, word.text, !flagsEnded)
    }
    if (this.#compiled.rule.joins) this.#join(this.#compiled.rule.joins, flagged)
  }

  /** Adds the files that operands stand for when some of them are directories. */
  #join(joins: 'last' | 'each', flagged: readonly Reading[]): void {
    const given = this.#operands.map(({ word }) => word)
    const named = flagged.filter(({ use }) => use === 'read' || use === 'write' || use === 'any')
    const dirs = joins === 'each' ? given : given.slice(-1)
    const use = joins === 'each' ? 'read' : 'write'
    for (const { text: dir } of [...named, ...dirs]) {
      for (const { text: other, glob } of given) {
        if (other === dir) continue
        const text = `${dir}/${baseOf(other)}`
        const found = glob && `${escapeGlob(dir)}/${baseOf(glob)}`
        this.#readings.push({ use, text, glob: found, within: { dir, other } })
      }
    }
  }

  #saw(some: ReadonlySet<string>): boolean {
    return [...this.#seen].some((flag) => some.has(flag))
  }

  /** Reads the flag at `i`; gives the number of further words it used up. */
  #flag(typed: string, word: ShellWord, words: readonly ShellWord[], i: number): Finding | number {
    if (/^-\d+$/.test(typed)) return 0
    const text = this.#dashed(typed)
    if (word.glob !== undefined) this.#push('text', word, word.text, true)
    const { singleDash } = this.#compiled.rule
    const whole = this.#compiled.flags.get(text.split('=', 1)[0] ?? text)
    if (whole?.kind === 'refused') return this.#refuse(whole.reason, text)
    return text.startsWith('--') || singleDash
      ? this.#long(text, words, i)
      : this.#cluster(text, words, i)
  }

  /** With two dashes, where any number of them makes a long flag. */
  #dashed(text: string): string {
    const { rule, flags } = this.#compiled
    const [typed = '', name = ''] = /^-+([^=]{2,})/.exec(text) ?? []
    return rule.anyDashes && name !== '' && !flags.has(typed) ? text.replace(/^-+/, '--') : text
  }

  /** Letters without a dash take their values from the operands, each of which is judged. */
  #bundle(letters: string): Finding | undefined {
    for (const letter of letters) {
      const meaning = this.#compiled.flags.get(`-${letter}`)
      if (meaning?.kind === 'refused') return this.#refuse(meaning.reason, letters)
    }
    return undefined
  }

  #long(text: string, words: readonly ShellWord[], i: number): Finding | number {
    const equals = text.indexOf('=')
    const typed = equals === -1 ? text : text.slice(0, equals)
    const value = equals === -1 ? undefined : text.slice(equals + 1)
    const name = this.#resolve(typed)
    if (name === undefined) return this.#refuse('write this flag out in full', text)
    const meaning = this.#compiled.flags.get(name)
    this.#seen.add(name)
    if (meaning === undefined) {
      if (this.#strict()) return this.#refuse('this flag is not known to be safe', text)
      if (value !== undefined) this.#add('any', value, words[i])
      else if (!text.startsWith('--')) this.#add('any', text, words[i])
      return 0
    }
    if (meaning.kind === 'refused') return this.#refuse(meaning.reason, text)
    if (meaning.kind === 'pair') return this.#take(['text', meaning.use], words, i)
    if (meaning.kind !== 'value') {
      if (meaning.kind === 'flag' && value !== undefined) this.#add('any', value, words[i])
      return 0
    }
    if (value === undefined) return this.#take([meaning.use], words, i)
    this.#add(meaning.use, value, words[i])
    return 0
  }

  #strict(): boolean {
    const { closed, subcommands } = this.#compiled.rule
    return closed === true || subcommands !== undefined
  }

  /** The refused flag that this one may abbreviate, or itself; undefined when it may abbreviate another. */
  #resolve(typed: string): string | undefined {
    const { flags, rule } = this.#compiled
    if (flags.has(typed) || rule.singleDash || typed.length < 3) return typed
    const candidates = [...flags.keys()].filter((name) => name.startsWith(typed))
    const refused = candidates.find((name) => flags.get(name)?.kind === 'refused')
    if (refused !== undefined) return refused
    return candidates.length === 0 ? typed : undefined
  }

  #cluster(text: string, words: readonly ShellWord[], i: number): Finding | number {
    let unknown = false
    for (let at = 1; at < text.length; at++) {
      const flag = `-${text[at]}`
      const meaning = this.#compiled.flags.get(flag)
      const rest = text.slice(at + 1)
      this.#seen.add(flag)
      if (meaning?.kind === 'refused') return this.#refuse(meaning.reason, text)
      if (meaning?.kind === 'glued') return 0
      if (meaning?.kind === 'pair') return this.#take(['text', meaning.use], words, i)
      if (meaning?.kind === 'value' && !unknown) {
        if (rest === '') return this.#take([meaning.use], words, i)
        if (meaning.use === 'module') this.#handOver(rest)
        this.#add(meaning.use, rest, words[i])
        return 0
      }
      if (meaning === undefined && !/\d/.test(text[at] as string)) {
        if (this.#strict()) return this.#refuse('this flag is not known to be safe', text)
        unknown = true
      }
    }
    if (unknown) this.#add('any', text, words[i])
    return 0
  }

  #handOver(module: string): void {
    const { modules = {} } = this.#compiled.rule
    this.#handedOver = Object.hasOwn(modules, module) ? modules[module] : REST
  }

  #take(uses: readonly WordUse[], words: readonly ShellWord[], i: number): number {
    let used = 0
    for (const use of uses) {
      const word = words[i + 1 + used]
      if (word === undefined) break
      if (use === 'module') this.#handOver(word.text)
      this.#push(use, word, word.text, true)
      if (this.#operands.length > 0 && !this.#compiled.rule.permutes) {
        this.#push('any', word, word.text, true)
      }
      used++
    }
    return used
  }
}

function isFlag(text: string): boolean {
  return text.length > 1 && text.startsWith('-')
}
