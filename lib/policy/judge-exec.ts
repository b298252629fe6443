import { commandNames, isCwdName, isEnvName } from './argument-names.ts'
import type { BadArgument } from './arguments.ts'
import type { ToolFacts } from './catalogue.ts'
import { type ExecRules, isTextList, own, type Params, refuse } from './exec-arguments.ts'
import { foldKey } from './fold.ts'
import { judgeEnv } from './judge-env.ts'
import { judgeGit, REPOSITORY } from './judge-git.ts'
import { type CommandHolders, commandHolders, mayBeCommand, NO_HOLDERS } from './nested-commands.ts'
import type { PathPolicy } from './paths.ts'
import { TextBudget } from './shell/precheck.ts'
import type { ShellJudge } from './shell/types.ts'

const POSIX_SHELL = /^(?:.*\/)?(?:sh|bash|zsh|dash|ksh)$/
const MAX_COMMANDS = 8

/** True when a call could run something: it carries a command or code, or what might be one. */
export function mayRun(params: Params, facts: ToolFacts | undefined): boolean {
  return (
    facts?.form !== undefined ||
    carriesCommand(params, facts) ||
    carriesText(params, facts) ||
    commandHolders(params).areSome
  )
}

function carriesCommand(params: Params, facts: ToolFacts | undefined): boolean {
  return (facts?.commands ?? commandNames(params, true)).some(
    (name) => own(params, name) !== undefined,
  )
}

/** Judges what an exec tool is asked to run, and the environment it is asked to run it in. */
export function judgeExec(
  params: Params,
  facts: ToolFacts | undefined,
  standing: ExecRules,
): BadArgument | undefined {
  const rules = { ...standing, shell: standing.shell.begin(), paths: standing.paths.begin() }
  const bad = judgeEnv(params) ?? judgeShellName(params, facts, rules)
  if (bad) return bad
  if (facts?.form === 'opaque') {
    return refuse('command', 'what it would run cannot be judged; use a shell command', rules.rule)
  }
  const deep = facts?.commands ? NO_HOLDERS : commandHolders(params)
  if (!carriesCommand(params, facts) && facts?.form !== 'git' && !deep.areSome) {
    return judgeNothing(params, facts)
  }
  const place = facts?.subcommand === undefined ? undefined : REPOSITORY
  const dir = workingDirectory(params, rules.paths, rules.paths.cwd, place)
  if (typeof dir !== 'string') return dir
  if (facts?.form === 'git') return judgeGit(params, facts.subcommand, dir, rules)
  if (facts?.form === 'code') {
    const language = ['language', 'lang', 'runtime'].map((name) => own(params, name)).find(Boolean)
    if (typeof language !== 'string' || !/^(?:bash|sh|shell)$/.test(language)) {
      const at = facts.commands?.[0] ?? 'code'
      const reason =
        'code cannot be judged, only bash and sh can; use file tools or a shell command'
      return refuse(at, reason, rules.rule)
    }
  }
  return judgeCommands(params, facts, dir, rules) ?? judgeDeep(deep, dir, rules)
}

/** Commands deep in the arguments of an undeclared tool; each may say where it runs. */
function judgeDeep(
  { found, tooMany }: CommandHolders,
  dir: string,
  rules: ExecRules,
): BadArgument | undefined {
  if (tooMany !== undefined) return refuse('arguments', `more than ${tooMany}; split the call`)
  for (const { at, params, names } of found) {
    const own = judgeEnv(params) ?? judgeShellName(params, undefined, rules)
    const place = own ?? workingDirectory(params, rules.paths, dir)
    const bad =
      typeof place === 'string'
        ? names.map((name) => judgeCommand(name, params, place, rules)).find(Boolean)
        : place
    if (bad) return { ...bad, at: `${at}.${bad.at}` }
  }
  return undefined
}

