import type { Counters } from './counters.ts'

/** `down` is started again after a while; `failed` was given up and waits for a reload. */
export type BridgeState = 'starting' | 'up' | 'down' | 'failed' | 'closed'

/** How a bridged plugin is doing; published on `toolware:plugin:state` when its state changes. */
export interface BridgeHealth extends Readonly<Counters> {
  readonly id: string
  readonly state: BridgeState
  readonly pid: number | undefined
  /** Calls that wait for an answer. */
  readonly pending: number
  readonly eventSubscriptions: readonly string[]
  /** Why it is down, or was last. */
  readonly lastError: string | undefined
  /** The last lines it wrote to stderr. */
  readonly stderrLines: readonly string[]
}
