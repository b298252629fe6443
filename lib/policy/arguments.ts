import {
  beginsAsPath,
  commandNames,
  isCwdName,
  isWebAddress,
  looksLikePath,
  type NameKind,
  nameKind,
} from './argument-names.ts'
import type { ToolFacts } from './catalogue.ts'
import { type Finding, finding } from './finding.ts'

/** A text argument and where it stands, such as `edits[0].path`. */
export interface TextArgument {
  readonly at: string
  readonly text: string
}

/** Something about one argument that is refused. */
export interface BadArgument {
  readonly at: string
  readonly found: Finding
}

/** The arguments of one call that policies judge. */
export interface CallArguments {
  readonly paths: readonly TextArgument[]
  readonly globs: readonly TextArgument[]
  readonly patches: readonly TextArgument[]
  /** Where the call says it works, among `paths` too. */
  readonly cwd: TextArgument | undefined
  /** Declared arguments of another shape, and too many of them. */
  readonly bad: BadArgument | undefined
}

type Params = Readonly<Record<string, unknown>>
type Target = 'paths' | 'globs' | 'patches'

/** More path arguments than this in one call are refused: each is looked up on disk. */
const MAX_ARGUMENTS = 500
const MAX_LENGTH = 32_768
const MAX_NAMES = 10_000
const EXPECTED: Readonly<Record<Target, string>> = {
  paths: 'a path as text',
  globs: 'a glob as text, or a list of them',
  patches: 'a patch as text',
}

const PATCH = /^(?:[ \t]*\*\*\* |--- |\+\+\+ |diff --git |Index: |rename |copy )/m
const PATCHING = /\b(?:apply_patch|applypatch|patch|apply|am)\b/

class Collector {
  readonly paths: TextArgument[] = []
  readonly globs: TextArgument[] = []
  readonly patches: TextArgument[] = []
  readonly seen: Set<string> = new Set()
  bad: BadArgument | undefined
  cwd: TextArgument | undefined
  #length = 0

  add(target: Target, at: string, text: string): void {
    if (this.seen.has(at)) return
    this.seen.add(at)
    if (target !== 'patches') this.#length += text.length
    if (this.#length > MAX_LENGTH) {
      const reason = `the names of files in the call are longer than ${MAX_LENGTH} characters; split it`
      this.bad ??= { at, found: finding('arguments', reason) }
    } else if (this.seen.size > MAX_ARGUMENTS) {
      const reason = `the call names more than ${MAX_ARGUMENTS} files; split it`
      this.bad ??= { at, found: finding('arguments', reason) }
    } else if (target !== 'globs' || !text.startsWith('!')) this[target].push({ at, text })
  }

  takeCwd(key: string, value: unknown, facts: ToolFacts | undefined): void {
    const isExec = facts?.access === 'exec' || facts?.form === 'git'
    if (!isCwdName(key, isExec)) return
    if (typeof value === 'string') this.cwd ??= { at: key, text: value }
    else if (isExec && value !== null) this.refuse(key, 'a directory as text', value)
  }

  /** Patches that arrive in a command: in a here-document, or as its argument. */
  takePatches(key: string, value: unknown): void {
    const isList = Array.isArray(value)
    const texts = (isList ? value : [value]).filter((item) => typeof item === 'string')
    if (!texts.some((text) => PATCHING.test(text))) return
    for (const [i, text] of texts.entries()) {
      if (PATCH.test(text)) this.add('patches', isList ? `${key}[${i}]` : key, text)
    }
  }

  refuseSize(): void {
    const reason = `the call has more than ${MAX_NAMES} names of arguments; split it`
    this.bad ??= { at: 'arguments', found: finding('arguments', reason) }
  }

