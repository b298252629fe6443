import { CHANNELS } from '../../diagnostics.ts'
import type { DenyVerdict, FailureCause, HookContext, Outcome, ToolHook } from '../../types.ts'
import { coversEvent } from '../manifest.ts'
import { afterParams, bridgedHook, hookParams, refusal, verdictOf } from './bridged-hook.ts'
import type { Connection } from './connection.ts'
import { type Counters, newCounters } from './counters.ts'
import type { BridgeHealth } from './health.ts'
import type { Answer } from './protocol.ts'
import { Supervisor, type SupervisorOptions } from './supervisor.ts'

/** All a {@link BridgedPlugin} needs; `createBridgedPlugin` makes it from manifest and config. */
export interface BridgedPluginOptions extends Omit<SupervisorOptions, 'counters' | 'onState'> {
  readonly failOpen: readonly FailureCause[]
}

// This many requests running without an answer, and the plugin counts as hung.
const SILENT_LIMIT = 3
// A longer result reaches `hook_after` cut, as a stream's text does.
const MAX_RESULT = 1_000_000

/**
 * A plugin in a child process, standing in the pipeline as {@link BridgedPlugin.hook}. Whatever the child
 * does, the hook answers: with the plugin's opinion, or with a deny that says what is wrong.
 */
export class BridgedPlugin {
  readonly id: string
  readonly hook: ToolHook
  readonly #options: BridgedPluginOptions
  readonly #supervisor: Supervisor
  readonly #counters: Counters = newCounters()
  #silent = 0

