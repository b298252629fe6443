import type { Io } from './command.ts'
import { write } from './command.ts'
import { describeCall, type Row, renderTable, tally } from './table.ts'
import { cut, type Paint, paintFor, widthOf } from './terminal.ts'
import type { VerdictLine } from './verdict-line.ts'

/** Rows that a table keeps; of more calls only those that did not go through are shown. */
const MAX_ROWS = 1000
const PASSED: ReadonlySet<string> = new Set(['allow', 'completed'])

/** What a command tells about its calls: a JSON line each, or on a terminal a table at the end. */
export class Report {
  readonly #io: Io
  readonly #asTable: boolean
  readonly #paint: Paint
  readonly #counts = new Map<string, number>()
  #rows: Row[] = []
  #left = 0

  /** @param json Lines, also on a terminal. */
  constructor(io: Io, json: boolean) {
    this.#io = io
    this.#asTable = io.stdout.isTTY === true && !json
    this.#paint = paintFor(io.stdout, io.env)
  }

  /** No call has come yet. */
  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  /** Says that a call is under way; on a terminal only. */
  async begin(call: { readonly toolName: unknown; readonly params?: unknown }): Promise<void> {
    if (!this.#asTable || !this.#io.stderr.isTTY) return
    const done = [...this.#counts.values()].reduce((sum, n) => sum + n, 0)
    const text = `${done + 1}  ${describeCall(call.toolName, call.params)}`
    await write(this.#io.stderr, `\r\u001b[K${cut(text, widthOf(this.#io.stderr) - 1)}`)
  }

  /**
   * Takes a call that is over.
   *
   * @param json Its line, ready to be written.
   * @param word Its verdict or status, for the table.
   * @returns False when nobody reads any more.
   */
  async add(line: VerdictLine, json: string, word: string, timeMs?: number): Promise<boolean> {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1)
    if (!this.#asTable) return write(this.#io.stdout, json)
    this.#rows.push({
      call: describeCall(line.toolName, line.params),
      verdict: word,
      by: line.by ?? undefined,
      why: [line.reason, line.rule && `(${line.rule})`].filter(Boolean).join(' ') || undefined,
      timeMs,
    })
    if (this.#rows.length > MAX_ROWS) this.#dropRows()
    return true
  }

  #dropRows(): void {
    const before = this.#rows.length
    this.#rows = this.#rows.filter(({ verdict }) => !PASSED.has(verdict)).slice(-MAX_ROWS / 2)
    this.#left += before - this.#rows.length
  }

  /** Prints the table, where there is one. */
  async end(): Promise<void> {
    if (!this.#asTable) return
    if (this.#io.stderr.isTTY) await write(this.#io.stderr, '\r\u001b[K')
    const total = [...this.#counts.values()].reduce((sum, n) => sum + n, 0)
    const left = this.#left > 0 ? `(${this.#left} rows left out; --json has them all)\n` : ''
    const sum =
      total === 0
        ? 'no calls'
        : `${total} call${total === 1 ? '' : 's'}: ${tally(this.#counts, this.#paint)}`
    const table = total === 0 ? '' : renderTable(this.#rows, widthOf(this.#io.stdout), this.#paint)
    await write(this.#io.stdout, `${table}${left}${total === 0 ? '' : '\n'}${sum}\n`)
  }
}
