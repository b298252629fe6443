import type { Finding } from '../finding.ts'

/** How the words of a command that name files are judged. `PathPolicy` of `policy/paths.ts` fits in. */
export interface ShellPaths {
  /** Judges one path as spelled, relative to `cwd` (absolute, not normalised). */
  judgePath(path: string, cwd: string, access: 'read' | 'write'): Finding | undefined
  /** Judges a glob that the program itself expands, such as `rg -g '*.ts'`. */
  judgeGlob(pattern: string, cwd: string): Finding | undefined
  /** Where `git show HEAD:path` may start from, beside the working directory. Absolute. */
  readonly root?: string | undefined
}

/** What a command may do. With neither member any command passes. */
export interface ShellPolicy {
  /**
   * Whether the operator's list names this simple command, given as canonical text: words joined with
   * one blank, those with blanks or quotes in single quotes. Unset: any command (`['*']`).
   */
  readonly allows?: ((canonical: string) => boolean) | undefined
  /** Unset: paths are not judged. */
  readonly paths?: ShellPaths | undefined
}

/** Judges commands. Keeps parsed texts, never judgements about the disk. */
export interface ShellJudge {
  /** Judges a text that a shell will run. */
  command(text: string, cwd: string): Finding | undefined
  /** Judges a program and its arguments that run without a shell; `bash -lc CODE` is judged as the code. */
  argv(argv: readonly string[], cwd: string): Finding | undefined
}

// lib/policy/shell/judge.ts:  shellJudge(policy: ShellPolicy): ShellJudge
// lib/policy/shell/allow.ts:  allowedCommands(patterns: readonly string[] | undefined, key: string):
//                             ShellPolicy['allows']   (unset or with '*': undefined; []: names nothing)
