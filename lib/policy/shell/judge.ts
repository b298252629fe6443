import { type Finding, finding } from '../finding.ts'
import { CommandRun, type Tools } from './command.ts'
import { type CompiledRule, compileRule } from './compile.ts'
import { Lru } from './lru.ts'
import { parseCommand } from './parse.ts'
import { patchArguments } from './patching.ts'
import { MAX_PIECES, TextBudget } from './precheck.ts'
import type { ProgramRule } from './programs/rule.ts'
import { ruleFor } from './programs/table.ts'
import { canonical } from './syntax.ts'
import type { ShellJudge, ShellPolicy, ShellStep, SimpleCommand } from './types.ts'
import { walkSteps } from './walk.ts'

/** Texts whose parse is kept. */
const MAX_PARSED = 256

/**
 * Makes the judge of commands for one policy. Every simple command of a text must be named by the
 * policy's list; syntax, wrappers, program rules, words that are paths, and redirects are judged as well.
 * It never throws and never starts anything; it looks at the disk through the path policy.
 *
 * @example const judge = shellJudge({ allows: allowedCommands(['git status', 'ls *'], 'globs') })
 */
export function shellJudge(policy: ShellPolicy): ShellJudge {
  const parsed = new Lru<ShellStep | Finding>(MAX_PARSED, parseCommand)
  const compiled = new Map<ProgramRule, CompiledRule>()
  const paths = policy.paths?.restricted ? policy.paths : undefined
  const tools: Tools = {
    allows: policy.allows,
    paths,
    rule: (name) => ruleFor(name, policy.programs),
    compile: (rule) => {
      const known = compiled.get(rule) ?? compileRule(rule)
      compiled.set(rule, known)
      return known
    },
  }
  const unrestricted = policy.allows === undefined && paths === undefined
  const start = (cwd: string | undefined): string => cwd ?? policy.paths?.cwd ?? process.cwd()
  /** Either all texts are one call, or each is a call by itself. */
  const judgeTexts = (isOneCall: boolean): ShellJudge => {
    const budget = isOneCall ? new TextBudget() : undefined
    let run: CommandRun | undefined
    const judge = (
      text: string,
      read: () => ShellStep | Finding,
      cwd: string | undefined,
    ): Finding | undefined => {
      const step = budget?.add(text) ?? read()
      if ('rule' in step) return quoting(step)
      try {
        const dir = start(cwd)
        if (!isOneCall || run === undefined) run = new CommandRun(tools)
        const found = walkSteps(step, run, { spelled: dir, real: dir })
        return found && quoting(found)
      } catch {
        return finding('shell: failed', 'the command could not be judged; write it more simply')
      }
    }
    const command = (text: string, cwd?: string): Finding | undefined =>
      unrestricted ? undefined : judge(text, () => parsed.get(text), cwd)
    return {
      command,
      argv: (argv, cwd) => {
        if (unrestricted) return undefined
        const code = codeOf(argv)
        const text = argv.slice(0, MAX_PIECES + 1).join(' ')
        return code === undefined ? judge(text, () => plainCommand(argv), cwd) : command(code, cwd)
      },
      begin: () => judgeTexts(true),
    }
  }
  return judgeTexts(false)
}

/** A text holds many words: the reason quotes the one that it is about. */
function quoting(found: Finding): Finding {
  const { rule, reason, value = '' } = found
  return value === '' || rule === 'shell: limits' || reason.includes(value)
    ? found
    : { ...found, reason: `${reason} ("${value}")` }
}

/** The text that a shell is asked to run by `bash -c text`. */
function codeOf(argv: readonly string[]): string | undefined {
  const [program = '', flag = '', code] = argv
  return argv.length === 3 &&
    /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh)$/.test(program) &&
    /^-l?c$/.test(flag)
    ? code
    : undefined
}

/** Most bytes of an argument list, as for a text. */
const MAX_ARGV = 16_384

function plainCommand(argv: readonly string[]): SimpleCommand | Finding {
  const [name] = argv
  if (name === undefined || name === '' || /[\s'"`$;&|<>()]/.test(name)) {
    return finding(
      'shell: syntax',
      'the first item must be the name of a program alone',
      name ?? '',
    )
  }
  if (argv.length > MAX_PIECES) {
    const reason = `more than ${MAX_PIECES} words in the argument list; split it up`
    return finding('shell: limits', reason, name)
  }
  const length = argv.reduce((sum, word) => sum + word.length + 1, 0)
  if (length > MAX_ARGV) return finding('shell: limits', 'the argument list is too long', name)
  const bad = argv.find((word) => word.includes('\0'))
  if (bad !== undefined) return finding('shell: characters', 'an argument holds a NUL', bad)
  const words = argv.map((text) => ({ text }))
  return {
    kind: 'command',
    words,
    redirects: [],
    inner: [],
    canonical: words.map(canonical).join(' '),
    patches: patchArguments(words),
  }
}
