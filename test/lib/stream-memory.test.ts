import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { quietApp } from '../helpers/call.ts'

const CHUNKS = 100_000

it('a stream keeps nothing of the chunks that have passed', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const app = quietApp()
  app.use({ name: 'Watch', check: () => true })
  const stream = app.stream({ toolName: 'count' }, async function* () {
    for (let i = 0; i < CHUNKS; i++) yield 'x'.repeat(100)
  })
  let passed = 0
  let before = 0
  let after = 0
  for await (const _ of stream) {
    passed++
    if (passed !== 0.6 * CHUNKS && passed !== CHUNKS) continue
    collect()
    if (before === 0) before = process.memoryUsage().heapUsed
    else after = process.memoryUsage().heapUsed
  }
  // What hooks see of a stream ends after 10 000 of these chunks; something of every chunk would be 14 MB.
  expect(after - before).toBeLessThan(3_000_000)
})
