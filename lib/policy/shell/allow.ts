import { commandGlob, type TextGlob } from '../glob.ts'
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
  // Most globs begin with a program's name, and can only match its commands.
  const open: TextGlob[] = []
  const byProgram = new Map<string, TextGlob[]>()
  for (const glob of globs) {
    const program = programOf(glob.source)
    if (!LITERAL.test(program)) open.push(glob)
    else byProgram.set(program, [...(byProgram.get(program) ?? []), glob])
  }
  const openByPath = open.filter(({ source }) => programOf(source).includes('/'))
  return (canonical) => {
    const program = programOf(canonical)
    const matches = (glob: TextGlob): boolean => glob.matches(canonical)
    return (
      (byProgram.get(program)?.some(matches) ?? false) ||
      (program.includes('/') ? openByPath : open).some(matches)
    )
  }
}

/** Nothing that means something in a glob. */
const LITERAL = /^[\w./:%=,-]+$/

function programOf(text: string): string {
  const blank = text.indexOf(' ')
  return blank === -1 ? text : text.slice(0, blank)
}
