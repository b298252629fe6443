import type { Run } from './context.ts'
import { snapshotFacts } from './facts.ts'
import type { CallContext, Facts, HookContext, Logger, Params, Requester } from './types.ts'

/** What every party of a call can read. All of it is on the prototype: making one costs next to nothing. */
export class CallView implements CallContext {
  readonly #run: Run
  #controller: AbortController | undefined
  /** Set when this context's handler was given up, or the call was. */
  #voided: { readonly reason: unknown } | undefined

  static {
    Object.defineProperty(CallView.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value: CallView.prototype.toJSON,
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
    throw new TypeError(
      'adapt() and compose() run inside a pipeline: pass on the ctx you were given',
    )
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

  /** Fires the signal, also one that is read later. */
  void(reason: unknown): void {
    this.#voided ??= { reason }
    this.#controller?.abort(reason)
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
}

/** What a hook gets. */
export class HookView extends CallView implements HookContext {
  /** Set when the handler was given up: what it writes from then on concerns nobody. */
  #ownState: Map<unknown, unknown> | undefined

  keepState(state: Map<unknown, unknown>): void {
    this.#ownState = state
  }

  get state(): Map<unknown, unknown> {
    if (this.#ownState !== undefined) return this.#ownState
    const { rare } = CallView.run(this)
    rare.state ??= new Map()
    return rare.state
  }
  get recheck(): boolean {
    return CallView.run(this).rechecking
  }
  get resumed(): boolean {
    return CallView.run(this).rareIfAny?.held !== undefined
  }
  get judging(): boolean {
    return CallView.run(this).rareIfAny?.judging !== undefined
  }
}
