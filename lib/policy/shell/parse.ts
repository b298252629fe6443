import { type Finding, finding } from '../finding.ts'
import { constantText } from './constant.ts'
import { Dialect } from './dialect.ts'
import {
  type BraceGroup,
  type Command,
  type CommandExpansionPart,
  type DoubleQuotedChild,
  type HereDoc,
  type ParsedScript,
  parse,
  type Redirection,
  type Statement,
  type Subshell,
  type SyntaxNode,
  type Word,
  type WordPart,
} from './parser.ts'
import { appliesPatches, handedBy, patchArguments, printed } from './patching.ts'
import { precheck } from './precheck.ts'
import { canonical, joined, notAllowed, plainAnsiC, Refused, SYNTAX } from './syntax.ts'
import type { HandedText, ShellRedirect, ShellStep, ShellWord } from './types.ts'
import { Witness } from './witness.ts'

/** Most simple commands in one text, substitutions included. */
const MAX_COMMANDS = 256

/** Most wildcards in one word. */
const MAX_GLOB_PARTS = 32

interface Walk {
  commands: number
  /** What is read otherwise by another shell. */
  readonly dialect: Dialect
  /** The text that positions count in. */
  readonly source: string
  readonly witness: Witness
  /** What here-documents and here-strings hold, and what is handed to a program that takes a patch as its argument. */
  readonly handed: HandedText[]
}

/**
 * Parses a command text to the commands it runs. What is not on the list of understood syntax is refused,
 * as is what the parser itself cannot make sense of.
 */
export function parseCommand(text: string): ShellStep | Finding {
  const early = precheck(text)
  if (early !== undefined) return early
  try {
    const dialect = new Dialect()
    const walk: Walk = {
      commands: 0,
      dialect,
      source: text,
      witness: new Witness(text),
      handed: [],
    }
    const step = script(parse(text), walk)
    dialect.end()
    return step
  } catch (error) {
    if (error instanceof Refused) return finding(error.rule, error.reason, error.value)
    return finding('shell: syntax', 'the command cannot be parsed; write it more simply', text)
  }
}

function script(node: ParsedScript, walk: Walk): ShellStep {
  const error = node.errors?.[0]
  if (error !== undefined) {
    throw new Refused(
      `the command is not valid shell (${error.message}); correct it`,
      error.message,
    )
  }
  if (node.commands.length === 0) throw new Refused('the command is empty; give a command', '')
  const step = sequence(node.commands, walk)
  walk.witness.script(node)
  return step
}

function sequence(statements: readonly Statement[], walk: Walk): ShellStep {
  const steps = statements.map((statement): ShellStep => {
    const step = node(statement.command, walk)
    return statement.background ? { kind: 'apart', steps: [step], redirects: [], inner: [] } : step
  })
  const [only] = steps
  return steps.length === 1 && only ? only : { kind: 'sequence', steps }
}

function node(of: SyntaxNode, walk: Walk): ShellStep {
  switch (of.type) {
    case 'Command':
      return command(of, walk)
    case 'AndOr':
      return {
        kind: 'and-or',
        steps: of.commands.map((each) => node(each, walk)),
        operators: of.operators,
      }
    case 'Pipeline': {
      walk.witness.pipeline(of)
      const steps = of.commands.map((each) => node(each, walk))
      if (steps.length === 0) throw new Refused('the pipeline is empty; give a command', '')
      const [only] = steps
      const body: ShellStep =
        steps.length === 1 && only ? only : { kind: 'apart', steps, redirects: [], inner: [] }
      if (of.prefixes.some((prefix) => prefix.type === 'Time')) walk.dialect.timed(steps)
      const negations = of.prefixes.filter((prefix) => prefix.type === 'Negation').length
      return negations % 2 === 1 ? { kind: 'negated', step: body } : body
    }
    case 'Subshell':
    case 'BraceGroup':
      return group(of, [], walk)
    case 'Redirected':
      if (of.command.type === 'Subshell' || of.command.type === 'BraceGroup') {
        return group(of.command, of.redirects, walk)
      }
      return node(of.command, walk)
    default:
      throw new Refused(
        `${SYNTAX[of.type] ?? 'this syntax'} is not allowed; run plain commands instead`,
        walk.source.slice(of.pos, of.end),
      )
  }
}

