import type { ProgramRule } from './rule.ts'

// Why a flag or a subcommand is refused.
export const RUNS = 'it runs another program'
export const EXEC = 'it runs any program; run it directly'
export const CODE = 'it runs code from its arguments; put the code in a file that the list names'
export const LOADS = 'it loads other code first'
export const UNSEEN = 'it takes names from a file or its input, where they cannot be judged'
export const FOLLOWS = 'it follows links out of the directory; leave it out'
export const PLACE = 'it works in another place; use cd'

/** A program or subcommand that is refused, and why. */
export function refused(reason: string): ProgramRule {
  return { refused: reason }
}

/** A program with subcommands of which some are refused; flags before the subcommand are refused too. */
export function except(list: string, flags = '--version -v -V --help -h'): ProgramRule {
  return {
    flags,
    otherSubcommands: {},
    subcommands: all(list, refused(EXEC)),
  }
}

/** The same rule for several names. */
export function all(list: string, rule: ProgramRule): Readonly<Record<string, ProgramRule>> {
  return Object.fromEntries(list.split(' ').map((name) => [name, rule]))
}
