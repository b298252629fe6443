/** The time by the calls' own timestamps: a call without one takes the previous one's, else now. */
export interface RecordedClock {
  readonly now: () => number
  /** A call begins. */
  set(timestamp: number | undefined): void
}

export function recordedClock(): RecordedClock {
  let at: number | undefined
  return {
    now: () => at ?? Date.now(),
    set(timestamp) {
      at = timestamp ?? at
    },
  }
}
