import { redactText } from '../redact.ts'
import type { FailureCause, Logger } from '../types.ts'

const MAX_TEXT = 300
const HALF_PAIR = /[\uD800-\uDBFF]$/

/** An error in one line for the log: secrets masked, control characters out, at most 300 characters. */
export function faultText(error: unknown): string {
  let text: string
  try {
    text = error instanceof Error ? error.message : String(error)
  } catch {
    text = 'an error that cannot be read'
  }
  const line = redactText(text).replace(/\s+/g, ' ').trim()
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT).replace(HALF_PAIR, '')}...` : line
}

/** Tells the log that a handler failed, and what came of it. */
export function reportFault(
  log: Logger,
  fault: {
    readonly pluginId: string
    readonly what: string
    readonly cause: FailureCause
    readonly error: unknown
    /** What the pipeline does about it. */
    readonly effect: string
  },
): void {
  const { pluginId, what, cause, error } = fault
  log.warn(
    { pluginId, cause },
    `${what} of plugin ${pluginId} failed: ${faultText(error)}; ${fault.effect}`,
  )
}
