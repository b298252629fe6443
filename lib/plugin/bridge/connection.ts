import { TIMED_OUT, Wheel, withTimeout } from '../../deadline.ts'
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

// So long nobody listens to the call's signal: most answers are there by then, and a listener costs more than they do.
const PROMPT_MS = 100
// A pipe hands over what it holds in several turns; this many are allowed before lateness is judged.
const LAST_TURNS = 16
const CLOSED_MS = 500

/** One run of a plugin's process, from its start to its end. */
export class Connection {
  /** Says how the process ended. Never rejects. */
  readonly ended: Promise<string>
  readonly #child: Child
  readonly #peer: Peer
  readonly #outbox: Outbox
  readonly #options: ConnectionOptions
  readonly #prompt: Wheel
  readonly #patient: Wheel
  /** Why it was ended by us. */
  #fatal: string | undefined
  #open = true
  /** It was told to leave, and has the time of a stop for it. */
  #stopping = false

  /** Starts the process. Say {@link Connection.init} next. @throws when it cannot even be tried. */
  constructor(options: ConnectionOptions) {
    const { beforeTimeoutMs } = options.limits
    const promptMs = Math.min(PROMPT_MS, Math.ceil(beforeTimeoutMs / 2))
    this.#prompt = new Wheel(promptMs)
    this.#patient = new Wheel(beforeTimeoutMs - promptMs)
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
    child.stdout.once('end', () => this.#abandon('closed its output'))
    child.stdin.once('close', () => this.#abandon('closed its input'))
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
    const pending = this.#peer.request('init', this.#options.init)
    this.#child.hold()
    const answer = await withTimeout(pending.answer, startTimeoutMs)
    this.#child.release()
    if (answer === TIMED_OUT) {
      this.#peer.giveUp(pending, { kind: 'silent' })
      return { problem: `did not answer init within ${startTimeoutMs} ms` }
    }
    switch (answer.kind) {
      case 'result':
        return readInitAnswer(this.#options.dialect, answer.value)
      case 'error':
        return { problem: `could not be loaded: ${answer.message}` }
      case 'bad':
      case 'gone':
        return { problem: answer.problem }
      default:
        return { problem: 'was stopped while it started' }
    }
  }

  /**
   * Asks for an opinion. Its answer is there when it came, when the time for it is over, or when the signal fired.
   *
   * @param signal Asked for only when the answer takes its time.
   */
  before(params: HookParams, signal: () => AbortSignal): Promise<Answer> {
    const pending = this.#peer.request('hook_before', params)
    if (pending.settled === undefined) this.#wait(pending, signal)
    return pending.answer
  }

  /** Tells what became of a call. Never waits. */
  after(params: AfterParams): void {
    this.#peer.notify('hook_after', params)
  }

  /**
   * Lets it answer what it was asked, then ends it, the polite way first. Idempotent through the caller.
   *
   * @param patienceMs For the answers. Requests give up by themselves, so Infinity is no longer than they wait.
   */
  async stop(patienceMs: number = this.#options.limits.stopTimeoutMs): Promise<void> {
    this.#fatal ??= 'was stopped'
    const { stopTimeoutMs } = this.#options.limits
    this.#child.hold()
    await withTimeout(Promise.race([this.#peer.idle(), this.ended]), patienceMs)
    // From here on its pipes may close: that is what was asked of it.
    this.#stopping = true
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

  /** The wheels keep the process alive; the child by itself does not. */
  #wait(pending: Pending, signal: () => AbortSignal): void {
    const { heard } = this.#peer
    pending.onExpire = () => {
      const giveUp = (): void => this.#peer.giveUp(pending, { kind: 'cancelled' })
      const caller = signal()
      if (caller.aborted) {
        giveUp()
        return
      }
      caller.addEventListener('abort', giveUp, { once: true })
      pending.onSettled = () => caller.removeEventListener('abort', giveUp)
      pending.onExpire = () => void this.#late(pending, heard)
      this.#patient.arm(pending)
    }
    this.#prompt.arm(pending)
  }

  /** Time is over: settles what has not come, unless the plugin reports progress and may take longer. */
  async #late(pending: Pending, heard: number): Promise<void> {
    const { beforeTimeoutMs, maxWaitMs } = this.#options.limits
    let waited = beforeTimeoutMs
    let progress = 0
    this.#child.hold()
    for (;;) {
      // This process may have been busy itself: what is in the pipe counts as in time.
      await this.#readOn(pending)
      const wait = Math.min(beforeTimeoutMs, maxWaitMs - waited)
      if (pending.settled !== undefined || pending.progress === progress || wait <= 0) break
      progress = pending.progress
      waited += wait
      await withTimeout(pending.answer, wait)
    }
    this.#child.release()
    const spoke = this.#peer.heard !== heard || this.#peer.halfLine
    const problem = `wrote something that is no answer within ${waited} ms`
    this.#peer.giveUp(pending, spoke ? { kind: 'bad', problem, overdue: true } : { kind: 'silent' })
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

  /** Whoever ends closes its pipes too, and is given time to; a child that lives on without them is of no use. */
  #abandon(why: string): void {
    const kill = () => !this.#child.exited && !this.#stopping && this.kill(why)
    setTimeout(kill, CLOSED_MS).unref()
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
}

function readLevel(level: unknown): Level {
  return level === 'debug' || level === 'warn' || level === 'error' ? level : 'info'
}
