/** Misuse, a bad configuration or bad input: one line for the person, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The message of whatever was thrown, on one line. */
export function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/\s*\n\s*/g, ' ')
}
