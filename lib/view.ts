import type { Run } from './context.ts'
import { snapshotFacts } from './facts.ts'
import type { CallContext, Facts, HookContext, Logger, Params, Requester } from './types.ts'

interface Voided {
  readonly reason: unknown
  readonly state: Map<unknown, unknown> | undefined
}

/** For what runs parts of a pipeline where none is. */
export function notInside(): TypeError {
  return new TypeError(
    'adapt() and compose() run inside a middleware function of a pipeline: pass on the ctx you were given',
  )
}

/**
 * What hooks and the tool can read of a call. All of it is on the prototype, and there is one class, since a
 * derived one costs several times as much to make.
 */
export class View implements HookContext {
  readonly #run: Run
  #controller: AbortController | undefined
  /** Set when this context's handler was given up, or the call was. */
  #voided: Voided | undefined

  static {
    Object.defineProperty(View.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value: View.prototype.toJSON,
    })
  }

  constructor(run: Run) {
    this.#run = run
  }

  /**
   * The run behind a context.
   *
   * @throws {TypeError} When it is not a context of this package.
   */
  static run(view: CallContext): Run {
    if (#run in view) return view.#run
    throw notInside()
  }

  get id(): string {
    return this.#run.id
  }
  get toolName(): string {
    return this.#run.toolName
  }
  get params(): Params {
    return this.#run.params
  }
  get argumentsJson(): string {
    return this.#run.argumentsJson
  }
  get log(): Logger {
    return this.#run.settings.log
  }
  get clock(): () => number {
    return this.#run.settings.clock
  }
  get execEnv(): Readonly<Record<string, string>> | undefined {
    return this.#run.rareIfAny?.execEnv
  }
  get toolCallId(): string | undefined {
    return this.#run.facts.toolCallId
  }
  get runId(): string | undefined {
    return this.#run.facts.runId
  }
  get parentCallId(): string | undefined {
    return this.#run.facts.parentCallId
  }
  get sessionId(): string | undefined {
    return this.#run.facts.sessionId
  }
  get sessionKey(): string | undefined {
    return this.#run.facts.sessionKey
  }
  get channelId(): string | undefined {
    return this.#run.facts.channelId
  }
  get senderId(): string | undefined {
    return this.#run.facts.senderId
  }
  get correlationId(): string | undefined {
    return this.#run.facts.correlationId
  }
  get agentId(): string | undefined {
    return this.#run.facts.agentId
  }
  get requester(): Requester | undefined {
    return this.#run.facts.requester
  }
  get toolKind(): string | undefined {
    return this.#run.facts.toolKind
  }
  get toolInputKind(): string | undefined {
    return this.#run.facts.toolInputKind
  }
  get derivedPaths(): readonly string[] | undefined {
    return this.#run.facts.derivedPaths
  }
  get execHost(): Facts['execHost'] {
    return this.#run.facts.execHost
  }
  get messageProvider(): string | undefined {
    return this.#run.facts.messageProvider
  }
  get isStreaming(): boolean {
    return this.#run.facts.isStreaming ?? false
  }
  get trace(): unknown {
    return this.#run.facts.trace
  }
  get timestamp(): number | undefined {
    return this.#run.facts.timestamp
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#voided === undefined) this.#run.watch(this)
      if (this.#voided !== undefined) this.#controller.abort(this.#voided.reason)
    }
    return this.#controller.signal
  }

  /** True when the signal was read, or has fired: this context cannot serve the way out. */
  get touched(): boolean {
    return this.#controller !== undefined || this.#voided !== undefined
  }

  /**
   * Fires the signal, also one that is read later. Of a handler that was given up, `state` is what it may go on
   * to write in: it concerns nobody any more.
   */
  void(reason: unknown, state?: Map<unknown, unknown>): void {
    this.#voided ??= { reason, state }
    this.#controller?.abort(reason)
  }

  /** The state of a context whose handler was given up. */
  protected get ownState(): Map<unknown, unknown> | undefined {
    return this.#voided?.state
  }

  /** The facts and params, for logs and debuggers. */
  toJSON(): Record<string, unknown> {
    return {
      ...snapshotFacts(this.#run.facts),
      signal: undefined,
      toolName: this.toolName,
      params: this.params,
    }
  }

  get state(): Map<unknown, unknown> {
    const { ownState } = this
    if (ownState !== undefined) return ownState
    const { rare } = this.#run
    rare.state ??= new Map()
    return rare.state
  }
  get recheck(): boolean {
    return this.#run.rechecking
  }
  get resumed(): boolean {
    return this.#run.rareIfAny?.held !== undefined
  }
  get judging(): boolean {
    return this.#run.rareIfAny?.judging !== undefined
  }
}
