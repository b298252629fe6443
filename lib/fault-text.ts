import { redactText } from './redact.ts'

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
