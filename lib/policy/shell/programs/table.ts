import { BUILD } from './build.ts'
import { CHECKERS } from './checks.ts'
import { FILES } from './files.ts'
import { GIT } from './git.ts'
import { PACKAGES } from './packages.ts'
import { REFUSED } from './refused.ts'
import type { ProgramRule } from './rule.ts'
import { SEARCH } from './search.ts'
import { TOOLS } from './tools.ts'

/** What is known about programs, by name. A program that is not here is judged word by word. */
export const PROGRAMS: Readonly<Record<string, ProgramRule>> = {
  ...REFUSED,
  ...FILES,
  ...SEARCH,
  ...BUILD,
  ...PACKAGES,
  ...CHECKERS,
  ...TOOLS,
  git: GIT,
}

/** The machine that a program is for, before its name or behind it. */
const MACHINE = /^[a-z]\w*-(?:\w+-)?(?:linux|apple|w64|unknown|none)-\w+-|-[a-z]\w*-linux-\w+$/

/**
 * Finds the rule of a program by its base name: first in `own`, then in the table. `python3.12`, `gcc-13` and
 * `x86_64-linux-gnu-gcc` count as `python` and `gcc`; a name that is only a rule's in another spelling is refused.
 */
export function ruleFor(
  name: string,
  own: Readonly<Record<string, ProgramRule>> = {},
): ProgramRule | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1)
  const at = (key: string): ProgramRule | undefined =>
    Object.hasOwn(own, key) ? own[key] : Object.hasOwn(PROGRAMS, key) ? PROGRAMS[key] : undefined
  const plain = base.replace(MACHINE, '')
  const exact = at(base) ?? at(plain) ?? at(plain.replace(/[-.\d]+$/, ''))
  if (exact !== undefined) return exact
  const folded = base
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\.(?:exe|com|bat|cmd)$/, '')
  return folded !== base && at(folded) !== undefined
    ? { refused: `write the program as "${folded}"` }
    : undefined
}
