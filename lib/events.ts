import type { CallEnd, ToolwareEvents } from './api.ts'
import type { Run } from './context.ts'
import { CHANNELS } from './diagnostics.ts'
import { quoted } from './errors.ts'
import { messageOf } from './outcome.ts'
import { isThenable, whenSettled } from './settled.ts'
import type { Report } from './surroundings.ts'
import type { Logger, Outcome } from './types.ts'

/** A group of listeners; one that throws harms nothing. */
class Listeners<E> {
  readonly #listeners = new Set<(event: E) => void>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  /** Somebody listens. A field, since it is looked at for every call. */
  some = false

  add(listener: (event: E) => void): () => void {
    this.#listeners.add(listener)
    this.some = true
    return () => {
      this.#listeners.delete(listener)
      this.some = this.#listeners.size > 0
    }
  }

  tell(event: E): void {
    for (const listener of this.#listeners) {
      try {
        // An async function is a listener as well.
        const work: unknown = listener(event)
        if (isThenable(work)) void whenSettled(work, () => undefined, this.#threw)
      } catch (error) {
        this.#threw(error)
      }
    }
  }

  readonly #threw = (error: unknown): void => {
    this.#log.error({ err: messageOf(error) }, 'a listener threw; the call is not harmed')
  }
}

/** Tells listeners, diagnostics channels and the log of what happens in a pipeline. */
export class Events {
  readonly #log: Logger
  readonly #errors: Listeners<Report>
  readonly #blocked: Listeners<CallEnd>
  /** Of every end of a call. */
  readonly settled: Listeners<CallEnd>

  constructor(log: Logger) {
    this.#log = log
    this.#errors = new Listeners(log)
    this.#blocked = new Listeners(log)
    this.settled = new Listeners(log)
  }

  /** @throws {TypeError} For an event that there is not, and for what is no function. */
  on<E extends keyof ToolwareEvents>(
    event: E,
    listener: (event: ToolwareEvents[E]) => void,
  ): () => void {
    const groups = { error: this.#errors, blocked: this.#blocked, settled: this.settled }
    const group = Object.hasOwn(groups, event) ? groups[event] : undefined
    if (group === undefined || typeof listener !== 'function') {
      throw new TypeError(
        `on() takes 'error', 'blocked' or 'settled' and a function; got ${quoted(event)}`,
      )
    }
    // The table pairs each event with listeners of its own kind.
    return (group as unknown as Listeners<ToolwareEvents[E]>).add(listener)
  }

  /** A call has ended. */
  ended(run: Run, outcome: Outcome): void {
    if (outcome.status === 'blocked' && this.#blocked.some)
      this.#blocked.tell({ ctx: run.view, outcome: run.shown })
    if (this.settled.some) this.settled.tell({ ctx: run.view, outcome: run.shown })
    if (CHANNELS.end.hasSubscribers) CHANNELS.end.publish({ ctx: run.view, outcome: run.shown })
  }

  /** A fault inside the pipeline. */
  failed(report: Report): void {
    const { hook, phase, error, ctx } = report
    const { toolName: tool, toolCallId } = ctx
    const fields = { hook, phase, tool, toolCallId, err: messageOf(error) }
    this.#log.error(fields, `hook ${hook} failed in ${phase}`)
    this.#errors.tell(report)
    if (CHANNELS.error.hasSubscribers) CHANNELS.error.publish(report)
  }
}
