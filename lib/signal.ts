/** What waits on behalf of a call, and must hear when the caller gives up. */
export interface Waiter {
  abort(): void
  /** Who waits for this one; the bookkeeping of {@link Following}. */
  outerWaiter: Waiter | undefined
}

/** The context of a handler that has read its signal. */
interface Watching {
  void(reason: unknown): void
}

/** What wants to hear of an abort. The links are the bookkeeping of {@link Followers}. */
export interface Abortable {
  abort(reason: unknown): void
  beforeFollower: Abortable | undefined
  behindFollower: Abortable | undefined
}

/** A call that has a caller's signal. Made only for such, since most calls have none. */
export class Following implements Abortable {
  readonly abort: (reason: unknown) => void
  /** Those it was added to. */
  followers: Followers | undefined
  /** The way out has begun: hooks hear of nothing but the end of their budget. */
  isLeaving = false
  #views: Watching[] | undefined
  #waiter: Waiter | undefined
  beforeFollower: Abortable | undefined
  behindFollower: Abortable | undefined

  /** @param abort Gives the call up. */
  constructor(abort: (reason: unknown) => void) {
    this.abort = abort
  }

  end(): void {
    this.followers?.delete(this)
  }

  /** Tells every handler, then whoever waits, the innermost first. */
  tell(reason: unknown): void {
    for (const view of [...(this.#views ?? [])]) view.void(reason)
    const waiting: Waiter[] = []
    for (let who = this.#waiter; who !== undefined; who = who.outerWaiter) waiting.push(who)
    for (const who of waiting) who.abort()
  }

  watch(view: Watching): void {
    this.#views ??= []
    this.#views.push(view)
  }

  unwatch(view: Watching): void {
    const at = this.#views?.indexOf(view) ?? -1
    if (at >= 0) this.#views?.splice(at, 1)
  }

  wait(who: Waiter): void {
    who.outerWaiter = this.#waiter
    this.#waiter = who
  }

  unwait(who: Waiter): void {
    if (this.#waiter === who) {
      this.#waiter = who.outerWaiter
      return
    }
    for (let at = this.#waiter; at !== undefined; at = at.outerWaiter) {
      if (at.outerWaiter === who) at.outerWaiter = who.outerWaiter
    }
  }
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
