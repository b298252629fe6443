const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, magenta: 35 }
const STYLES = { completed: 'green', blocked: 'red', failed: 'magenta' }
const isPlain = !process.stdout.isTTY || Boolean(process.env.NO_COLOR)

export const paint = (style, text) => (isPlain ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`)

const WIDTHS = { number: 2, call: 28, in: 14, tool: 5, out: 10 }
const fill = (text, width) =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)

export function printHead(names) {
  console.log(
    paint(
      'bold',
      'A recorded session of an agent at work. Every tool call goes through these hooks, in this order:\n',
    ),
  )
  const labels = names.map((name, i) => `${i + 1} ${name}`)
  console.log(`  ${labels.slice(0, 4).join('   ')}\n  ${labels.slice(4).join('   ')}\n`)
  console.log(
    paint(
      'dim',
      '  ✗ said no: what is further in, and the tool, does not run     ~ changed something\n',
    ),
  )
  const { number, call, in: wayIn, tool, out } = WIDTHS
  const head = [
    ' #'.padEnd(number),
    'call'.padEnd(call),
    'way in'.padEnd(wayIn),
    'tool'.padEnd(tool),
    'way out'.padEnd(out),
    'what came of it',
  ]
  console.log(paint('dim', head.join('  ')))
}

/** @param workspace Left out of texts, where it is only long. */
export function printCall(number, call, trace, outcome, workspace) {
  const [argument = ''] = Object.values(call.params)
  const wayIn = marks(trace.in)
  const wayOut = marks(trace.out)
  const ran = outcome.executed ? (outcome.status === 'failed' ? 'threw' : 'ran') : '-'
  const cells = [
    paint('dim', String(number).padStart(WIDTHS.number)),
    fill(`${call.toolName} ${argument}`, WIDTHS.call),
    wayIn.painted + ' '.repeat(Math.max(0, WIDTHS.in - wayIn.length)),
    ran.padEnd(WIDTHS.tool),
    wayOut.painted + ' '.repeat(Math.max(0, WIDTHS.out - wayOut.length)),
    paint(STYLES[outcome.status], outcome.status) + (outcome.failed ? ` by ${outcome.by}` : ''),
  ]
  console.log(cells.join('  '))
  const why = whyOf(trace, outcome)
    .replaceAll(`${workspace}/`, '')
    .replaceAll(workspace, 'the workspace')
  if (why) console.log(paint('dim', `${' '.repeat(6)}${fill(why, 92).trimEnd()}`))
}

/** The reason, or what a call looks like after somebody changed it. */
function whyOf(trace, outcome) {
  if (outcome.status === 'blocked') {
    return [outcome.reason, outcome.rule && `(${outcome.rule})`].filter(Boolean).join(' ')
  }
  if (outcome.failed) return outcome.text
  if (trace.in.some(({ mark }) => mark === '~'))
    return `the tool got ${JSON.stringify(trace.params)}`
  if (trace.out.some(({ mark }) => mark === '~'))
    return `the model reads ${JSON.stringify(outcome.text)}`
  return ''
}

function marks(way) {
  const text = way.map(({ number, mark }) => `${number}${mark}`)
  const painted = way.map(({ number, mark }) => {
    if (mark === '✗') return paint('red', `${number}${mark}`)
    return mark === '~' ? paint('yellow', `${number}${mark}`) : String(number)
  })
  return { length: text.join(' ').length, painted: painted.join(' ') }
}

export function printEnd(counts, denied, auditFile, records) {
  const sum = [...counts].map(([status, n]) => paint(STYLES[status], `${n} ${status}`)).join(', ')
  console.log(`\n${[...counts.values()].reduce((a, b) => a + b)} calls: ${sum}.\n`)
  console.log(`What the model read for call ${denied.number}:\n`)
  for (const line of denied.text.split('\n')) console.log(`  ${line}`)
  console.log(
    `\nThe audit file has ${records} records, two a call, each linked to the one before:\n`,
  )
  console.log(`  ${auditFile}`)
  console.log(paint('dim', `  npx toolware audit verify ${auditFile}\n`))
}
