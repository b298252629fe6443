import { cpus } from 'node:os'
import { type Gate, gates, notMeasured, TOLERANCE } from './gates.ts'
import { median, pairedRatio, type Samples } from './runner.ts'
import type { Cost } from './worst.ts'

/** What one child process measured, by suite. */
export type ChildSamples = Readonly<Record<string, Samples>>

export interface Row {
  readonly gate: Gate
  /** The median over the child processes of each one's median ratio. NaN when a contender was not measured. */
  readonly ratio: number
  /** Nanoseconds per call of the contender and of its base. */
  readonly ns: number
  readonly baseNs: number
  readonly verdict: 'met' | 'within 25 %' | 'missed' | 'published' | 'not judged' | 'not measured'
}

/** One row per gate of these suites. Without `judge` the ratios mean nothing, as after a smoke run. */
export function rowsOf(
  children: readonly ChildSamples[],
  suites: readonly string[],
  judge: boolean,
): readonly Row[] {
  const chosen = gates.filter((gate) => suites.includes(gate.suite))
  return chosen.map((gate) => {
    const runs = children
      .map((child) => child[gate.suite])
      .filter((samples): samples is Samples => samples !== undefined)
    const ratio = median(runs.map((samples) => pairedRatio(samples, gate.contender, gate.base)))
    const nsOf = (name: string): number => median(runs.map((run) => median(run[name] ?? [])))
    return {
      gate,
      ratio,
      ns: nsOf(gate.contender),
      baseNs: nsOf(gate.base),
      verdict: judge || Number.isNaN(ratio) ? verdictOf(ratio, gate.target) : 'not judged',
    }
  })
}

function verdictOf(ratio: number, target: number | undefined): Row['verdict'] {
  if (Number.isNaN(ratio)) return 'not measured'
  if (target === undefined) return 'published'
  if (ratio <= target) return 'met'
  return ratio <= target * TOLERANCE ? 'within 25 %' : 'missed'
}

const HEAD = ['what', 'ratio', 'target', 'verdict', 'ns per call', 'of base'] as const

function cellsOf({ gate, ratio, ns, baseNs, verdict }: Row): readonly string[] {
  return [gate.row, short(ratio), targetOf(gate), verdict, short(ns), short(baseNs)]
}

/** A gate's target, as tables show it. */
export function targetOf({ target }: Gate): string {
  return target === undefined ? '' : `<= ${target}`
}

export function short(value: number): string {
  if (Number.isNaN(value)) return '-'
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 10 ? 1 : value >= 0.1 ? 2 : 3)
}

/** The table for a terminal. */
export function terminalTable(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, i) => Math.max(...lines.map((cells) => (cells[i] ?? '').length)))
  const table = lines.map((cells) =>
    cells
      .map((cell, i) =>
        i === 0 || i === 3 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  const missing = notMeasured.map(({ row, reason }) => `${row}: not measured here, ${reason}`)
  return [...table, '', ...missing].join('\n')
}

/** The table for `docs/benchmarks.md`, with where and when it was made. */
export function markdownTable(
  rows: readonly Row[],
  now: Date,
  children: number,
  missing: typeof notMeasured = notMeasured,
): string {
  const unmeasured = missing.map(({ row, reason }) =>
    line([row, '-', '', 'not measured here', '-', reason]),
  )
  return [
    `Measured on ${place(now)}, median of ${children} processes per suite.`,
    '',
    line(HEAD),
    line(['---', '--:', '--:', '---', '--:', '--:']),
    ...rows.map((row) => line(cellsOf(row))),
    ...unmeasured,
  ].join('\n')
}

/** When and where something was measured. */
export function place(now: Date): string {
  const [cpu] = cpus()
  const machine = `${cpu?.model.trim()}, ${cpus().length} cores, ${process.platform} ${process.arch}`
  return `${now.toISOString().slice(0, 10)}: ${machine}, Node ${process.version}`
}

/** What the worst inputs cost, as a table for the page and the terminal. */
export function worstTable(costs: readonly Cost[]): string {
  const rows = costs.map(({ name, ms, firstMs, answer }) =>
    line([name.replaceAll('|', '\\|'), ms.toFixed(1), firstMs.toFixed(1), answer.slice(0, 60)]),
  )
  return [
    line(['input', 'ms', 'first ms', 'answer']),
    line(['---', '--:', '--:', '---']),
    ...rows,
  ].join('\n')
}

export function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/**
 * Puts a table between its markers on a page.
 *
 * @throws When the page has no such markers.
 */
export function withTable(
  page: string,
  name: 'table' | 'policies' | 'worst' | 'summary',
  table: string,
): string {
  const begins = `<!-- ${name}: begin (written by npm run bench -- --write) -->`
  const ends = `<!-- ${name}: end -->`
  const begin = page.indexOf(begins)
  const end = page.indexOf(ends)
  if (begin < 0 || end < begin) {
    throw new Error(`the page has no place for the table: add ${begins} and ${ends}`)
  }
  return `${page.slice(0, begin + begins.length)}\n\n${table}\n\n${page.slice(end)}`
}
