/**
 * What a host can carry of a call's verdicts and events. Where it says false, the mount blocks a call that
 * would need it, and says so.
 */
export interface MountCapabilities {
  /** A person can be asked while the host waits, or the call can come back later. */
  readonly ask: boolean
  /** The tool gets the params that hooks rewrote. */
  readonly rewrite: boolean
  /** The model gets the result that a middleware changed. */
  readonly result: boolean
  /** The host's own abort settles the call as `aborted`. */
  readonly abort: boolean
  /** Tools may answer in pieces. */
  readonly stream: boolean
}
