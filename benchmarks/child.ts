import { FULL, measure, SMOKE } from './runner.ts'
import { suites } from './suites.ts'
import { measureWorst } from './worst.ts'

/**
 * Measures the suites named on the command line and prints their samples as one line of JSON; `worst` takes the root
 * of a workspace and the names of inputs instead, and prints what each costs.
 */
const [mode, ...names] = process.argv.slice(2)
if (names[0] === 'worst') {
  const [, root = '', ...inputs] = names
  const tries = mode === 'smoke' ? 1 : 9
  const costs = inputs.map((name) => measureWorst(name, root, tries))
  process.stdout.write(`${JSON.stringify(costs)}\n`)
} else {
  process.stdout.write(`${JSON.stringify(await samplesOf(names))}\n`)
}

async function samplesOf(suiteNames: readonly string[]): Promise<Record<string, unknown>> {
  const samples: Record<string, unknown> = {}
  for (const name of suiteNames) {
    const suite = suites.find((one) => one.name === name)
    if (suite === undefined) {
      throw new Error(`no suite ${name}; there are: ${suites.map((one) => one.name).join(', ')}`)
    }
    samples[name] = await measure(suite, mode === 'smoke' ? SMOKE : FULL)
  }
  return samples
}
