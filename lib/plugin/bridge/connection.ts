import { TIMED_OUT, withTimeout } from '../../deadline.ts'
import { type InitAnswer, readInitAnswer } from './answers.ts'
import { Child, type ChildCommand } from './child.ts'
import type { Counters } from './counters.ts'
import { excerpt, plainText } from './fields.ts'
import type { BridgeLimits } from './options.ts'
import { Outbox } from './outbox.ts'
import { Peer, type Pending } from './peer.ts'
import type { Level, PluginLog } from './plugin-log.ts'
import type { AfterParams, Answer, Dialect, HookParams } from './protocol.ts'

/** What a {@link Connection} is made of. */
export interface ConnectionOptions {
  readonly command: ChildCommand
  readonly dialect: Dialect
  /** Params of `init`. */
  readonly init: object
  readonly limits: BridgeLimits
  readonly counters: Counters
  readonly log: PluginLog
  readonly clock: () => number
}

// A pipe hands over what it holds in several turns; this many are allowed before lateness is judged.
const LAST_TURNS = 16

/** One run of a plugin's process, from its start to its end. */
export class Connection {
  /** Says how the process ended. Never rejects. */
  readonly ended: Promise<string>
  readonly #child: Child
  readonly #peer: Peer
  readonly #outbox: Outbox
  readonly #options: ConnectionOptions
  #holds = 0
  #idle: (() => void) | undefined
  /** Why it was ended by us. */
  #fatal: string | undefined
  #open = true

  /** Starts the process. Say {@link Connection.init} next. @throws when it cannot even be tried. */
  constructor(options: ConnectionOptions) {
    const { command, clock, counters, dialect, limits, log } = options
    this.#options = options
    const child = new Child(command, (chunk) => log.plugin('info', chunk.toString(), 'stderr'))
    this.#child = child
    this.#outbox = new Outbox(
      child.stdin,
      { maxNotifications: limits.maxNotifications, maxBytes: limits.maxQueueBytes },
      counters,
    )
    this.#peer = new Peer({
      dialect,
      outbox: this.#outbox,
      counters,
      maxLineBytes: limits.maxLineBytes,
      clock,
      onFlood: () => this.#silence('floods its output'),
      onNotification: (method, params) => this.#notified(method, params),
      onNoise: (line) => log.plugin('debug', line, 'stdout'),
    })
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    this.ended = child.ended.then((how) => {
      const why = this.#fatal ?? how
      this.#peer.fail({ kind: 'gone', problem: why })
      return why
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get pendingCount(): number {
    return this.#peer.pendingCount
  }

  get stderrLines(): string[] {
    return this.#child.stderrLines
  }

  /** Shakes hands. The process is left to its fate when it fails: end it. */
  async init(): Promise<InitAnswer | { readonly problem: string }> {
    const { startTimeoutMs } = this.#options.limits
    const answer = await this.#ask(this.#peer.request('init', this.#options.init), startTimeoutMs)
    switch (answer.kind) {
      case 'result':
        return readInitAnswer(this.#options.dialect, answer.value)
      case 'error':
        return { problem: `could not be loaded: ${answer.message}` }
      case 'silent':
        return { problem: `did not answer init within ${startTimeoutMs} ms` }
      case 'cancelled':
        return { problem: 'was stopped while it started' }
      default:
        return { problem: answer.problem }
    }
  }

  /** Asks for opinions, in one write. Aborting gives them up. */
  before(params: readonly HookParams[], signal: AbortSignal): Promise<Answer[]> {
    const requests = params.map((each) => this.#peer.request('hook_before', each))
    const giveUp = (): void => {
      for (const pending of requests) pending.settle({ kind: 'cancelled' })
    }
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    const { beforeTimeoutMs } = this.#options.limits
    return Promise.all(requests.map((pending) => this.#ask(pending, beforeTimeoutMs))).finally(() =>
      signal.removeEventListener('abort', giveUp),
    )
  }

  /** Tells what became of a call. Never waits. */
  after(params: AfterParams): void {
    this.#peer.notify('hook_after', params)
  }

  /** Lets it answer what it was asked, then ends it, the polite way first. Idempotent through the caller. */
  async stop(): Promise<void> {
    const { stopTimeoutMs } = this.#options.limits
    if (this.#peer.pendingCount > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#idle = resolve
      })
      await withTimeout(Promise.race([idle, this.ended]), stopTimeoutMs)
    }
    this.#peer.notify('shutdown', {})
    this.#outbox.end()
    await this.#child.stop(stopTimeoutMs)
    await this.ended
  }

  /** Ends it at once. What waits is settled with `answer`, or as gone. */
  kill(why: string, answer?: Answer): void {
    this.#fatal ??= why
    this.#peer.fail(answer ?? { kind: 'gone', problem: why })
    this.#child.kill()
  }

  async #ask(pending: Pending, durationMs: number): Promise<Answer> {
    const { maxWaitMs } = this.#options.limits
    const heard = this.#peer.heard
    let progress = 0
    let waited = 0
    let wait = durationMs
    this.#hold()
    try {
      for (;;) {
        const answer = await withTimeout(pending.answer, wait)
        if (answer !== TIMED_OUT) return answer
        waited += wait
        // This process may have been busy itself: what is in the pipe counts as in time.
        await this.#readOn(pending)
        if (pending.settled !== undefined) return pending.settled
        wait = Math.min(durationMs, maxWaitMs - waited)
        if (pending.progress === progress || wait <= 0) break
        progress = pending.progress
      }
      const spoke = this.#peer.heard !== heard || this.#peer.halfLine
      const late: Answer = spoke
        ? { kind: 'bad', problem: `wrote something that is no answer within ${waited} ms` }
        : { kind: 'silent' }
      pending.settle(late)
      return late
    } finally {
      this.#release()
    }
  }

  /** Gives the pipe turns to hand over what it holds, as long as something comes. */
  async #readOn(pending: Pending): Promise<void> {
    const { counters } = this.#options
    for (let turn = 0; turn < LAST_TURNS && pending.settled === undefined; turn++) {
      const before = counters.bytesIn
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (counters.bytesIn === before && turn > 0) return
    }
  }

  #read(chunk: Buffer): void {
    if (!this.#open || this.#peer.push(chunk)) return
    this.#silence(`wrote a line of more than ${this.#options.limits.maxLineBytes} bytes`)
  }

  /** Stops listening to a child that says too much, and ends it. */
  #silence(why: string): void {
    if (!this.#open) return
    this.#open = false
    this.#options.log.host('error', `${why} and is ended`)
    this.kill(why, { kind: 'bad', problem: why })
  }

  #notified(method: string, params: unknown): void {
    const { log } = this.#options
    if (method !== 'log') {
      log.plugin('debug', `sent ${plainText(method, 80)}, which the host does not know`, 'bridge')
      return
    }
    const fields: { level?: unknown; message?: unknown } =
      typeof params === 'object' && params !== null ? params : {}
    const text = typeof fields.message === 'string' ? fields.message : excerpt(fields.message)
    log.plugin(readLevel(fields.level), text, 'log')
  }

  #hold(): void {
    if (this.#holds++ === 0) this.#child.hold()
  }

  #release(): void {
    this.#holds -= 1
    if (this.#holds > 0) return
    this.#child.release()
    this.#idle?.()
  }
}

function readLevel(level: unknown): Level {
  return level === 'debug' || level === 'warn' || level === 'error' ? level : 'info'
}
