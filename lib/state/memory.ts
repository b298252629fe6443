import type { MaybePromise } from '../types.ts'

/** How often something may happen. */
export interface Limit {
  readonly limit: number
  /** A window starts with its first call. Without it the count never starts anew while the key is in use. */
  readonly windowMs?: number | undefined
  /** Milliseconds since the epoch, for a state without a clock of its own. */
  readonly now?: number | undefined
}

/** What became of {@link LimitState.take}. */
export type Taken =
  | { readonly ok: true }
  | {
      readonly ok: false
      /** Until the window ends; undefined without a window. Never negative. */
      readonly retryAfterMs: number | undefined
    }

/**
 * Slots under keys. A slot is taken for a call id: taking it again for the same id takes no second one, so a
 * call that waited for a person can come back. What is refused consumes nothing.
 */
export interface LimitState {
  take(key: string, callId: string, limit: Limit): MaybePromise<Taken>
  /** The call never started: its slot is free again. */
  giveBack(key: string, callId: string): MaybePromise<void>
  /** The call started: its slot stays taken, its id is forgotten. */
  settle(key: string, callId: string): MaybePromise<void>
}

/** Options of {@link memoryState}. */
export interface MemoryStateOptions {
  /** Milliseconds since the epoch. Default: what `take` is told, else `Date.now`. */
  readonly clock?: (() => number) | undefined
  /** Keys that are kept; beyond, the one that was idle longest goes. Default 100 000. */
  readonly maxKeys?: number | undefined
}

/** Counters without a window, and calls that never came back, are forgotten after this much idle time. */
export const IDLE_MS: number = 24 * 60 * 60 * 1000

interface Entry {
  count: number
  startedAt: number
  usedAt: number
  windowMs: number | undefined
  /** Ids that hold a slot, with the start of the window it belongs to. Oldest first. */
  readonly holders: Map<string, number>
}

/** Limits in this process's memory. Needs no timers: time is read when a call comes, so a suspended machine harms nothing. */
export function memoryState(options: MemoryStateOptions = {}): LimitState {
  const { clock, maxKeys = 100_000 } = options
  /** Least recently used first. */
  const entries = new Map<string, Entry>()

  function isOver(entry: Entry, now: number): boolean {
    const idle = now - entry.usedAt >= IDLE_MS
    if (entry.windowMs === undefined || entry.holders.size > 0) return idle
    return idle || now - entry.startedAt >= entry.windowMs
  }

  function forget(now: number): void {
    for (const [key, entry] of entries) {
      if (entries.size <= maxKeys && !isOver(entry, now)) return
      entries.delete(key)
    }
  }

  function open(key: string, windowMs: number | undefined, now: number): Entry {
    const known = entries.get(key)
    const entry = known ?? { count: 0, startedAt: now, usedAt: now, windowMs, holders: new Map() }
    entry.windowMs = windowMs
    // A clock that was set back must not make a window longer.
    if (entry.startedAt > now) moveBack(entry, now)
    const idle = now - entry.usedAt >= IDLE_MS
    if (idle || (windowMs !== undefined && now - entry.startedAt >= windowMs)) {
      entry.count = 0
      entry.startedAt = now
    }
    for (const [id, since] of entry.holders) {
      if (now - since < IDLE_MS) break
      entry.holders.delete(id)
    }
    return entry
  }

  function moveBack(entry: Entry, now: number): void {
    for (const [id, since] of entry.holders) {
      if (since === entry.startedAt) entry.holders.set(id, now)
    }
    entry.startedAt = now
    entry.usedAt = now
  }

  function touch(key: string, entry: Entry, now: number): void {
    entry.usedAt = now
    entries.delete(key)
    entries.set(key, entry)
    forget(now)
  }

  return {
    take(key, callId, { limit, windowMs, now: told }) {
      const now = clock?.() ?? told ?? Date.now()
      const entry = open(key, windowMs, now)
      if (!entry.holders.has(callId)) {
        if (entry.count >= limit) {
          if (entries.has(key)) touch(key, entry, now)
          return { ok: false, retryAfterMs: windowMs && entry.startedAt + windowMs - now }
        }
        entry.count++
        entry.holders.set(callId, entry.startedAt)
      }
      touch(key, entry, now)
      return { ok: true }
    },
    giveBack(key, callId) {
      const entry = entries.get(key)
      const since = entry?.holders.get(callId)
      if (entry === undefined || since === undefined) return
      entry.holders.delete(callId)
      if (since === entry.startedAt && entry.count > 0) entry.count--
      if (entry.count === 0 && entry.holders.size === 0) entries.delete(key)
    },
    settle(key, callId) {
      entries.get(key)?.holders.delete(callId)
    },
  }
}