function group(
  of: Subshell | BraceGroup,
  redirections: readonly Redirection[],
  walk: Walk,
): ShellStep {
  walk.witness.group(of)
  const inner: ShellStep[] = []
  return {
    kind: of.type === 'Subshell' ? 'apart' : 'group',
    steps: [sequence(of.body.commands, walk)],
    redirects: redirects(redirections, inner, walk),
    inner,
    ...(redirections.length > 0 && { mayNotRun: true }),
  }
}

function command(of: Command, walk: Walk): ShellStep {
  walk.commands++
  if (walk.commands > MAX_COMMANDS) {
    throw new Refused(
      `more than ${MAX_COMMANDS} commands in one text; split it up`,
      String(MAX_COMMANDS),
      'shell: limits',
    )
  }
  const assigned = [...of.prefix, ...of.suffix].find((each) => each.type === 'Assignment')
  if (assigned !== undefined) {
    throw new Refused('an assignment is not allowed; run the command without it', assigned.text)
  }
  walk.witness.command(of)
  const inner: ShellStep[] = []
  const spelled = of.suffix.filter((each): each is Word => each.type === 'Word')
  const words = (of.name ? [of.name, ...spelled] : spelled).map((each) => word(each, inner, walk))
  const [name] = words
  if (name && (!isSpelledOut(name) || name.text === '')) {
    throw new Refused(
      'the name of the program must be written out; give it as a plain word',
      of.name?.text ?? '',
    )
  }
  walk.dialect.command(of, walk.source.slice(of.pos, of.end))
  const patches = appliesPatches(words) ? walk.handed : undefined
  walk.handed.push(...patchArguments(words), ...printed(words))
  return {
    kind: 'command',
    words,
    redirects: redirects(of.redirects, inner, walk),
    inner,
    canonical: words.map(canonical).join(' '),
    ...(patches && { patches }),
    ...(of.redirects.length > 0 && { mayNotRun: true }),
  }
}

/** True for a word that is what it will be, in every shell. */
function isSpelledOut({ dynamic, glob, ansiC, composed }: ShellWord): boolean {
  return !dynamic && glob === undefined && !ansiC && !composed
}

function redirects(nodes: readonly Redirection[], inner: ShellStep[], walk: Walk): ShellRedirect[] {
  return nodes.flatMap((each): ShellRedirect[] => {
    if (each.descriptor?.type === 'FileDescriptorVariable') {
      throw new Refused('{name}> assigns a variable; use a number', `{${each.descriptor.name}}`)
    }
    walk.witness.redirect(each)
    walk.dialect.redirect(each)
    if (each.type === 'HereDoc') {
      hereDoc(each, inner, walk)
      return []
    }
    if (each.target === undefined)
      throw new Refused('a redirect has no target; name a file', each.operator)
    const target = word(each.target, inner, walk)
    if (each.type === 'HereString') {
      walk.handed.push(target)
      return []
    }
    if (!isSpelledOut(target) || target.literalTilde || target.text === '') {
      throw new Refused(
        'the target of a redirect must be written out; name a file',
        each.target.text,
      )
    }
    const duplicates = each.operator === '>&' || each.operator === '<&'
    if (duplicates && /^(?:\d+-?|-)$/.test(target.text)) return []
    // Bash ends the word after `>&-`: in `2>&-rm x` it runs rm.
    if (duplicates && /^[-\d]/.test(target.text)) {
      throw new Refused('write a blank after this redirect', each.target.text)
    }
    // Bash expands the name after `>&` once more, quotes and all: in `>&'$(rm x)'` it runs rm.
    if (duplicates && !/^[\w./%+,=@-]+$/.test(each.target.text)) {
      throw new Refused('>& takes a plain name; write `> file 2>&1` instead', each.target.text)
    }
    if (/^\d+$/.test(each.target.text)) {
      throw new Refused('write the name of a file that is a number as ./1', each.target.text)
    }
    if (each.operator === '<&') throw new Refused('<& takes a number', each.target.text)
    return [{ target, use: each.operator === '<' ? 'read' : 'write' }]
  })
}

function hereDoc(of: HereDoc, inner: ShellStep[], walk: Walk): void {
  const delimiter = of.delimiter?.value ?? ''
  if (of.closing === undefined) {
    throw new Refused('a here-document is not closed; end it with its delimiter', delimiter)
  }
  if (!/^[\w.-]+$/.test(delimiter)) {
    throw new Refused('the delimiter of a here-document must be a plain word; use EOF', delimiter)
  }
  walk.witness.hereDoc(of, of.closing)
  walk.dialect.hereDoc(of, walk.source.slice(of.body.pos, of.closing.pos))
  walk.handed.push(handedBy(of))
  if (of.delimiter?.quoted) return
  for (const part of of.body.parts ?? []) expansion(part, inner, walk)
}

