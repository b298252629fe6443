import { promiseHooks } from 'node:v8'
import type { ToolHook } from '../../lib/types.ts'

/** How many microtask ticks pass from a call to the first reaction on its promise. One for `async () => 1`. */
export async function ticksOf(call: () => PromiseLike<unknown>): Promise<number> {
  let settled = false
  let ticks = 0
  call().then(() => {
    settled = true
  })
  while (!settled) {
    await null
    ticks++
  }
  return ticks
}

/** How many promises V8 makes for `await call()`, beyond those for `await (async () => 1)()`. */
export async function promisesBeyondBare(call: () => PromiseLike<unknown>): Promise<number> {
  return (await promisesOf(call)) - (await promisesOf(async () => 1))
}

async function promisesOf(call: () => PromiseLike<unknown>): Promise<number> {
  // Lets those who await this do so before the count begins.
  await null
  let made = 0
  const stop = promiseHooks.onInit(() => {
    made++
  })
  try {
    await call()
  } finally {
    stop()
  }
  return made
}

/** Hooks with every phase, each with functions of its own. */
export function syncHooks(count: number): ToolHook[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `hook-${i}`,
    check: () => true,
    before: () => true,
    after: () => undefined,
    skipped: () => undefined,
  }))
}