function judgeCommands(
  params: Params,
  facts: ToolFacts | undefined,
  dir: string,
  rules: ExecRules,
): BadArgument | undefined {
  for (const name of facts?.commands ?? commandNames(params, true)) {
    if (own(params, name) === undefined) continue
    const bad = judgeCommand(name, params, dir, rules)
    if (bad) return bad
  }
  return undefined
}

/** A call without a command is fine where the tool has other things to do, and nothing in it could be one. */
function judgeNothing(params: Params, facts: ToolFacts | undefined): BadArgument | undefined {
  const isIdle =
    facts?.actions !== undefined || (facts?.idle !== undefined && own(params, facts.idle) === true)
  if (isIdle && !carriesText(params, facts)) return undefined
  const name = facts?.commands?.[0] ?? 'command'
  return refuse(name, `no command was found; give it as ${name}`)
}

/** True when a call holds a text or a list that might be a command under another name. */
function carriesText(params: Params, facts: ToolFacts | undefined): boolean {
  return Object.entries(params).some(([name, value]) => {
    const isKnown = facts?.actions?.some(({ key }) => key === name) || isCwdName(name, true)
    return !isKnown && !isEnvName(name) && mayBeCommand(value)
  })
}

function judgeCommand(
  name: string,
  params: Params,
  dir: string,
  rules: ExecRules,
): BadArgument | undefined {
  const value = own(params, name)
  const rest = own(params, 'args') ?? own(params, 'arguments') ?? own(params, 'argv')
  const judged = (found: ReturnType<ShellJudge['command']>, at = name): BadArgument | undefined =>
    found && { at, found }
  if (typeof value === 'string') {
    if (rest === undefined) return judged(rules.shell.command(value, dir))
    if (typeof rest === 'string') return judged(rules.shell.command(`${value} ${rest}`, dir))
    if (isTextList(rest)) return judged(rules.shell.argv([value, ...rest], dir))
    return refuse('args', 'expected text or a list of texts; give the whole command as text')
  }
  if (!isTextList(value) || value.length === 0) {
    return refuse(name, 'expected a command as text, or a program and its arguments as a list')
  }
  if (foldKey(name) !== 'commands') {
    return judged(rules.shell.argv(isTextList(rest) ? [...value, ...rest] : value, dir))
  }
  if (value.length > MAX_COMMANDS)
    return refuse(name, `more than ${MAX_COMMANDS} commands; split them`)
  // All are weighed before the first is judged.
  const budget = new TextBudget()
  for (const [i, text] of value.entries()) {
    const found = budget.add(text)
    if (found) return { at: `${name}[${i}]`, found }
  }
  for (const [i, text] of value.entries()) {
    const bad = judged(rules.shell.command(text, dir), `${name}[${i}]`)
    if (bad) return bad
  }
  return undefined
}

/** Where commands run. Tools differ in which name they read, so several names must mean one place. */
function workingDirectory(
  params: Params,
  paths: PathPolicy,
  standing: string,
  placeName?: string,
): string | BadArgument {
  let dir: string | undefined
  for (const [name, value] of Object.entries(params)) {
    if ((!isCwdName(name, true) && name !== placeName) || value === null) continue
    if (typeof value !== 'string') return refuse(name, 'expected a directory as text')
    const entered = paths.enter(value, standing)
    if ('found' in entered) return { at: name, found: entered.found }
    if (dir !== undefined && dir !== entered.dir) {
      return refuse(name, 'the call names two working directories; name one')
    }
    dir = entered.dir
  }
  return dir ?? standing
}

/** Only the languages of POSIX shells are understood. */
function judgeShellName(
  params: Params,
  facts: ToolFacts | undefined,
  rules: ExecRules,
): BadArgument | undefined {
  const named = own(params, 'shell')
  const isForeign = typeof named === 'string' && !POSIX_SHELL.test(named)
  if (!isForeign && facts?.form !== 'foreign') return undefined
  return refuse('shell', 'only commands of sh and bash can be judged; use one of them', rules.rule)
}