  constructor(options: BridgedPluginOptions) {
    this.id = options.id
    this.#options = options
    this.#supervisor = new Supervisor({
      ...options,
      counters: this.#counters,
      onState: () => {
        if (CHANNELS.plugin.hasSubscribers) CHANNELS.plugin.publish(this.health())
      },
    })
    this.hook = bridgedHook({
      id: options.id,
      failOpen: options.failOpen,
      judge: (ctx) => this.#judge(ctx),
      tell: (ctx, outcome) => this.#tell(ctx, outcome),
    })
  }

  /**
   * Starts the child and waits for its handshake. The hook is usable either way; it denies when this fails.
   *
   * @throws {ToolwareError} `PLUGIN_UNAVAILABLE`, with the problem's code in `details.problem`.
   */
  start(): Promise<void> {
    return this.#supervisor.replace()
  }

  /**
   * Starts a second child, hands over to it, and ends the first once it has answered what it was asked.
   *
   * @throws {ToolwareError} `PLUGIN_UNAVAILABLE` when the new one does not start; the first then stays.
   */
  async reload(): Promise<void> {
    await this.#supervisor.replace()
    this.#silent = 0
  }

  health(): BridgeHealth {
    const { connection, state, events, lastError, stderrLines } = this.#supervisor
    return {
      id: this.id,
      state,
      pid: connection?.pid,
      pending: connection?.pendingCount ?? 0,
      eventSubscriptions: events ?? [],
      lastError,
      stderrLines,
      ...this.#counters,
    }
  }

  /** Ends the child and all it started. Idempotent; never rejects. */
  close(): Promise<void> {
    return this.#supervisor.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #judge(ctx: HookContext): Promise<DenyVerdict | null> | DenyVerdict | undefined {
    const events = this.#listening('tool:before')
    if (events.length === 0) return undefined
    const { connection } = this.#supervisor
    if (connection === undefined) return this.#refuse()
    const { maxPending } = this.#options.limits
    if (connection.pendingCount >= maxPending) {
      const problem = `has ${maxPending} calls waiting already; try again later`
      return refusal('PLUGIN_UNAVAILABLE', this.id, problem)
    }
    return this.#ask(connection, events, ctx)
  }

  #ask(
    connection: Connection,
    events: readonly string[],
    ctx: HookContext,
  ): Promise<DenyVerdict | null> {
    const answers = events.map((event) =>
      connection.before(hookParams(ctx, event, ctx.recheck), () => ctx.signal),
    )
    const [only] = answers
    if (only !== undefined && answers.length === 1) {
      return only.then((answer) => this.#weigh(connection, answer, ctx))
    }
    return Promise.all(answers).then((all) => this.#weighAll(connection, all, ctx))
  }

  #weighAll(
    connection: Connection,
    answers: readonly Answer[],
    ctx: HookContext,
  ): DenyVerdict | null {
    let fault: unknown
    for (const answer of answers) {
      try {
        const verdict = this.#weigh(connection, answer, ctx)
        if (verdict !== null) return verdict
      } catch (error) {
        // Another answer may still deny, which a fault that fails open would not.
        fault ??= error
      }
    }
    if (fault !== undefined) throw fault
    return null
  }

  #weigh(connection: Connection, answer: Answer, ctx: HookContext): DenyVerdict | null {
    if (answer.kind === 'silent') return this.#overdue(connection, ctx)
    if (answer.kind === 'result' || answer.kind === 'error') this.#silent = 0
    if (answer.kind === 'bad' && answer.overdue) this.#lose(connection, answer.problem)
    const verdict = verdictOf(this.id, this.#options.dialect, answer)
    if (verdict?.code === 'PLUGIN_BAD_ANSWER') {
      this.#counters.badAnswers += 1
      const fields = { toolName: ctx.toolName, callId: ctx.id, problem: verdict.reason }
      this.#options.log.host('error', 'answered outside the protocol; the call is denied', fields)
    }
    return verdict
  }

  #overdue(connection: Connection, ctx: HookContext): DenyVerdict | null {
    const { failOpen, limits, log } = this.#options
    this.#counters.timeouts += 1
    const problem = `did not answer within ${limits.beforeTimeoutMs} ms`
    const hung = this.#lose(connection, problem)
    if (hung !== undefined) return refusal('PLUGIN_UNAVAILABLE', this.id, hung)
    if (!failOpen.includes('timeout')) return refusal('HOOK_TIMEOUT', this.id, problem)
    const fields = { toolName: ctx.toolName, callId: ctx.id }
    log.host('warn', `${problem}; the call goes on without its opinion`, fields)
    return null
  }

  /** One more request without an answer in time. Ends a plugin that has hung, and says why. */
  #lose(connection: Connection, problem: string): string | undefined {
    this.#silent += 1
    if (this.#silent < SILENT_LIMIT) return undefined
    const why = `${problem}, ${this.#silent} times running`
    connection.kill(why)
    return why
  }

  #tell(ctx: HookContext, outcome: Outcome): void {
    const { connection } = this.#supervisor
    for (const event of this.#listening('tool:after')) {
      if (connection === undefined) this.#counters.dropped += 1
      else connection.after(afterParams(ctx, outcome, event, MAX_RESULT))
    }
  }

  /**
   * The event names to say on the wire. Our runner knows that `tool:*` covers the others; a bridge of the
   * original host looks handlers up by the exact name, so it hears each name it has registered for.
   */
  #listening(event: 'tool:before' | 'tool:after'): readonly string[] {
    const { events } = this.#supervisor
    if (this.#options.dialect === 'openclaw-net' && events !== undefined) {
      return [event, 'tool:*'].filter((name) => events.includes(name))
    }
    return coversEvent(events, event) ? [event] : []
  }

  #refuse(): DenyVerdict {
    const { state, lastError, retryAfterMs } = this.#supervisor
    switch (state) {
      case 'down': {
        const problem = `is down (${lastError}) and will be started again; try again later`
        return refusal('PLUGIN_UNAVAILABLE', this.id, problem, retryAfterMs)
      }
      case 'failed': {
        const problem = `is out of service (${lastError}); its operator has to reload it`
        return refusal('PLUGIN_UNAVAILABLE', this.id, problem)
      }
      default: {
        const problem = state === 'closed' ? 'is closed' : 'has not started yet'
        return refusal('PLUGIN_UNAVAILABLE', this.id, problem)
      }
    }
  }
}
