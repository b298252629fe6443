/** What wants to hear of an abort. The links are the bookkeeping of {@link Followers}. */
export interface Abortable {
  abort(reason: unknown): void
  beforeFollower: Abortable | undefined
  behindFollower: Abortable | undefined
}

/** Those who follow one signal: a chain, since a `Set` would have to make a hash for every call. */
export class Followers {
  #first: Abortable | undefined

  add(who: Abortable): void {
    const first = this.#first
    who.behindFollower = first
    if (first !== undefined) first.beforeFollower = who
    this.#first = who
  }

  /** Takes one out that is in. */
  delete(who: Abortable): void {
    const { beforeFollower: before, behindFollower: behind } = who
    if (before !== undefined) before.behindFollower = behind
    else if (this.#first === who) this.#first = behind
    if (behind !== undefined) behind.beforeFollower = before
    who.beforeFollower = who.behindFollower = undefined
  }

  abort(reason: unknown): void {
    const all: Abortable[] = []
    for (let who = this.#first; who !== undefined; who = who.behindFollower) all.unshift(who)
    for (const who of all) who.abort(reason)
  }
}

/**
 * One listener per caller signal, for the signal's life, however many calls share it: a listener per call
 * leaks (`AbortSignal.any`) or warns at eleven.
 */
export class SignalHub {
  readonly #followers = new WeakMap<AbortSignal, Followers>()

  /** Tells `who` of the signal's abort, until it is deleted from what comes back. The caller has looked at `signal.aborted`. */
  follow(signal: AbortSignal, who: Abortable): Followers {
    let followers = this.#followers.get(signal)
    if (followers === undefined) {
      const fresh = new Followers()
      followers = fresh
      this.#followers.set(signal, fresh)
      signal.addEventListener('abort', () => fresh.abort(signal.reason), { once: true })
    }
    followers.add(who)
    return followers
  }
}
