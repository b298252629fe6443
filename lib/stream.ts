import { quoted } from './errors.ts'
import { asText } from './outcome.ts'
import { resultOf } from './result.ts'
import { hookFault } from './steps.ts'
import type { Outcome, StreamTool, Tool, ToolContext } from './types.ts'
import { View } from './view.ts'

const MAX_CHARS = 1_000_000

/** The chunks of a tool that answers in pieces, and what became of the call. */
export interface ToolStream<C = unknown> extends AsyncIterable<C> {
  /** Settles when the stream has ended, was abandoned or failed, and the way out has run. Never rejects. */
  readonly outcome: Promise<Outcome>
}

/**
 * Runs a stream through the pipeline as one call whose tool lasts as long as the stream. The generator is
 * pulled by whoever iterates; buffered, it is read whole before the way out, so that a middleware function can
 * still change the result, which is the array of chunks.
 */
export function openStream<P, C>(
  execute: (tool: Tool<P>) => Promise<Outcome>,
  tool: StreamTool<P, C>,
  buffered: boolean,
): ToolStream<C> {
  return buffered ? new BufferedStream(execute, tool) : new LiveStream(execute, tool)
}

class BufferedStream<P, C> implements ToolStream<C> {
  readonly outcome: Promise<Outcome>

  constructor(execute: (tool: Tool<P>) => Promise<Outcome>, tool: StreamTool<P, C>) {
    this.outcome = execute(async (params, ctx) => {
      const chunks: unknown[] = []
      let chars = 0
      const run = View.run(ctx)
      for await (const chunk of tool(params, ctx)) {
        // Aborted or timed out meanwhile: nobody wants the rest, and the generator may clean up.
        if (!run.running) break
        const passed = transform(ctx, chunk)
        chars += asText(passed).length
        if (chars > MAX_CHARS) {
          throw new RangeError(
            `the stream has more than ${MAX_CHARS} characters and a middleware may change its result; mark the middleware with streamSafe(), or use ctx.transform()`,
          )
        }
        chunks.push(passed)
      }
      return chunks
    })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<C> {
    yield* answered<C>(await this.outcome)
  }
}

/** The chunks of an outcome whose tool did not stream to the consumer itself. */
function* answered<C>(outcome: Outcome): Generator<C> {
  const result = resultOf(outcome)
  if (Array.isArray(result)) yield* result
  else if (result !== undefined) yield result as C
}

/** An opened generator and the ends of the call that stands around it. */
interface Opened<C> {
  readonly source: AsyncIterator<C>
  readonly ctx: ToolContext
  resolve(chunks: unknown): void
  reject(error: unknown): void
}

class LiveStream<P, C> implements ToolStream<C> {
  readonly outcome: Promise<Outcome>
  /** The generator once the gate has opened, or nothing when the call ended without it. */
  readonly #opened: Promise<Opened<C> | undefined>
  /** What passed, for hooks; up to a bound. */
  readonly #seen: unknown[] = []
  #chars = 0

  constructor(execute: (tool: Tool<P>) => Promise<Outcome>, tool: StreamTool<P, C>) {
    let open: (opened: Opened<C> | undefined) => void = () => undefined
    this.#opened = new Promise((resolve) => {
      open = resolve
    })
    this.outcome = execute(
      (params, ctx) =>
        new Promise((resolve, reject) => {
          const source = tool(params, ctx)[Symbol.asyncIterator]()
          open({ source, ctx, resolve, reject })
        }),
    )
    void this.outcome.then(() => open(undefined))
  }

  [Symbol.asyncIterator](): AsyncGenerator<C> {
    const chunks = this.#chunks()
    // A generator that never began runs no finally block, and one that waits for a chunk would wait on.
    const generatorReturn = chunks.return.bind(chunks)
    chunks.return = async (value) => {
      this.#abandon(await this.#opened)
      return generatorReturn(value)
    }
    const generatorThrow = chunks.throw.bind(chunks)
    chunks.throw = async (error) => {
      const opened = await this.#opened
      opened?.reject(error)
      this.#abandon(opened)
      return generatorThrow(error)
    }
    return chunks
  }

  async *#chunks(): AsyncGenerator<C> {
    const opened = await this.#opened
    if (opened === undefined) {
      yield* answered<C>(await this.outcome)
      return
    }
    const end = new End(this.outcome)
    try {
      for (;;) {
        const step = await end.or(() => opened.source.next())
        // Aborted or timed out while the generator was busy.
        if (step === ENDED) break
        if (typeof step !== 'object' || step === null) {
          throw new TypeError(`the stream's next() gave ${quoted(step)}, not { value, done }`)
        }
        if (step.done === true) {
          opened.resolve(this.#seen)
          break
        }
        const chunk = transform(opened.ctx, step.value)
        if (isWithheld(opened.ctx)) break
        this.#keep(chunk)
        yield chunk as C
      }
    } catch (error) {
      opened.reject(error)
    } finally {
      this.#abandon(opened)
    }
    resultOf(await this.outcome)
  }

  #keep(chunk: unknown): void {
    if (this.#chars > MAX_CHARS) return
    this.#chars += asText(chunk).length
    if (this.#chars <= MAX_CHARS) this.#seen.push(chunk)
  }

  /** Nobody pulls any more: the generator may clean up, and the call ends with what has passed. */
  #abandon(opened: Opened<C> | undefined): void {
    if (opened === undefined) return
    opened.resolve(this.#seen)
    void cleanUp(opened.source)
  }
}

async function cleanUp(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.()
  } catch {
    // The call has ended; what its tool says to that concerns nobody.
  }
}

/** A middleware has denied what is still coming. */
function isWithheld(ctx: ToolContext): boolean {
  return View.run(ctx).rareIfAny?.verdictWhenDone !== undefined
}

/** Says that a call has ended before the step was there. */
const ENDED: unique symbol = Symbol('ended')

/** The end of a call, for one waiter at a time: `Promise.race` would keep something of every chunk until then. */
class End {
  #ended = false
  #wake: () => void = () => undefined

  constructor(outcome: Promise<unknown>) {
    void outcome.then(() => {
      this.#ended = true
      this.#wake()
    })
  }

  /** What `step` comes to, or {@link ENDED} when the call ends first. */
  or<T>(step: () => PromiseLike<T>): Promise<T | typeof ENDED> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(ENDED)
      if (this.#ended) this.#wake()
      else Promise.resolve(step()).then(resolve, reject)
    })
  }
}

/** Passes a chunk through what `ctx.transform` registered, the innermost first. */
function transform(ctx: ToolContext, chunk: unknown): unknown {
  const run = View.run(ctx)
  const transforms = run.rareIfAny?.transforms
  if (transforms === undefined) return chunk
  let passed = chunk
  for (const { fn, by } of transforms.toReversed()) {
    try {
      passed = fn(passed)
    } catch (error) {
      run.report(by, 'transform', error)
      run.fail(hookFault(run, 'HOOK_FAILED', by, error))
      throw error
    }
  }
  return passed
}
