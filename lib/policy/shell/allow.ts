import { commandGlob } from '../glob.ts'
import type { ShellPolicy } from './types.ts'

/**
 * Compiles the operator's list of commands. A glob must match the canonical text of one simple command
 * whole; `*` is any text. A program given by its path (`./build.sh`) is only named by a glob whose own
 * program has a `/`.
 *
 * @param patterns Unset, or with `*` among them: any command. `[]`: none.
 * @param key Where the list stands in the configuration, for error texts.
 * @throws {ToolwareError} `CONFIG` when a glob is not acceptable.
 */
export function allowedCommands(
  patterns: readonly string[] | undefined,
  key: string,
): ShellPolicy['allows'] {
  if (patterns === undefined) return undefined
  const globs = patterns.map((pattern, i) => commandGlob(pattern, `${key}[${i}]`))
  if (patterns.includes('*')) return undefined
  const byPath = globs.filter(({ source }) => programOf(source).includes('/'))
  return (canonical) =>
    (programOf(canonical).includes('/') ? byPath : globs).some((glob) => glob.matches(canonical))
}

function programOf(text: string): string {
  const blank = text.indexOf(' ')
  return blank === -1 ? text : text.slice(0, blank)
}
