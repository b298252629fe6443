import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type Middleware, Toolware, type ToolwareOptions } from '../../lib/index.ts'
import type { ToolHook } from '../../lib/types.ts'
import { promisesBeyondBare, syncHooks, ticksOf } from '../helpers/counting.ts'

const NUMBERS = [0, 1, 5, 10, 50]
const tool = async (): Promise<number> => 1

function through(
  parts: ReadonlyArray<ToolHook | Middleware>,
  { signal, ...options }: ToolwareOptions & { signal?: AbortSignal } = {},
): () => Promise<unknown> {
  const app = new Toolware(options)
  for (const part of parts) app.use(part)
  return () => app.execute({ toolName: 'read_file', params: {}, signal }, tool)
}

function asyncHooks(count: number): ToolHook[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `hook-${i}`,
    before: async () => true,
    after: async () => undefined,
  }))
}

function awaiting(count: number): Middleware[] {
  return Array.from({ length: count }, () => async (_ctx, next) => {
    await next()
  })
}

describe('ticks and promises', () => {
  it('are one tick and no promise for the bare call, as the yardstick', async () => {
    expect(await ticksOf(tool)).toBe(1)
    expect(await promisesBeyondBare(tool)).toBe(0)
  })

  it.each(NUMBERS)('are 2 and 1 for %i sync hooks', async (count) => {
    const call = through(syncHooks(count))
    expect(await ticksOf(call)).toBe(2)
    expect(await promisesBeyondBare(call)).toBe(1)
  })

  it.each(NUMBERS)('are 3 and 3 for %i sync hooks with a caller signal', async (count) => {
    const call = through(syncHooks(count), { signal: new AbortController().signal })
    expect(await ticksOf(call)).toBe(3)
    expect(await promisesBeyondBare(call)).toBe(3)
  })

  it.each(NUMBERS)('are at most 2N + 2 ticks for %i async hooks with deadlines', async (count) => {
    const limits = { beforeTimeoutMs: 15_000, afterTimeoutMs: 5000 }
    expect(await ticksOf(through(asyncHooks(count), limits))).toBeLessThanOrEqual(2 * count + 2)
  })

  it.each(NUMBERS)('are at most 2N + 2 and 3N + 3 for %i awaited middleware', async (count) => {
    const call = through(awaiting(count))
    expect(await ticksOf(call)).toBeLessThanOrEqual(2 * count + 2)
    expect(await promisesBeyondBare(call)).toBeLessThanOrEqual(3 * count + 3)
  })
})

// Each starts a process that makes many calls: slow on a busy machine.
describe('memory', { timeout: 120_000 }, () => {
  it.each(['alone', 'signal'])('of a call grows by 0 bytes per sync hook (%s)', async (signal) => {
    expect(wholeBytes((await measured('growth', '400', signal)).bytes)).toBe(0)
  })

  it('is all given back: 500 000 calls retain nothing', async () => {
    const { bytes } = await measured('retained', '500000', 'alone')
    expect(wholeBytes(bytes)).toBe(0)
  })

  it('of 100 000 calls on one signal is one listener, no warning and 0 bytes per call', async () => {
    const { bytes, listeners, warnings } = await measured('retained', '100000', 'signal')
    expect({ bytes: wholeBytes(bytes), listeners, warnings }).toEqual({
      bytes: 0,
      listeners: 1,
      warnings: [],
    })
  })
})

/** Whole bytes: what is less is the rest of the process. Never -0. */
function wholeBytes(bytes: number): number {
  return Math.round(Math.abs(bytes))
}

interface Measured {
  readonly bytes: number
  readonly listeners?: number
  readonly warnings?: readonly string[]
}

async function measured(...scenario: readonly string[]): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--single-threaded',
    '--min-semi-space-size=64',
    '--max-semi-space-size=64',
    '--import',
    'jiti/register',
    join(import.meta.dirname, '../fixtures/memory.ts'),
    ...scenario,
  ])
  return JSON.parse(stdout) as Measured
}
