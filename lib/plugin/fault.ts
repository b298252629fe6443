import { faultText } from '../fault-text.ts'
import type { FailureCause, Logger } from '../types.ts'

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
