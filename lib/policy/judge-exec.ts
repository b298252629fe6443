import { commandNames, isCwdName, isEnvName } from './argument-names.ts'
import type { BadArgument } from './arguments.ts'
import type { ToolFacts } from './catalogue.ts'
import { filterExecEnv } from './env.ts'
import { type ExecRules, isTextList, own, type Params, refuse } from './exec-arguments.ts'
import { finding } from './finding.ts'
import { foldKey } from './fold.ts'
import { judgeGit } from './judge-git.ts'
import type { PathPolicy } from './paths.ts'
import { TextBudget } from './shell/precheck.ts'
import type { ShellJudge } from './shell/types.ts'

const POSIX_SHELL = /^(?:.*\/)?(?:sh|bash|zsh|dash|ksh)$/
const MAX_COMMANDS = 8
const MAX_VARIABLES = 256

/** True when a call carries a command or code. */
export function carriesCommand(params: Params, facts: ToolFacts | undefined): boolean {
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
  const rules = { ...standing, shell: standing.shell.begin() }
  const bad = judgeEnv(params) ?? judgeShellName(params, facts, rules)
  if (bad) return bad
  if (facts?.form === 'opaque') {
    return refuse('command', 'what it would run cannot be judged; use a shell command', rules.rule)
  }
  if (!carriesCommand(params, facts) && facts?.form !== 'git') return judgeNothing(params, facts)
  const dir = workingDirectory(params, rules.paths)
  if (typeof dir !== 'string') return dir
  if (facts?.form === 'git') return judgeGit(params, dir, rules)
  if (facts?.form === 'code') {
    const language = ['language', 'lang', 'runtime'].map((name) => own(params, name)).find(Boolean)
    if (typeof language !== 'string' || !/^(?:bash|sh|shell)$/.test(language)) {
      const at = facts.commands?.[0] ?? 'code'
      const reason =
        'code cannot be judged, only bash and sh can; use file tools or a shell command'
      return refuse(at, reason, rules.rule)
    }
  }
  return judgeCommands(params, facts, dir, rules)
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
    return (
      !isKnown &&
      !isEnvName(name) &&
      (typeof value === 'string' || (typeof value === 'object' && value !== null))
    )
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

function workingDirectory(params: Params, paths: PathPolicy): string | BadArgument {
  for (const [name, value] of Object.entries(params)) {
    if (!isCwdName(name, true) || value === null) continue
    if (typeof value !== 'string') return refuse(name, 'expected a directory as text')
    const entered = paths.enter(value)
    return 'dir' in entered ? entered.dir : { at: name, found: entered.found }
  }
  return paths.cwd
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

function judgeEnv(params: Params): BadArgument | undefined {
  for (const [name, value] of Object.entries(params)) {
    if (!isEnvName(name) || value === null) continue
    if (typeof value === 'object' && sizeOf(value) > MAX_VARIABLES) {
      return refuse(name, `more than ${MAX_VARIABLES} variables; leave out what is not needed`)
    }
    const variables = asVariables(value)
    if (variables === undefined) {
      return refuse(name, 'expected variables as an object of texts; leave them out')
    }
    const [dropped] = filterExecEnv(variables, { source: 'request' }).dropped
    if (dropped) {
      const reason = `${dropped.reason}; leave the variable out`
      return { at: name, found: finding('env', reason, dropped.name) }
    }
  }
  return undefined
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** Variables as an object, as `NAME=value` texts, or as `{ name, value }` objects. */
function asVariables(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  const entries: Array<[string, unknown]> = []
  for (const item of value as readonly unknown[]) {
    if (typeof item === 'string' && item.includes('=')) {
      const cut = item.indexOf('=')
      entries.push([item.slice(0, cut), item.slice(cut + 1)])
    } else if (typeof item === 'object' && item !== null && 'name' in item && 'value' in item) {
      entries.push([String(item.name), item.value])
    } else return undefined
  }
  return Object.fromEntries(entries)
}
