import type { Command, HereDoc, Redirection } from './parser.ts'
import { Refused } from './syntax.ts'
import type { ShellStep } from './types.ts'

/**
 * Watches for what `sh` (dash, mostly) reads otherwise than bash in a text that both may run: `time` is a program there,
 * `a &> f b` runs `a` in the background, and then `b`, and in a here-document lines are not joined after tabs, nor to its end.
 */
export class Dialect {
  #detaching: string | undefined
  #changesDirectory = false

  /** Words behind `&>` would be a command of their own. */
  command({ name, suffix, redirects }: Command, text: string): void {
    if (name?.value === 'cd') this.#changesDirectory = true
    const detaching = redirects.find(({ operator }) => isDetaching(operator))
    if (detaching === undefined) return
    const last = suffix.findLast(({ type }) => type === 'Word') ?? name
    if (last !== undefined && last.pos > detaching.pos) {
      const reason = `put ${detaching.operator} at the end, or write > file 2>&1: sh runs what follows as a command`
      throw new Refused(reason, text)
    }
  }

  redirect({ operator }: Redirection): void {
    if (isDetaching(operator)) this.#detaching = operator
  }

  /** @param text All between its beginning and the word that ends it. */
  hereDoc({ operator, delimiter }: HereDoc, text: string): void {
    if (delimiter?.quoted) return
    const isJoined = /\\\n\t*$/.test(text) || (operator === '<<-' && /^\t+\\\n/m.test(text))
    if (isJoined) {
      throw new Refused('sh and bash join a line here differently; take the backslash out', text)
    }
  }

  /** What stands after `time`. */
  timed(steps: readonly ShellStep[]): void {
    const [only] = steps
    if (steps.length === 1 && only?.kind === 'command' && only.words[0]?.text === 'cd') {
      throw new Refused('cd cannot be timed; run cd by itself', only.canonical)
    }
  }

  /** To be called when all of a text has been seen. */
  end(): void {
    if (this.#detaching === undefined || !this.#changesDirectory) return
    const reason = `write > file 2>&1 where cd is used: sh runs what stands before ${this.#detaching} in the background`
    throw new Refused(reason, this.#detaching)
  }
}

function isDetaching(operator: string): boolean {
  return operator.startsWith('&>')
}
