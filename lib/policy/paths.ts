import type { Finding } from './finding.ts'

/** What a path is used for: a read may not be forbidden or outside; a write also no device. */
export type PathUse = 'read' | 'write'

/**
 * Judges paths: where they lead, whether that is allowed, and whether it is forbidden. Synchronous; looks at
 * the disk when the platform judged is this machine's.
 *
 * `cwd` is always an absolute directory that `enter` gave, or left out for `policy.cwd`.
 */
export interface PathPolicy {
  /** True when any path could be refused for where it leads. */
  readonly restricted: boolean
  /** Where relative paths start: `workspaceRoot`, else the working directory. */
  readonly cwd: string
  /** A path argument of a tool: `file:` URLs are understood, other schemes refused. */
  judge(spelled: string, use: PathUse, cwd?: string): Finding | undefined
  /** An operand or redirect target of a command, quotes removed: as `judge`, but `a:b` is a plain name. */
  judgeWord(word: string, use: PathUse, cwd?: string): Finding | undefined
  /**
   * A word with unquoted `*`, `?` or `[`, expanded on disk as bash does (no dotglob, no globstar), at most
   * 1000 entries looked at. Quoted characters are escaped with a backslash. Every match is judged; without a
   * match, the pattern itself as a name.
   */
  judgeShellGlob(pattern: string, use: PathUse, cwd?: string): Finding | undefined
  /** True when the word names an entry in `cwd`, dangling links included. */
  exists(word: string, cwd?: string): boolean
  /** Where `cd` to this directory leads. Refused like a read, and when it is no directory. */
  enter(spelled: string, cwd?: string): { readonly dir: string } | { readonly found: Finding }
}
