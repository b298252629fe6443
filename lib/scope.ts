import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallContext, Facts } from './types.ts'

/** What flows along with asynchronous work. */
export interface Ambient {
  readonly facts: Facts | undefined
  /** The call whose tool or hooks are running. */
  readonly call: CallContext | undefined
}

const storage = new AsyncLocalStorage<Ambient>()

/** The facts and the call around the running code, if a scope or `asyncContext: true` put them there. */
export function ambient(): Ambient | undefined {
  return storage.getStore()
}

/** Runs `work` with something new around it. */
export function within<T>(around: Ambient, work: () => T): T {
  return storage.run(around, work)
}

/**
 * The call whose tool or hooks are running now; undefined outside of one, or when neither a scope nor
 * `asyncContext: true` follows asynchronous work.
 */
export function currentCall(): CallContext | undefined {
  return storage.getStore()?.call
}
