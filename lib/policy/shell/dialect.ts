import type { Command, HereDoc, Redirection } from './parser.ts'
import { Refused } from './syntax.ts'
import type { ShellStep } from './types.ts'

/**
 * Watches for what `sh` (dash, mostly) reads otherwise than bash in a text that both may run: `time` is a program there,
 * `a &> f b` runs `a` in the background, and then `b`, and after the tabs of `<<-` a line is not joined to the next.
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

  hereDoc({ operator, delimiter, body }: HereDoc): void {
    if (operator === '<<-' && !delimiter?.quoted && /^\t+\\\n/m.test(body.text)) {
      throw new Refused('sh and bash join this line differently; take the backslash out', body.text)
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
