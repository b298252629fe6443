import { FULL, measure, SMOKE } from './runner.ts'
import { suites } from './suites.ts'

/** Measures the suites named on the command line and prints their samples as one line of JSON. */
const [mode, ...names] = process.argv.slice(2)
const samples: Record<string, unknown> = {}
for (const name of names) {
  const suite = suites.find((one) => one.name === name)
  if (suite === undefined) {
    throw new Error(`no suite ${name}; there are: ${suites.map((one) => one.name).join(', ')}`)
  }
  samples[name] = await measure(suite, mode === 'smoke' ? SMOKE : FULL)
}
process.stdout.write(`${JSON.stringify(samples)}\n`)
