/**
 * What a word means to a program.
 *
 * - `text`: no path (a pattern, a message, a number)
 * - `read`, `write`: a path, whatever it looks like
 * - `place`: a directory that the program takes other paths from
 * - `any`: a path where it could be one, also behind `=`, `:`, `,` or `@`; URLs are none
 * - `at`: text, with a path after `@` or `<`
 * - `glob`: a pattern that the program expands
 * - `git`: a revision, a path, or `rev:path`
 * - `lines`: git's `start,end:path`
 * - `script`: a program to run, so only for commands that the operator's list names
 * - `bin`: a program that must be installed beside the project
 * - a {@link Language}: text that `languages.ts` judges
 */
export type WordUse =
  | 'text'
  | 'read'
  | 'write'
  | 'place'
  | 'any'
  | 'at'
  | 'lines'
  | 'glob'
  | 'git'
  | 'script'
  | 'bin'
  | Language

/** A small language, or the like, that `languages.ts` judges. */
export type Language =
  | 'sed'
  | 'awk'
  | 'jq'
  | 'format'
  | 'date'
  | 'module'
  | 'target'
  | 'task'
  | 'archive'
  | 'reporter'
  | 'setting'
  | 'plugin'
  | 'columns'
  | 'linker'
  | 'download'
  | 'upload'
  | 'name'
  | 'label'
  | 'version'

/**
 * How one program reads its words. Flags are given as one string with blanks between: `'-o --output'`.
 * A beginning of a long flag counts as a refused one when it can mean it, and is refused otherwise; short
 * flags may stand in a cluster.
 */
export interface ProgramRule {
  /** The program never runs; the text says what to do instead. */
  readonly refused?: string | undefined
  /** Flags that run programs, write where no one looks, or follow links, with the reason. */
  readonly refuse?: Readonly<Record<string, string>> | undefined
  /** Flags without a value, or with one behind `=` only. */
  readonly flags?: string | undefined
  /** Flags with a value, by what the value is. */
  readonly values?: Partial<Readonly<Record<WordUse, string>>> | undefined
  /** Flags with two values, the second one a path: `jq --slurpfile name file`. */
  readonly pairs?: Partial<Readonly<Record<'text' | 'read', string>>> | undefined
  /** Flags whose optional value is a text glued to them: `-U3`, `--decorate=full`. */
  readonly glued?: string | undefined
  /** Any other flag is refused: needed where a flag's value could be mistaken for text. */
  readonly closed?: boolean | undefined
  /** Flags are long with one dash: `-name`, `-outdir`. */
  readonly singleDash?: boolean | undefined
  /** What the operands are, in order; the last one goes on. Default: `any`. */
  readonly operands?: readonly WordUse[] | undefined
  /** More operands than this are refused: the next one would be written to, or set something. */
  readonly maxOperands?: number | undefined
  /** Flags that are refused without another one: by itself the first follows links. */
  readonly onlyWith?: Readonly<Record<string, string>> | undefined
  /** Flags that stand for the first operand, as `-e` does for grep's pattern. */
  readonly instead?: string | undefined
  /** The first operand ends the flags: what follows belongs to it. */
  readonly stops?: boolean | undefined
  /** Flags count after operands on every system; with the C library of BSD they are operands there. */
  readonly permutes?: boolean | undefined
  /**
   * Operands meet: a directory stands for the file in it that is named as another operand. `last`: only the last one does,
   * and one that a flag names; `each`: any, and of two directories all files that both have.
   */
  readonly joins?: 'last' | 'each' | undefined
  /** `--` is a word like any other. */
  readonly noTerminator?: boolean | undefined
  /** Without an operand it would read a program from its input. Flags that make it harmless. */
  readonly needsOperand?: string | undefined
  /** One of these flags must be there: without it the program does something else. */
  readonly requires?: string | undefined
  /** With one operand and nothing behind it none of them is needed. */
  readonly alone?: boolean | undefined
  /** The first operand chooses a rule. Flags before it follow this rule, closed. */
  readonly subcommands?: Readonly<Record<string, ProgramRule>> | undefined
  /** The rule of an operand without a rule of its own. Default: it is refused. */
  readonly otherSubcommands?: ProgramRule | undefined
  /** Prints its arguments and no more: they are text, and `$(...)` and `$?` may stand in them. */
  readonly prints?: 'text' | 'format' | undefined
  /** The first word may leave its dash out, as in `tar xzf`. */
  readonly bundled?: boolean | undefined
  /** A word that begins with `@`, wherever it stands, names a file with more words: refused. */
  readonly responseFiles?: boolean | undefined
  /** Words that are refused wherever they stand, by a pattern of theirs, with the reason. */
  readonly refuseWords?: Readonly<Record<string, string>> | undefined
  /** Long flags may begin with any number of dashes, as in npm. */
  readonly anyDashes?: boolean | undefined
  /** Rules of the modules that a `module` value runs: the words after it are theirs. */
  readonly modules?: Readonly<Record<string, ProgramRule>> | undefined
  /** The subcommand is a program that must be in `node_modules/.bin` of the directory or of one above it. */
  readonly installed?: boolean | undefined
  /** Operands that are refused, by a pattern of theirs, with the reason. */
  readonly refuseOperands?: Readonly<Record<string, string>> | undefined
}
