import type { Finding } from '../finding.ts'
import type { PathPolicy } from '../paths.ts'
import type { ProgramRule } from './programs/rule.ts'

/** What a command may do. With nothing set any command passes, unparsed. */
export interface ShellPolicy {
  /**
   * Whether the operator's list names this simple command, given as canonical text: words joined with
   * one blank, those with blanks, quotes or backslashes in single quotes. Unset: any command (`['*']`).
   * `allowedCommands` makes it from globs.
   */
  readonly allows?: ((canonical: string) => boolean) | undefined
  /** Unset, or not `restricted`: paths are not judged. */
  readonly paths?: PathPolicy | undefined
  /** Rules that stand before the built-in table, by program name. */
  readonly programs?: Readonly<Record<string, ProgramRule>> | undefined
}

/** Judges commands. Keeps parsed texts, never judgements about the disk. */
export interface ShellJudge {
  /** Judges a text that a shell will run in `cwd` (absolute; unset: the path policy's, else the process's). */
  command(text: string, cwd?: string): Finding | undefined
  /** Judges a program and arguments that run without a shell. `['bash', '-lc', code]` is judged as the code. */
  argv(argv: readonly string[], cwd?: string): Finding | undefined
  /** The same judge for all texts of one call: together they may cost what one text may. */
  begin(): ShellJudge
}

/** A word after quote removal. */
export interface ShellWord {
  readonly text: string
  /** The word as a pattern, quoted characters escaped with a backslash; set when it has unquoted `*`, `?` or `[`. */
  readonly glob?: string | undefined
  /** It begins with a quoted `~`, which stands for itself in a shell, though perhaps not in a program. */
  readonly literalTilde?: boolean | undefined
  /** What `$(...)` or `$?` puts in is only known at run time. */
  readonly dynamic?: boolean | undefined
  /** A substitution stands outside double quotes, so its result is split and expanded. */
  readonly splits?: boolean | undefined
  /** Part of it is a text that `cat` prints from a here-document. */
  readonly composed?: boolean | undefined
  /** It holds a `$'...'`, which another shell than bash takes for a `$` and a text. */
  readonly ansiC?: boolean | undefined
}

/** What a here-document, a here-string or an argument hands to a program. */
export type HandedText = Pick<ShellWord, 'text' | 'dynamic'>

/** A redirect that opens a file; duplicated descriptors, here-documents and here-strings are none. */
export interface ShellRedirect {
  readonly target: ShellWord
  readonly use: 'read' | 'write'
}

export interface SimpleCommand {
  readonly kind: 'command'
  /** Empty for redirects alone. */
  readonly words: readonly ShellWord[]
  readonly redirects: readonly ShellRedirect[]
  /** The commands of `$(...)` in words, redirects and here-documents. */
  readonly inner: readonly ShellStep[]
  readonly canonical: string
  /** For a program that applies patches: what the whole text hands over, since it may come through a pipe. */
  readonly patches?: readonly HandedText[] | undefined
  /** It has redirects: where one fails, the shell goes on without it. */
  readonly mayNotRun?: boolean | undefined
}

/** What is left of a script: enough to say which commands run where. */
export type ShellStep =
  | SimpleCommand
  | { readonly kind: 'sequence'; readonly steps: readonly ShellStep[] }
  | {
      readonly kind: 'and-or'
      readonly steps: readonly ShellStep[]
      /** One less than steps. */
      readonly operators: readonly ('&&' | '||')[]
    }
  | { readonly kind: 'negated'; readonly step: ShellStep }
  /** Apart: a pipeline of several, a subshell, a background command; a `cd` inside ends with it. Group: `{ ...; }`. */
  | {
      readonly kind: 'apart' | 'group'
      readonly steps: readonly ShellStep[]
      readonly redirects: readonly ShellRedirect[]
      readonly inner: readonly ShellStep[]
      /** As that of a command. */
      readonly mayNotRun?: boolean | undefined
    }
