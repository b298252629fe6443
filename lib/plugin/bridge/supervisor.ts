import { ToolwareError } from '../../errors.ts'
import { coversEvent } from '../manifest.ts'
import type { PluginProblemCode } from '../problem.ts'
import type { InitAnswer } from './answers.ts'
import type { ChildCommand } from './child.ts'
import { Connection } from './connection.ts'
import type { Counters } from './counters.ts'
import { plainText } from './fields.ts'
import type { BridgeState } from './health.ts'
import type { BridgeLimits } from './options.ts'
import type { PluginLog } from './plugin-log.ts'
import type { Dialect } from './protocol.ts'

/** What a {@link Supervisor} starts, and how. */
export interface SupervisorOptions {
  readonly id: string
  readonly command: ChildCommand
  readonly dialect: Dialect
  /** Params of `init`. */
  readonly init: object
  /** Events the manifest declares; undefined does not limit. */
  readonly declared: readonly string[] | undefined
  /** Capabilities the manifest declares; undefined does not limit. */
  readonly capabilities: readonly string[] | undefined
  readonly limits: BridgeLimits
  readonly log: PluginLog
  readonly counters: Counters
  readonly clock: () => number
  onState(): void
}

interface Started {
  readonly connection: Connection
  readonly answer: InitAnswer
  readonly code?: undefined
}

interface NotStarted {
  readonly code: PluginProblemCode
  readonly problem: string
}

const MINUTE_MS = 60_000
/** What `tool:*` stands for. */
const BOTH = ['tool:before', 'tool:after']

