import { measureWorst } from './worst.ts'

/**
 * Measures the worst inputs named on the command line in the workspace named before them, and prints what each costs
 * as one line of JSON. A program of its own, since it must load nothing that a host of the policies would not: the
 * contenders of the other suites fill the heap, and collecting it would fall into the first call.
 */
const [mode, root = '', ...names] = process.argv.slice(2)
const tries = mode === 'smoke' ? 1 : 9
const costs = names.map((name) => measureWorst(name, root, tries))
process.stdout.write(`${JSON.stringify(costs)}\n`)
