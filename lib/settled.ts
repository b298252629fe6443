// Kept, since a promise may bring a `then` of its own that says something else, or calls back twice.
const { then } = Promise.prototype

/**
 * Hears of a promise as `await` would: what it settles with, once. What a thing that only looks like a promise throws
 * is heard as its rejection. Costs one promise and no tick of its own.
 */
export function whenSettled<T>(
  work: unknown,
  fulfilled: (value: unknown) => T,
  rejected: (error: unknown) => T,
): Promise<Awaited<T>> {
  try {
    const promise = isOrdinary(work) ? work : Promise.resolve(work)
    return then.call(promise, fulfilled, rejected) as Promise<Awaited<T>>
  } catch (error) {
    return then.call(Promise.reject(error), fulfilled, rejected) as Promise<Awaited<T>>
  }
}

/**
 * As {@link whenSettled}, for what a tool returned: V8 inlines it where the promise is an ordinary one. Unlike a hook's, it
 * decides nothing that a `then` which changes between two looks could get past.
 */
export function whenAnswered<T>(
  work: unknown,
  fulfilled: (value: unknown) => T,
  rejected: (error: unknown) => T,
): Promise<Awaited<T>> {
  try {
    if (isOrdinary(work) && work.then === then) {
      return work.then(fulfilled, rejected) as Promise<Awaited<T>>
    }
  } catch {
    // Heard below.
  }
  return whenSettled(work, fulfilled, rejected)
}

function isOrdinary(work: unknown): work is Promise<unknown> {
  return work instanceof Promise && work.constructor === Promise
}

/** Something that `await` would wait for. Throws what its `then` throws when it is looked at. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}
