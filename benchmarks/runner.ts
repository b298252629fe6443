/**
 * How the benchmarks measure. All contenders of a suite run in one process, in rounds: every round runs a batch of
 * each, in an order that is shuffled anew, so that whatever the machine does meanwhile happens to all of them.
 *
 * @module
 */

/** Something whose cost per call is measured. */
export interface Contender {
  readonly name: string
  /** One call. What it returns is awaited, unless `isSync`. */
  readonly call: () => unknown
  /** Nothing to await: the loop around it is synchronous too. */
  readonly isSync?: boolean
}

/** Contenders that are compared with each other. */
export interface Suite {
  readonly name: string
  contenders(): readonly Contender[]
}

export interface RunOptions {
  readonly rounds: number
  /** How long one batch of one contender should take. */
  readonly batchMs: number
  /** How long each contender runs, in each of four passes, before anything is measured. */
  readonly warmUpMs: number
  readonly minWarmUpCalls: number
}

export const FULL: RunOptions = { rounds: 31, batchMs: 3, warmUpMs: 120, minWarmUpCalls: 10_000 }
export const SMOKE: RunOptions = { rounds: 3, batchMs: 0.5, warmUpMs: 5, minWarmUpCalls: 200 }

/** Nanoseconds per call: for each contender's name, one number per round. */
export type Samples = Readonly<Record<string, readonly number[]>>

const WARM_UP_PASSES = 4

type Loop = (calls: number) => unknown

/**
 * Measures one suite.
 *
 * @throws What a contender throws, or when its call does not complete: what fails has no speed.
 */
export async function measure(suite: Suite, options: RunOptions): Promise<Samples> {
  const contenders = suite.contenders()
  for (const { name, call } of contenders) {
    const answer = (await call()) as { readonly failed?: unknown } | undefined
    if (answer?.failed === true)
      throw new Error(`${name} did not complete: ${JSON.stringify(answer)}`)
  }
  const lanes = contenders.map((contender) => ({
    name: contender.name,
    loop: loopFor(contender),
    calls: 1,
    samples: [] as number[],
  }))
  // Several times over: what is optimised for the first contenders is often not for those that come after.
  for (let pass = 0; pass < WARM_UP_PASSES; pass++) {
    for (const lane of lanes) lane.calls = await warmUp(lane.loop, options)
  }
  // The first rounds of a process still grow the heap: they are thrown away.
  const thrownAway = Math.ceil(options.rounds / 5)
  for (let round = -thrownAway; round < options.rounds; round++) {
    for (const lane of shuffled(lanes)) {
      const began = performance.now()
      await lane.loop(lane.calls)
      const ns = ((performance.now() - began) * 1e6) / lane.calls
      if (round >= 0) lane.samples.push(ns)
    }
  }
  return Object.fromEntries(lanes.map(({ name, samples }) => [name, samples]))
}

/** Runs a loop until it is optimised; answers how many calls make a batch. */
async function warmUp(loop: Loop, options: RunOptions): Promise<number> {
  const began = performance.now()
  let calls = 0
  let spentMs = 0
  let chunk = 1
  while (spentMs < options.warmUpMs || calls < options.minWarmUpCalls) {
    const chunkBegan = performance.now()
    await loop(chunk)
    const chunkMs = performance.now() - chunkBegan
    calls += chunk
    spentMs = performance.now() - began
    // Dear contenders need not be called that often.
    if (spentMs > options.warmUpMs * 8) return batch(chunkMs / chunk, options)
    if (chunkMs < options.batchMs) chunk *= 2
    else if (spentMs >= options.warmUpMs && calls >= options.minWarmUpCalls) {
      return batch(chunkMs / chunk, options)
    }
  }
  return chunk
}

function batch(callMs: number, { batchMs }: RunOptions): number {
  return Math.max(1, Math.round(batchMs / callMs))
}

/** Every contender has a loop of its own, compiled from its own text, so that no two share type feedback. */
function loopFor({ name, call, isSync = false }: Contender): Loop {
  const body = isSync
    ? 'let last; for (let i = 0; i < calls; i++) last = call(); return last'
    : 'for (let i = 0; i < calls; i++) await call()'
  const text = `return ${isSync ? '' : 'async '}(calls) => { /* ${name} */ ${body} }`
  return new Function('call', text)(call) as Loop
}

let made = 0

/** Compiles a function from its own text, each time anew: a hook of a real pipeline shares no code with its neighbours. */
export function ownFunction<F>(text: string): F {
  made++
  return new Function(`return /* ${made} */ ${text}`)() as F
}

function shuffled<T>(list: readonly T[]): T[] {
  const rest = [...list]
  const order: T[] = []
  while (rest.length > 0) order.push(...rest.splice(Math.floor(Math.random() * rest.length), 1))
  return order
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The median of the ratios of two contenders, round by round. */
export function pairedRatio(samples: Samples, contender: string, base: string): number {
  const ours = samples[contender] ?? []
  const theirs = samples[base] ?? []
  return median(ours.map((ns, round) => ns / (theirs[round] ?? Number.NaN)))
}
