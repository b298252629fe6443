import { cut, type Paint, pad, plain, type Style, textWidth, wrap } from './terminal.ts'

/** One call in a table. */
export interface Row {
  /** Tool and its most telling argument. */
  readonly call: string
  /** `allow`, `completed`, `blocked` ... */
  readonly verdict: string
  readonly by?: string | undefined
  readonly why?: string | undefined
  readonly timeMs?: number | undefined
}

const STYLES: Readonly<Record<string, Style>> = {
  allow: 'green',
  completed: 'green',
  deny: 'red',
  blocked: 'red',
  failed: 'magenta',
  ask: 'yellow',
  pending: 'yellow',
  aborted: 'magenta',
}

/** The colour of a verdict or status. */
export function styleOf(verdict: string): Style {
  return STYLES[verdict] ?? 'dim'
}

const GAP = '  '
const MAX_WHY_LINES = 3

/** A table of calls that fits in `width` columns: call, verdict, by whom, why, time. Ends with a line feed. */
export function renderTable(rows: readonly Row[], width: number, paint: Paint): string {
  const hasTime = rows.some(({ timeMs }) => timeMs !== undefined)
  const cells = rows.map((row, i) => ({
    number: String(i + 1),
    call: plain(row.call),
    verdict: row.verdict,
    by: plain(row.by ?? ''),
    why: plain(row.why ?? ''),
    time: row.timeMs === undefined ? '' : formatMs(row.timeMs),
  }))
  const widest = (key: keyof (typeof cells)[number], title: string, max: number): number =>
    Math.min(max, Math.max(title.length, ...cells.map((cell) => textWidth(cell[key]))))
  const number = widest('number', '#', 8)
  const verdict = widest('verdict', 'verdict', 9)
  const time = hasTime ? widest('time', 'time', 8) : 0
  const fixed = number + verdict + time + GAP.length * (hasTime ? 5 : 4)
  const rest = Math.max(30, width - fixed)
  const by = widest('by', 'by', Math.max(8, Math.min(24, Math.floor(rest * 0.22))))
  const call = widest('call', 'call', Math.max(12, Math.floor((rest - by) * 0.5)))
  const why = Math.max(10, rest - by - call)
  const line = (texts: readonly string[], styles: readonly (Style | undefined)[]): string => {
    const [n = '', c = '', v = '', b = '', w = '', t = ''] = texts
    const shown = [
      pad(n, number, 'right'),
      pad(c, call),
      pad(v, verdict),
      pad(b, by),
      pad(w, why),
      ...(hasTime ? [pad(t, time, 'right')] : []),
    ]
    const painted = shown.map((text, i) => (styles[i] ? paint(styles[i], text) : text))
    return `${painted.join(GAP).trimEnd()}\n`
  }
  const head = ['#', 'call', 'verdict', 'by', 'why', 'time']
  let out = line(
    head,
    head.map(() => 'dim'),
  )
  for (const cell of cells) {
    const [first = '', ...more] = wrap(cell.why, why, MAX_WHY_LINES)
    const style = styleOf(cell.verdict)
    out += line(
      [cell.number, cell.call, cell.verdict, cell.by, first, cell.time],
      ['dim', undefined, style, undefined, undefined, 'dim'],
    )
    for (const text of more) out += line(['', '', '', '', text, ''], [])
  }
  return out
}

/** 0.4 as `0.4 ms`, 61234 as `61.2 s`. */
export function formatMs(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`
  return ms >= 100 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`
}

const TELLING = ['command', 'cmd', 'file_path', 'path', 'url', 'pattern', 'query']

/** A call in a few words: the tool and its most telling argument. */
export function describeCall(toolName: unknown, params: unknown, width: number = 60): string {
  const name = typeof toolName === 'string' && toolName !== '' ? toolName : '(no name)'
  const known = typeof params === 'object' && params !== null ? Object.entries(params) : []
  const texts = known.filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  const best =
    TELLING.map((key) => texts.find(([known]) => known === key)).find(Boolean) ?? texts[0]
  return cut(plain(best ? `${name} ${best[1]}` : name), width)
}

/** `12 completed, 3 blocked`, commonest first. */
export function tally(counts: ReadonlyMap<string, number>, paint: Paint): string {
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  return sorted.map(([word, n]) => paint(styleOf(word), `${n} ${word}`)).join(', ')
}
