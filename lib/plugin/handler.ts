import type { MaybePromise } from '../types.ts'

/** How a handler ended. `aborted` means that the call was given up, so nobody waits for the answer. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly cause: 'error' | 'timeout' | 'aborted'; readonly error: unknown }

/** A handler's own abort signal, made when it is first looked at. */
export interface OwnSignal {
  readonly signal: AbortSignal
  /** Fires it: the handler's time is up, or the call was given up. */
  expire(reason: unknown): void
  /** Stops following the call: what the handler does from now on is its own business. */
  release(): void
}

/**
 * A signal that fires when the call's does and when {@link OwnSignal.expire} is called; costs nothing until it is
 * looked at. Without a call it knows only its own end.
 */
export function ownSignal(call?: () => AbortSignal): OwnSignal {
  return new LazySignal(call)
}

/** A class: a getter in an object literal would cost a hidden class with each object. */
class LazySignal implements OwnSignal {
  readonly #call: (() => AbortSignal) | undefined
  #controller: AbortController | undefined
  #expired: { readonly reason: unknown } | undefined
  #stop: (() => void) | undefined

  constructor(call: (() => AbortSignal) | undefined) {
    this.#call = call
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#start()
    return this.#controller.signal
  }

  expire(reason: unknown): void {
    this.#expired ??= { reason }
    this.#controller?.abort(reason)
  }

  release(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  #start(): AbortController {
    const own = new AbortController()
    if (this.#expired) {
      own.abort(this.#expired.reason)
      return own
    }
    const outer = this.#call?.()
    const follow = (): void => own.abort(outer?.reason)
    if (outer?.aborted) follow()
    outer?.addEventListener('abort', follow, { once: true })
    this.#stop = () => outer?.removeEventListener('abort', follow)
    return own
  }
}

export interface HandlerCall {
  readonly timeoutMs: number
  /** The call's signal; only asked for when the handler did not answer at once. Its abort ends the wait. */
  readonly callSignal?: (() => AbortSignal) | undefined
  readonly own: OwnSignal
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/**
 * Runs one handler of a plugin within its time. What it says after that is void.
 *
 * Answers at once, without a promise or a timer, when the handler does. Never throws and never rejects.
 */
export function callHandler<T>(
  run: () => MaybePromise<T>,
  { timeoutMs, callSignal, own }: HandlerCall,
): MaybePromise<Settled<T>> {
  let answer: MaybePromise<T>
  try {
    answer = run()
    if (!isThenable(answer)) {
      own.release()
      return { ok: true, value: answer as T }
    }
  } catch (error) {
    own.release()
    return { ok: false, cause: 'error', error }
  }
  const pending = answer
  return new Promise((resolve) => {
    const outer = callSignal?.()
    const settle = (settled: Settled<T>): void => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onAbort)
      own.release()
      resolve(settled)
    }
    const onAbort = (): void => {
      own.expire(outer?.reason)
      settle({ ok: false, cause: 'aborted', error: outer?.reason })
    }
    const timer = setTimeout(() => {
      const error = new DOMException(`timed out after ${timeoutMs}ms`, 'TimeoutError')
      own.expire(error)
      settle({ ok: false, cause: 'timeout', error })
    }, timeoutMs)
    if (outer?.aborted) onAbort()
    else outer?.addEventListener('abort', onAbort, { once: true })
    // Not every thenable is a promise: its `then` may throw.
    Promise.resolve(pending).then(
      (value) => settle({ ok: true, value }),
      (error: unknown) => settle({ ok: false, cause: 'error', error }),
    )
  })
}