/**
 * Keeps one plugin's process running: starts it, starts it again with growing delays when it ends, gives it
 * up after too many restarts in a minute, replaces it on reload, and ends it with all it started.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  #connection: Connection | undefined
  #state: BridgeState = 'starting'
  #events: readonly string[] | undefined
  #lastError: string | undefined
  #stderrLines: readonly string[] = []
  #restarts: number[] = []
  #timer: NodeJS.Timeout | undefined
  #nextStart = 0
  /** Starts, reloads and restarts happen one after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Connections that are starting or on their way out. */
  readonly #others = new Set<Connection>()
  #closing: Promise<void> | undefined

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** The running process, once it has shaken hands. */
  get connection(): Connection | undefined {
    return this.#connection
  }

  get state(): BridgeState {
    return this.#state
  }

  /** What the plugin has registered for; before its first start what it declares, undefined when unknown. */
  get events(): readonly string[] | undefined {
    return this.#events ?? this.#options.declared
  }

  get lastError(): string | undefined {
    return this.#lastError
  }

  get stderrLines(): readonly string[] {
    return this.#connection?.stderrLines ?? this.#stderrLines
  }

  /** Milliseconds until the next start of a plugin that is down. */
  get retryAfterMs(): number {
    return Math.max(0, Math.ceil(this.#nextStart - this.#options.clock()))
  }

  /**
   * Starts a process and, once it has shaken hands, lets it take over from the one that runs, if any, which
   * ends when it has answered what it was asked. Restarts of the past are forgotten.
   *
   * @throws {ToolwareError} `PLUGIN_UNAVAILABLE`, with a problem code in `details.problem`. What runs stays.
   */
  replace(): Promise<void> {
    return this.#inTurn(async () => {
      clearTimeout(this.#timer)
      const started = await this.#connect()
      if (started.code !== undefined) {
        if (this.#connection === undefined) this.#enter('failed', started.problem)
        const { id } = this.#options
        throw new ToolwareError('PLUGIN_UNAVAILABLE', `plugin ${id} ${started.problem}`, {
          details: { plugin: id, problem: started.code },
        })
      }
      const old = this.#connection
      this.#restarts = []
      this.#adopt(started)
      if (old === undefined) return
      this.#others.add(old)
      await old.stop(Number.POSITIVE_INFINITY)
      this.#others.delete(old)
    })
  }

  /** Ends all processes. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer)
    const open = [...this.#others]
    if (this.#connection !== undefined) open.push(this.#connection)
    this.#connection = undefined
    this.#enter('closed')
    await Promise.all(open.map((connection) => connection.stop()))
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Starts a process and shakes hands, or ends it and says why not. */
  async #connect(): Promise<Started | NotStarted> {
    const { command, dialect, init, limits, log, counters, clock } = this.#options
    const closed: NotStarted = { code: 'start_failed', problem: 'is closed' }
    if (this.#state === 'closed') return closed
    const title = [command.file, ...command.args].join(' ')
    let connection: Connection
    try {
      connection = new Connection({ command, dialect, init, limits, log, counters, clock })
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { code: 'start_failed', problem: `could not be started as ${title}: ${problem}` }
    }
    this.#others.add(connection)
    const answer = await connection.init()
    this.#others.delete(connection)
    const failure = this.state === 'closed' ? closed : this.#vet(answer)
    if (failure === undefined && !('problem' in answer)) return { connection, answer }
    const { code, problem } = failure ?? closed
    this.#stderrLines = connection.stderrLines
    connection.kill(problem)
    return { code, problem: `${problem}; it was started as ${title}` }
  }

  /** What the manifest does not declare may not be registered. */
  #vet(answer: InitAnswer | { readonly problem: string }): NotStarted | undefined {
    if ('problem' in answer) return { code: 'start_failed', problem: answer.problem }
    const { declared, capabilities, log } = this.#options
    const { eventSubscriptions = declared ?? [], diagnostics } = answer
    for (const line of diagnostics) log.host('warn', `says: ${line}`)
    const extra = eventSubscriptions.find((event) => !coversEvent(declared, event))
    if (extra !== undefined) {
      const event = plainText(extra, 80)
      const problem = `registered for ${event}, which its manifest does not list; add it to eventSubscriptions`
      return { code: 'undeclared_registration', problem }
    }
    if (eventSubscriptions.length > 0 && capabilities?.includes('hooks') === false) {
      const problem = "registered for events, and its manifest's capabilities do not name hooks"
      return { code: 'undeclared_registration', problem }
    }
    const named = new Set((declared ?? []).flatMap((event) => (event === 'tool:*' ? BOTH : event)))
    const idle = [...named].filter((event) => !coversEvent(eventSubscriptions, event))
    if (idle.length > 0) {
      log.host('warn', `declares ${idle.join(', ')} and did not register for it`)
    }
    return undefined
  }

  #adopt({ connection, answer }: Started): void {
    if (this.#state === 'closed') {
      connection.kill('is closed')
      return
    }
    this.#connection = connection
    this.#events = answer.eventSubscriptions ?? this.#options.declared ?? []
    this.#enter('up')
    void connection.ended.then((why) => {
      if (this.#connection !== connection) return
      this.#connection = undefined
      this.#stderrLines = connection.stderrLines
      this.#retry(why)
    })
  }

  /** Starts it again, later each time, until the minute's restarts are used up. */
  #retry(why: string): void {
    const { limits, log, clock } = this.#options
    const now = clock()
    this.#restarts = this.#restarts.filter((at) => now - at < MINUTE_MS)
    const tries = this.#restarts.length
    if (tries >= limits.maxRestarts) {
      this.#enter('failed', why)
      log.host('error', `${why}; given up after ${tries} restarts within a minute`)
      return
    }
    const delay = Math.min(limits.backoffMs * 2 ** tries, MINUTE_MS)
    this.#nextStart = now + delay
    this.#enter('down', why)
    log.host('error', `${why}; it is started again in ${delay} ms`)
    this.#timer = setTimeout(() => void this.#inTurn(() => this.#restart()), delay)
    this.#timer.unref()
  }

  async #restart(): Promise<void> {
    if (this.#state !== 'down') return
    this.#restarts.push(this.#options.clock())
    this.#options.counters.restarts += 1
    const started = await this.#connect()
    if (this.#state !== 'down') return
    if (started.code === undefined) this.#adopt(started)
    else this.#retry(started.problem)
  }

  #enter(state: BridgeState, why?: string): void {
    this.#state = state
    if (why !== undefined) this.#lastError = why
    this.#options.onState()
  }
}
