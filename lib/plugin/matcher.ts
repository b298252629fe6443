import { shorten } from '../policy/finding.ts'

const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/

/** Tool names are compared without regard to case. */
export const foldToolName = (name: string): string => name.trim().toLowerCase()

/**
 * A set of exact tool names out of a plugin's `matcher`; undefined means every tool.
 *
 * @throws {TypeError} when it is no non-empty list of names that a tool can have. A matcher that cannot match
 * would be a guard that never fires.
 */
export function parseMatcher(matcher: unknown): ReadonlySet<string> | undefined {
  if (matcher === undefined) return undefined
  if (!Array.isArray(matcher)) {
    throw new TypeError(
      `matcher must be a list of tool names, such as ['exec'], not ${shown(matcher)}`,
    )
  }
  if (matcher.length === 0) {
    throw new TypeError('matcher must name at least one tool; leave it out to match every tool')
  }
  const names = new Set<string>()
  for (let index = 0; index < matcher.length; index++) {
    const entry: unknown = matcher[index]
    if (typeof entry !== 'string' || entry.trim() === '') {
      throw new TypeError(`matcher[${index}] must be the name of a tool, not ${shown(entry)}`)
    }
    if (/[*?]/.test(entry)) {
      throw new TypeError(
        `matcher[${index}]: ${shown(entry)} has a wildcard; name the tools, or leave matcher out to match every tool`,
      )
    }
    if (!TOOL_NAME.test(entry.trim())) {
      throw new TypeError(
        `matcher[${index}]: ${shown(entry)} can never match: a tool's name has letters, digits and _ . : / - only`,
      )
    }
    names.add(foldToolName(entry))
  }
  return names
}

function shown(value: unknown): string {
  return shorten(typeof value === 'string' ? `'${value}'` : String(value))
}