  refuse(at: string, expected: string, value: unknown): void {
    const shape = Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value
    const reason = `expected ${expected}, got ${shape}; give it as declared`
    this.bad ??= { at, found: finding('arguments', reason) }
  }
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Steps of a declared name: `edits[].path` is `edits`, `[]`, `path`. */
function steps(declared: string): readonly string[] {
  return declared.split(/(?=\[\])|\./)
}

/** Takes what a declared name stands for; anything of another shape is refused. */
function take(params: Params, declared: string, target: Target, into: Collector): void {
  const names = steps(declared)
  const visit = (value: unknown, index: number, at: string): void => {
    if (into.bad || value === undefined || value === null) return
    const name = names[index]
    if (name === undefined) {
      if (typeof value === 'string') into.add(target, at, value)
      else into.refuse(at, EXPECTED[target], value)
    } else if (name === '[]') {
      if (Array.isArray(value)) {
        for (const [i, item] of value.entries()) visit(item, index + 1, `${at}[${i}]`)
      } else if (typeof value === 'string') visit(value, index + 1, at)
      else into.refuse(at, 'a list', value)
    } else if (isObject(value)) {
      if (Object.hasOwn(value, name))
        visit(value[name], index + 1, at === '' ? name : `${at}.${name}`)
    } else into.refuse(at, 'an object', value)
  }
  visit(params, 0, '')
}

interface Node {
  readonly value: unknown
  readonly parent: Node | undefined
  /** Where it stands in its parent. */
  readonly key: string | number
  /** The nearest name above, and what it says. */
  readonly name: string
  readonly kind: NameKind
  /** True below a path name whose value is an object. */
  readonly inside: boolean
}

/** Spells where a node stands: `edits[0].path`, or `edits[].path` for comparing with a declared name. */
function placeOf(node: Node, showsIndex: boolean): string {
  let text = ''
  for (let n: Node | undefined = node; n?.parent; n = n.parent) {
    const step = typeof n.key === 'number' ? `[${showsIndex ? n.key : ''}]` : `.${n.key}`
    text = step + text
  }
  return text.startsWith('.') ? text.slice(1) : text
}

/** Finds arguments by their names, at any depth. */
function search(params: Params, facts: ToolFacts | undefined, into: Collector): void {
  const kinds = new Map<string, NameKind>()
  const kindOf = (name: string): NameKind => {
    if (!kinds.has(name)) {
      kinds.set(name, nameKind(name))
      if (kinds.size > MAX_NAMES) into.refuseSize()
    }
    return kinds.get(name)
  }
  const text = new Set(facts?.text)
  const hasDeepText = [...text].some((name) => /[.[]/.test(name))
  const top: Node = {
    value: params,
    parent: undefined,
    key: '',
    name: '',
    kind: undefined,
    inside: false,
  }
  const todo: Node[] = []
  const commands = facts?.commands ?? commandNames(params, false)
  for (const key of Object.keys(params)) {
    const isOwn = facts?.commands?.includes(key) || facts?.patches?.includes(key)
    if (commands.includes(key)) into.takePatches(key, params[key])
    if (!isOwn) into.takeCwd(key, params[key], facts)
    if (!isOwn && !text.has(key)) todo.push(below(top, key, params[key], kindOf))
  }
  for (let node = todo.pop(); node !== undefined && !into.bad; node = todo.pop()) {
    const { value, kind, inside } = node
    if (hasDeepText && text.has(placeOf(node, false))) continue
    if (typeof value === 'string') judgeText(node, value, into)
    else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) {
        const item: unknown = value[i]
        if (typeof item === 'object' || kind !== undefined || inside) {
          todo.push({ ...node, value: item, parent: node, key: i })
        }
      }
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        if (into.bad) return
        const next = value[key]
        if (typeof next === 'number' || typeof next === 'boolean' || text.has(key)) continue
        const isNamed = typeof next === 'object' || inside || kind === 'path' || kindOf(key)
        if (isNamed) todo.push(below(node, key, next, kindOf))
      }
    }
  }
}

function below(node: Node, key: string, value: unknown, kindOf: (name: string) => NameKind): Node {
  const inside = node.inside || node.kind === 'path'
  return { value, parent: node, key, name: key, kind: kindOf(key), inside }
}

function judgeText(node: Node, value: string, into: Collector): void {
  const { name, kind, inside } = node
  const add = (target: Target): void => into.add(target, placeOf(node, true), value)
  if (kind === 'path') {
    if (value !== '' && !isWebAddress(value)) add('paths')
  } else if (kind === 'glob') {
    if (value !== '') add('globs')
  } else if (kind === 'patch') {
    if (/^(?:[ \t]*\*\*\* |--- |\+\+\+ |diff --git |Index: |rename |copy )/m.test(value))
      add('patches')
  } else if (kind === 'maybe-path' ? looksLikePath(name, value) : inside && beginsAsPath(value)) {
    add('paths')
  }
}

/**
 * Finds the arguments that are paths, globs and patches: the declared ones, and those whose names say so, at any
 * depth. Texts are never searched for paths.
 *
 * @param derivedPaths Targets that the host found itself; judged beside the others.
 */
export function collectArguments(
  params: Params,
  facts: ToolFacts | undefined,
  derivedPaths: readonly string[] = [],
): CallArguments {
  const into = new Collector()
  for (const declared of facts?.paths ?? []) take(params, declared, 'paths', into)
  for (const declared of facts?.globs ?? []) take(params, declared, 'globs', into)
  for (const declared of facts?.patches ?? []) take(params, declared, 'patches', into)
  search(params, facts, into)
  for (const [i, path] of derivedPaths.entries()) into.add('paths', `derivedPaths[${i}]`, path)
  return into
}
