import { foldName } from './fold.ts'
import { nameGlob } from './glob.ts'

/** A list of globs over tool names. `find` gives the pattern that matched, as it was written. */
export interface ToolNames {
  /** Names compared exactly: to grant. */
  exact(toolName: string): string | undefined
  /** Names compared without case and blanks: to forbid and to limit. */
  folded(toolName: string): string | undefined
}

/** Compiles globs over tool names. Throws `CONFIG` for a pattern that can match none. */
export function toolNames(patterns: readonly string[], path: string): ToolNames {
  const compiled = patterns.map((pattern, i) => {
    const exact = nameGlob(pattern, `${path}[${i}]`)
    return { pattern, exact, folded: nameGlob(foldName(pattern), `${path}[${i}]`) }
  })
  return {
    exact: (name) => compiled.find(({ exact }) => exact.matches(name))?.pattern,
    folded(name) {
      const text = foldName(name)
      return compiled.find(({ folded }) => folded.matches(text))?.pattern
    },
  }
}
