/** What wants to hear of an abort. */
export interface Abortable {
  abort(reason: unknown): void
}

/**
 * One listener per caller signal, for the signal's life, however many calls share it: a listener per call
 * leaks (`AbortSignal.any`) or warns at eleven.
 */
export class SignalHub {
  readonly #followers = new WeakMap<AbortSignal, Set<Abortable>>()

  /**
   * Tells `who` of the signal's abort, until it is taken out of the set that comes back. The caller has looked at
   * `signal.aborted`.
   */
  follow(signal: AbortSignal, who: Abortable): Set<Abortable> {
    let followers = this.#followers.get(signal)
    if (followers === undefined) {
      const fresh = new Set<Abortable>()
      followers = fresh
      this.#followers.set(signal, fresh)
      signal.addEventListener(
        'abort',
        () => {
          for (const follower of [...fresh]) follower.abort(signal.reason)
          fresh.clear()
        },
        { once: true },
      )
    }
    followers.add(who)
    return followers
  }
}
