import { commandNames } from './argument-names.ts'
import { foldName } from './fold.ts'
import { KNOWN_TOOLS } from './known-tools.ts'
import { commandHolders, mayBeCommand } from './nested-commands.ts'

/** What a tool does to the world. */
export type Access = 'read' | 'write' | 'exec'

/** Tells the reading actions of a tool from the others. */
export interface ToolActions {
  /** The argument that names the action. */
  readonly key: string
  /** The action of a call that names none. Unset: such a call counts as changing something. */
  readonly default?: string | undefined
  readonly read: readonly string[]
}

/**
 * What the operator says about a tool. Arguments are named `file`, `edits[].path` or `paths[]`; a name without
 * dots and brackets in `text` counts at any depth.
 */
export interface ToolDeclaration {
  readonly access: Access
  readonly paths?: readonly string[] | undefined
  /** Arguments that hold globs over paths. */
  readonly globs?: readonly string[] | undefined
  /** Arguments that hold patches. */
  readonly patches?: readonly string[] | undefined
  /** The argument that holds a shell command, for `access: 'exec'`. */
  readonly command?: string | undefined
  /** Arguments that are plain text, whatever they are called. */
  readonly text?: readonly string[] | undefined
  readonly actions?: ToolActions | undefined
}

/** Declarations by exact tool name. */
export type ToolDeclarations = Readonly<Record<string, ToolDeclaration>>

/** What the policies know about a tool. */
export interface ToolFacts extends Omit<ToolDeclaration, 'command' | 'actions'> {
  /** Arguments that may hold a command, in the order they are looked for. */
  readonly commands?: readonly string[] | undefined
  /** One rule for each dialect of the tool; a call must read by all whose key it has. */
  readonly actions?: readonly KnownActions[] | undefined
  /** The tool works on the working directory if no path is given, or neither path nor glob. */
  readonly worksHere?: 'without-path' | 'without-glob' | undefined
  /**
   * `git`: subcommand and arguments make one command. `code`: any language. `foreign`: no POSIX shell.
   * `opaque`: what it runs is not in its arguments.
   */
  readonly form?: 'git' | 'code' | 'foreign' | 'opaque' | undefined
  /** What a tool with the form `git` always runs, as a list of commands names it; its `repo_path` says where. */
  readonly subcommand?: string | undefined
  /** An argument that stands in for the command, such as `restart`. */
  readonly idle?: string | undefined
}

/** Actions of a known tool; what is neither listed is what the tool's `access` says. */
export interface KnownActions extends ToolActions {
  /** Actions of an exec tool that change something without running a command. */
  readonly write?: readonly string[] | undefined
}

/** A tool as a call named it. */
export interface FoundTool {
  readonly facts: ToolFacts | undefined
  /** False when only the folded name is known: then the facts forbid, and grant nothing. */
  readonly isExact: boolean
}

/** Finds tools by name: what the operator declared, then the built-in catalogue. */
export interface Catalogue {
  find(toolName: string): FoundTool
}

function fromDeclaration({ command, actions, ...rest }: ToolDeclaration): ToolFacts {
  return {
    ...rest,
    ...(command !== undefined && { commands: [command] }),
    ...(actions && { actions: [actions] }),
  }
}

const EXEC_FIRST: Readonly<Record<Access, number>> = { exec: 2, write: 1, read: 0 }

/** The catalogue of one configuration. Names match exactly to grant, folded to forbid. */
export function catalogue(declared: ToolDeclarations = {}): Catalogue {
  const exact = new Map<string, ToolFacts>(KNOWN_TOOLS)
  for (const [name, declaration] of Object.entries(declared)) {
    exact.set(name, fromDeclaration(declaration))
  }
  const folded = new Map<string, ToolFacts>()
  for (const [name, facts] of exact) {
    const key = foldName(name)
    const other = folded.get(key)
    if (!other || EXEC_FIRST[facts.access] > EXEC_FIRST[other.access]) folded.set(key, facts)
  }
  return {
    find: (toolName) => {
      const facts = exact.get(toolName)
      if (facts) return { facts, isExact: true }
      const alike = folded.get(foldName(toolName))
      return { facts: alike && withoutGrants(alike), isExact: false }
    },
  }
}

/** What a tool of a similar name is held to; what exempts arguments or calls is for the exact name only. */
function withoutGrants(facts: ToolFacts): ToolFacts {
  return { ...facts, text: undefined, actions: undefined, idle: undefined }
}

function actionAccess(
  actions: readonly KnownActions[],
  access: Access,
  params: Readonly<Record<string, unknown>>,
): Access {
  const named = actions.filter(({ key }) => Object.hasOwn(params, key))
  // Anything that is not listed as reading changes something.
  let worst: Access = 'read'
  for (const rule of named.length > 0 ? named : actions.slice(0, 1)) {
    const action = named.length > 0 ? params[rule.key] : rule.default
    const text = typeof action === 'string' ? action : ''
    if (rule.read.includes(text)) continue
    const runs = access === 'exec' && !rule.write?.includes(text)
    if (worst !== 'exec') worst = runs ? 'exec' : 'write'
  }
  return worst
}

function holdsCommand(
  { commands = [] }: ToolFacts,
  params: Readonly<Record<string, unknown>>,
): boolean {
  return commands.some((name) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    return value !== undefined && value !== null && value !== ''
  })
}

/** What one call does: by its tool, its action, and whether an undeclared tool carries a command at any depth. */
export function accessOf(
  { facts, isExact }: FoundTool,
  params: Readonly<Record<string, unknown>>,
): Access | 'unknown' {
  if (facts && isExact) {
    // With a command beside it, an action that runs none is not what the call is for.
    return facts.actions && !(facts.access === 'exec' && holdsCommand(facts, params))
      ? actionAccess(facts.actions, facts.access, params)
      : facts.access
  }
  if (facts?.access === 'exec') return 'exec'
  const runs =
    commandNames(params, false).some((name) => mayBeCommand(params[name])) ||
    commandHolders(params).areSome
  return runs ? 'exec' : 'unknown'
}