function word(of: Word, inner: ShellStep[], walk: Walk): ShellWord {
  const read = readWord(of, inner, walk)
  walk.witness.word(of)
  return read
}

function readWord(of: Word, inner: ShellStep[], walk: Walk): ShellWord {
  if (of.parts === undefined) {
    bracket(of.text, of)
    return { text: of.value, ...(isLiteralTilde(of) && { literalTilde: true }) }
  }
  let text = ''
  let glob = ''
  let hasGlob = false
  let globs = 0
  let dynamic = false
  let splits = false
  let ansiC = false
  let composed = false
  const literal = (value: string) => {
    text += value
    glob += value.replace(/[*?[\]\\]/g, '\\$&')
  }
  for (const part of of.parts) {
    switch (part.type) {
      case 'Literal':
        bracket(part.text, of)
        literal(part.value)
        break
      case 'SingleQuoted':
        literal(part.value)
        break
      case 'AnsiCQuoted':
        literal(plainAnsiC(part.text, part.value))
        ansiC = true
        break
      case 'DoubleQuoted':
        for (const child of part.parts) {
          const value = expansion(child, inner, walk)
          const constant = child.type === 'CommandExpansion' ? constantText(child) : undefined
          literal(constant ?? value)
          composed ||= constant !== undefined
          dynamic ||= child.type !== 'Literal' && constant === undefined
        }
        break
      case 'Glob':
        if (part.text.startsWith('[^')) {
          throw new Refused('sh and bash read [^...] differently; write [!...]', of.text)
        }
        if (/['"\\$`]|.\[[=.]/.test(part.text))
          throw new Refused("quote the brackets: '[...]'", of.text)
        hasGlob = true
        if (++globs > MAX_GLOB_PARTS) {
          throw new Refused('too many wildcards in one word; write the names out', of.text)
        }
        text += part.text
        glob += part.text
        break
      default:
        literal(expansion(part, inner, walk))
        dynamic = true
        splits ||= part.type === 'CommandExpansion'
    }
  }
  if (hasGlob && dynamic) throw new Refused('put "$(...)" or $? in a word of its own', of.text)
  return {
    text,
    ...(hasGlob && { glob }),
    ...((isLiteralTilde(of) || (composed && text.startsWith('~'))) && { literalTilde: true }),
    ...(dynamic && { dynamic }),
    ...(splits && { splits }),
    ...(ansiC && { ansiC }),
    ...(composed && { composed }),
  }
}

/** Bash expands a `~` only when everything up to the first slash is unquoted. */
function isLiteralTilde(of: Word): boolean {
  return of.value.startsWith('~') && !/^~[\w.+-]*(?:\/|$)/.test(joined(of.text))
}

/** What stands for an expansion in the canonical text; refuses all but `$?`, `$(...)` and backticks. */
function expansion(part: WordPart | DoubleQuotedChild, inner: ShellStep[], walk: Walk): string {
  if (part.type === 'Literal') return part.value
  if (part.type === 'SimpleExpansion' && part.text === '$?') return part.text
  if (part.type === 'CommandExpansion') {
    inner.push(substitution(part, walk))
    return '$(...)'
  }
  throw notAllowed(part.type, part.text)
}

function substitution(part: CommandExpansionPart, walk: Walk): ShellStep {
  if (part.script === undefined || !/^(?:\$\(|`)/.test(part.text)) {
    throw new Refused('this substitution is not allowed; use $(...)', part.text)
  }
  walk.witness.substitution(part.text, part.script)
  const { source = walk.source } = part.script
  const inside = { ...walk, source, witness: new Witness(source) }
  const step = script(part.script, inside)
  walk.commands = inside.commands
  return { kind: 'apart', steps: [step], redirects: [], inner: [] }
}

/** A `[` that the parser took literally, in a word that also has a `]`: bash might see a pattern. */
function bracket(text: string, of: Word): void {
  if (of.text.includes(']') && /(?:^|[^\\])(?:\\\\)*\[/.test(text)) {
    throw new Refused("quote the brackets: '[...]'", of.text)
  }
}
