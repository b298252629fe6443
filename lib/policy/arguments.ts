import {
  beginsAsPath,
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
export const MAX_ARGUMENTS = 1000
const EXPECTED: Readonly<Record<Target, string>> = {
  paths: 'a path as text',
  globs: 'a glob as text, or a list of them',
  patches: 'a patch as text',
}

class Collector {
  readonly paths: TextArgument[] = []
  readonly globs: TextArgument[] = []
  readonly patches: TextArgument[] = []
  readonly seen: Set<string> = new Set()
  bad: BadArgument | undefined
  cwd: TextArgument | undefined

  add(target: Target, at: string, text: string): void {
    if (this.seen.has(at)) return
    this.seen.add(at)
    if (this.seen.size > MAX_ARGUMENTS) {
      const reason = `the call names more than ${MAX_ARGUMENTS} files; split it`
      this.bad ??= { at, found: finding('arguments', reason) }
    } else if (target !== 'globs' || !text.startsWith('!')) this[target].push({ at, text })
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
  readonly at: string
  /** The nearest name above, and what it says. */
  readonly name: string
  readonly kind: NameKind
  /** True below a path name whose value is an object. */
  readonly inside: boolean
}

/** Finds arguments by their names, at any depth. */
function search(params: Params, facts: ToolFacts | undefined, into: Collector): void {
  const isExec = facts?.access === 'exec' || facts?.form === 'git'
  const kinds = new Map<string, NameKind>()
  const kindOf = (name: string): NameKind => {
    if (!kinds.has(name)) kinds.set(name, nameKind(name))
    return kinds.get(name)
  }
  const text = new Set(facts?.text)
  const own = new Set([...(facts?.commands ?? []), ...(facts?.patches ?? [])])
  const todo: Node[] = [{ value: params, at: '', name: '', kind: undefined, inside: false }]
  for (let node = todo.pop(); node !== undefined && !into.bad; node = todo.pop()) {
    const { value, at, name, kind, inside } = node
    if (typeof value === 'string') {
      judgeText(node, value, into)
    } else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) {
        const item: unknown = value[i]
        if (typeof item === 'object' || kind !== undefined || inside) {
          todo.push({ value: item, at: `${at}[${i}]`, name, kind, inside })
        }
      }
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const next = value[key]
        const below = inside || kind === 'path'
        if (text.has(key) || typeof next === 'number' || typeof next === 'boolean') continue
        const where = at === '' ? key : `${at}.${key}`
        if (at === '' && own.has(key)) continue
        if (at === '' && isCwdName(key, isExec)) {
          if (typeof next === 'string') into.cwd ??= { at: where, text: next }
          else if (isExec && next !== null) into.refuse(where, 'a directory as text', next)
        }
        const found = kindOf(key)
        if (typeof next === 'string' && found === undefined && !below) continue
        if (text.size > 0 && text.has(where.replace(/\[\d+\]/g, '[]'))) continue
        todo.push({ value: next, at: where, name: key, kind: found, inside: below })
      }
    }
  }
}

function judgeText({ at, name, kind, inside }: Node, value: string, into: Collector): void {
  if (kind === 'path') {
    if (value !== '' && !isWebAddress(value)) into.add('paths', at, value)
  } else if (kind === 'glob') {
    if (value !== '') into.add('globs', at, value)
  } else if (kind === 'patch') {
    if (/^\s*\*\*\* Begin Patch|^(?:--- |diff --git |Index: )/m.test(value))
      into.add('patches', at, value)
  } else if (kind === 'maybe-path' ? looksLikePath(name, value) : inside && beginsAsPath(value)) {
    into.add('paths', at, value)
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
