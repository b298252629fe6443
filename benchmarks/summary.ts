import { line, place, type Row, short, targetOf } from './report.ts'

/** The rows of the summary, and what it calls them: `ns` over `base`. */
const RATIOS: ReadonlyArray<readonly [row: string, label: string]> = [
  [
    '10 sync hooks to koa-compose with 10 no-ops',
    '10 synchronous hooks : koa-compose with 10 no-ops',
  ],
  [
    '10 sync hooks to a hand-written await loop',
    '10 synchronous hooks : a hand-written loop that awaits',
  ],
  [
    '10 async hooks to a hand-written await loop, deadlines on',
    '10 asynchronous hooks with deadlines : that loop, without',
  ],
  ['5 sync hooks to hookable', '5 synchronous hooks : hookable with 5'],
  [
    'intake of 1 KB nested params to `structuredClone`',
    'checked, frozen copy of 1 KB of arguments : `structuredClone`',
  ],
]

/** Hooks by what a call takes longer with them. */
const HOOKS: ReadonlyArray<readonly [row: string, label: string]> = [
  ['a call with `autonomy`, defaults on, to none', '`autonomy`, one path'],
  ['a call with `contractScope` to none', '`contractScope`, one path'],
  ['a call with `rateLimit` per sender to none', '`rateLimit`, per sender'],
  ['a call with `auditLog`, default logger, to none', "`auditLog`, to the app's logger"],
  ['a call with `auditLog` to a file, to none', '`auditLog`, to a file'],
  ['a call with `auditLog`, hash chain, to none', '`auditLog`, to a file with a hash chain'],
]

/** The tables for README.md; undefined when a row of theirs was not measured. */
export function summary(rows: readonly Row[], now: Date): string | undefined {
  const find = (name: string): Row | undefined =>
    rows.find(({ gate, ratio }) => gate.row === name && !Number.isNaN(ratio))
  const ratios = RATIOS.flatMap(([name, label]) => {
    const row = find(name)
    return row ? [line([label, short(row.ratio), targetOf(row.gate)])] : []
  })
  const hooks = HOOKS.flatMap(([name, label]) => {
    const row = find(name)
    return row ? [line([label, short((row.ns - row.baseNs) / 1000)])] : []
  })
  if (ratios.length < RATIOS.length || hooks.length < HOOKS.length) return undefined
  return [
    `Measured on ${place(now)}.`,
    '',
    line(['beside', 'ratio', 'target']),
    line(['---', '--:', '--:']),
    ...ratios,
    '',
    line(['hook', 'µs it adds to a call']),
    line(['---', '--:']),
    ...hooks,
  ].join('\n')
}
