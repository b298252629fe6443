import { isCwdName } from './argument-names.ts'
import type { ToolFacts } from './catalogue.ts'
import { type Finding, finding } from './finding.ts'

/** A text argument and where it stands, such as `edits[0].path`. */
export interface TextArgument {
  readonly at: string
  readonly text: string
}

/** Something about one argument that is refused. */
export interface BadArgument {
  readonly at: string
  readonly found: Finding
}

/** What a text is judged as. `addresses` are paths only where the disk holds what they begin with, such as `https:`. */
export type Target = 'paths' | 'globs' | 'patches' | 'addresses'

/** More path arguments than this in one call are refused: each is looked up on disk. */
const MAX_ARGUMENTS = 500
const MAX_LENGTH = 32_768

/** Gathers the arguments of one call, within bounds. */
export class Collector {
  readonly paths: TextArgument[] = []
  readonly globs: TextArgument[] = []
  readonly patches: TextArgument[] = []
  readonly addresses: TextArgument[] = []
  readonly seen: Set<string> = new Set()
  bad: BadArgument | undefined
  readonly cwds: TextArgument[] = []
  readonly bases: TextArgument[] = []
  #length = 0

  add(target: Target, at: string, text: string): void {
    if (this.seen.has(at)) return
    this.seen.add(at)
    if (target === 'paths' || target === 'globs') this.#length += text.length
    if (this.#length > MAX_LENGTH) {
      const reason = `the names of files in the call are longer than ${MAX_LENGTH} characters; split it`
      this.bad ??= { at, found: finding('arguments', reason) }
    } else if (this.seen.size > MAX_ARGUMENTS) {
      const reason = `the call names more than ${MAX_ARGUMENTS} files; split it`
      this.bad ??= { at, found: finding('arguments', reason) }
    } else this[target].push({ at, text })
  }

  takeCwd(key: string, value: unknown, facts: ToolFacts | undefined): void {
    const isExec = facts?.access === 'exec' || facts?.form === 'git'
    if (!isCwdName(key, isExec)) return
    if (typeof value === 'string') this.cwds.push({ at: key, text: value })
    else if (isExec && value !== null) this.refuse(key, 'a directory as text', value)
  }

  refuseSize(most: string): void {
    const reason = `the call has more than ${most}; split it`
    this.bad ??= { at: 'arguments', found: finding('arguments', reason) }
  }

  refuse(at: string, expected: string, value: unknown): void {
    const shape = Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value
    const reason = `expected ${expected}, got ${shape}; give it as declared`
    this.bad ??= { at, found: finding('arguments', reason) }
  }
}
