import { promiseHooks } from 'node:v8'

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

/** How many promises V8 makes for `await call()`. Two for `async () => 1`: its own, and the one of the await. */
export async function promisesOf(call: () => PromiseLike<unknown>): Promise<number> {
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
