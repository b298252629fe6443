/** What a plugin's bridge has counted since it was made; restarts do not reset it. */
export interface Counters {
  restarts: number
  /** Requests without an answer in time. */
  timeouts: number
  /** Answers outside the protocol. */
  badAnswers: number
  /** Answers that came after their request was given up, and second answers. */
  late: number
  /** Lines on stdout that were no message. */
  noise: number
  /** Notifications given up because the plugin was down or did not read. */
  dropped: number
  bytesIn: number
  /** In UTF-16 units of the text, as written. */
  bytesOut: number
}

/** Counters at zero. */
export function newCounters(): Counters {
  return {
    restarts: 0,
    timeouts: 0,
    badAnswers: 0,
    late: 0,
    noise: 0,
    dropped: 0,
    bytesIn: 0,
    bytesOut: 0,
  }
}
