import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { worstWorkspace } from '../test/helpers/worst-workspace.ts'
import {
  type ChildSamples,
  markdownTable,
  rowsOf,
  terminalTable,
  withTable,
  worstTable,
} from './report.ts'
import { groups, policySuites, suites } from './suites.ts'
import { summary } from './summary.ts'
import { type Cost, leastCosts, worstNames } from './worst.ts'

/**
 * `npm run bench -- [--smoke] [--suite NAME]... [--children N] [--write]`; `--suite policies` is a group of suites,
 * `--suite worst` prints what the worst inputs cost.
 *
 * Every suite runs in several child processes, since the luck of one process (code layout, order of optimisation)
 * lasts as long as it does. Exit 1 when a contender throws, a row is missing, or, without `--smoke`, a ratio is more
 * than 25 % above its target.
 */
const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    suite: { type: 'string', multiple: true },
    children: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
  },
})
const chosen = values.suite?.flatMap((name) => groups[name] ?? [name]) ?? [
  ...suites.map((suite) => suite.name),
  'worst',
]
const mode = values.smoke ? 'smoke' : 'full'
const children = values.smoke ? 1 : Number(values.children)
// What one process measures: everything in a hurry, else one suite, so that none warms or spoils another's code.
const compared = chosen.filter((name) => name !== 'worst')
const portions = values.smoke ? [compared] : compared.map((suite) => [suite])

async function child(file: string, args: readonly string[]): Promise<unknown> {
  const program = join(import.meta.dirname, file)
  const { stdout } = await promisify(execFile)(process.execPath, [program, mode, ...args])
  return JSON.parse(stdout)
}

const root = join(import.meta.dirname, '../../..')

async function writeTable(
  name: Parameters<typeof withTable>[1],
  table: string,
  page = 'docs/benchmarks.md',
): Promise<void> {
  const file = join(root, page)
  await writeFile(file, withTable(await readFile(file, 'utf8'), name, table))
}

/** One process for each input, so that "first" is the first, and four more for the dearest; in a hurry one for all. */
async function worstCosts(): Promise<readonly Cost[]> {
  const names = worstNames()
  const made = worstWorkspace()
  const costs: Cost[] = []
  const measure = async (some: readonly string[]): Promise<void> => {
    costs.push(...((await child('worst-child.js', [made.root, ...some])) as readonly Cost[]))
  }
  try {
    if (values.smoke) await measure(names)
    else {
      for (const name of names) await measure([name])
      const dearest = leastCosts(costs).slice(0, 50)
      for (let round = 2; round <= 5; round++) {
        for (const { name } of dearest) await measure([name])
      }
    }
  } finally {
    made.remove()
  }
  return leastCosts(costs)
}

const samples: ChildSamples[] = []
// One child at a time: two would measure each other. Rounds over all suites, so that a busy minute of the machine
// does not fall on one suite alone.
for (let round = 1; round <= children; round++) {
  for (const portion of portions) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${round}/${children} ${portion}`)
    samples.push((await child('child.js', portion)) as ChildSamples)
  }
}
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')

const rows = rowsOf(samples, compared, !values.smoke)
if (compared.length > 0) {
  process.stdout.write(`${terminalTable(rows)}\n`)
  const ofPolicies = rows.filter(({ gate }) => policySuites.includes(gate.suite))
  const others = rows.filter((row) => !ofPolicies.includes(row))
  if (values.write && others.length > 0) {
    await writeTable('table', markdownTable(others, new Date(), children))
  }
  if (values.write && ofPolicies.length > 0) {
    await writeTable('policies', markdownTable(ofPolicies, new Date(), children, []))
  }
  const short = summary(rows, new Date())
  if (values.write && short !== undefined) await writeTable('summary', short, 'README.md')
}
if (chosen.includes('worst')) {
  const table = worstTable((await worstCosts()).slice(0, 25))
  process.stdout.write(`${table}\n`)
  if (values.write) await writeTable('worst', table)
}
if (rows.some(({ verdict }) => verdict === 'missed' || verdict === 'not measured'))
  process.exitCode = 1
