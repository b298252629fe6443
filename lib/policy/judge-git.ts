import { isCwdName, isEnvName } from './argument-names.ts'
import type { BadArgument } from './arguments.ts'
import { type ExecRules, isTextList, own, type Params, refuse } from './exec-arguments.ts'
import type { Finding } from './finding.ts'
import { foldKey } from './fold.ts'
import type { PathPolicy } from './paths.ts'
import { gitPaths } from './shell/words.ts'

/** Where a tool that runs one subcommand runs it. */
export const REPOSITORY = 'repo_path'
const MAX_SUBCOMMAND = 1024
const MAX_OPERANDS = 64
/** Where the words after a git subcommand may be. */
const GIT_ARGUMENTS = ['args', 'arguments', 'argv', 'options', 'flags', 'params']
/** Arguments that name neither a revision nor a path. */
const TEXTS =
  /(?:message|msg|body|title|subject|description|comment|note|notes|reason|author|committer|email|username|date|since|until|before|after|grep|search|query|format|pretty|content|text|trailer)$/

/**
 * Judges a call of a git tool: subcommand and arguments as one command, and what other texts name, such as a
 * `revision`, as an operand.
 *
 * @param known What a tool runs that runs one subcommand only.
 */
export function judgeGit(
  params: Params,
  known: string | undefined,
  dir: string,
  rules: ExecRules,
): BadArgument | undefined {
  if (known !== undefined) {
    const words = ['git', ...known.split(' ')]
    const found = rules.shell.argv(words, dir)
    return found
      ? { at: 'arguments', found }
      : judgeOperands(params, [REPOSITORY], words, dir, rules)
  }
  const name = ['subcommand', 'command', 'action'].find((key) => own(params, key) !== undefined)
  const subcommand = name === undefined ? undefined : own(params, name)
  const given = GIT_ARGUMENTS.filter((key) => own(params, key) !== undefined)
  const args = given.map((key) => own(params, key))
  if (subcommand === undefined && args.every((each) => Array.isArray(each) && each.length === 0)) {
    const found = rules.shell.argv(['git'], dir)
    return found && { at: 'subcommand', found }
  }
  if (typeof subcommand === 'string' && subcommand.length > MAX_SUBCOMMAND) {
    return refuse(name ?? 'subcommand', 'the subcommand is too long; give arguments as args')
  }
  if (name === undefined || typeof subcommand !== 'string') {
    return refuse('subcommand', 'no git subcommand was found; give it as subcommand')
  }
  const bare = args.length === 0 ? [''] : args
  for (const [i, each] of bare.entries()) {
    const at = given[i] ?? name
    if (typeof each !== 'string' && !isTextList(each)) {
      return refuse(at, 'expected text or a list of texts')
    }
    const found =
      typeof each === 'string'
        ? rules.shell.command(`git ${subcommand} ${each}`.trimEnd(), dir)
        : rules.shell.argv(['git', ...subcommand.trim().split(/\s+/), ...each], dir)
    if (found) return { at, found }
  }
  const words = ['git', ...subcommand.trim().split(/\s+/)]
  return judgeOperands(params, [name, ...given], words, dir, rules)
}

/** A tool gives them to git in some order of its own. */
function judgeOperands(
  params: Params,
  judged: readonly string[],
  words: readonly string[],
  dir: string,
  rules: ExecRules,
): BadArgument | undefined {
  let left = MAX_OPERANDS
  for (const [at, value] of Object.entries(params)) {
    if (judged.includes(at) || TEXTS.test(foldKey(at)) || isCwdName(at, true) || isEnvName(at)) {
      continue
    }
    for (const text of isTextList(value) ? value : [value]) {
      if (typeof text !== 'string' || text === '') continue
      if (--left < 0) return refuse(at, `more than ${MAX_OPERANDS} texts in one call; split it`)
      const found = text.startsWith('-')
        ? rules.shell.argv([...words, text], dir)
        : judgeOperand(text, dir, rules.paths)
      if (found) return { at, found }
    }
  }
  return undefined
}

function judgeOperand(text: string, dir: string, paths: PathPolicy): Finding | undefined {
  if (!paths.restricted) return undefined
  for (const { text: path, fromTop } of gitPaths(text)) {
    const found =
      paths.judgeWord(path, 'write', dir) ??
      (fromTop ? paths.judgeWord(path, 'write', paths.cwd) : undefined)
    if (found) return found
  }
  return undefined
}
