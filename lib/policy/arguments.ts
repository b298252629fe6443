import {
  type BadArgument,
  Collector,
  type Target,
  type TextArgument,
} from './argument-collector.ts'
import {
  beginsAsPath,
  isContentName,
  isFileName,
  isUrlName,
  isWebAddress,
  looksLikePath,
  mayBeBase,
  type NameKind,
  nameKind,
} from './argument-names.ts'
import type { ToolFacts } from './catalogue.ts'
import { finding } from './finding.ts'
import { isAscii } from './fold.ts'
import { PATCH } from './patch.ts'

export type { BadArgument, TextArgument } from './argument-collector.ts'

/** The arguments of one call that policies judge. */
export interface CallArguments {
  readonly paths: readonly TextArgument[]
  readonly globs: readonly TextArgument[]
  readonly patches: readonly TextArgument[]
  /** Texts that are addresses, and paths only where the disk holds what they begin with. */
  readonly addresses: readonly TextArgument[]
  /** Where the call says it works, among `paths` too. */
  readonly cwds: readonly TextArgument[]
  /** What relative paths may start from as well, if it is a directory. */
  readonly bases: readonly TextArgument[]
  /** Declared arguments of another shape, and too many of them. */
  readonly bad: BadArgument | undefined
}

type Params = Readonly<Record<string, unknown>>
type DeclaredTarget = Exclude<Target, 'addresses'>

const MAX_NAMES = 5000
/** What a name counts that has to be folded, which is slow. */
const FOLDED = 2
const MOST_NAMES = `${MAX_NAMES} names of arguments, or ${MAX_NAMES / FOLDED} that are not ASCII`
/** Most objects, lists, and texts under names that say something. */
const MAX_VALUES = 10_000
/** Most arguments at the top of a call. */
const MAX_TOP = 1000
const MAX_ADDRESS = 4096
const EXPECTED: Readonly<Record<DeclaredTarget, string>> = {
  paths: 'a path as text',
  globs: 'a glob as text, or a list of them',
  patches: 'a patch as text',
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Steps of a declared name: `edits[].path` is `edits`, `[]`, `path`. */
function steps(declared: string): readonly string[] {
  return declared.split(/(?=\[\])|\./)
}

/** Takes what a declared name stands for; anything of another shape is refused. */
function take(params: Params, declared: string, target: DeclaredTarget, into: Collector): void {
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

/** What the names above a value say about it. */
interface Meaning {
  readonly kind: NameKind
  readonly isUrl: boolean
  /** What stands under it is the content of a file, or a message: its texts may begin in any way. */
  readonly isText: boolean
  /** It names a file itself, as in `files: { 'src/a.ts': text }`. */
  readonly isFile: boolean
  /** It begins as only paths do; looked for when strict. */
  readonly isPath: boolean
}

/** An object or a list, and where it stands. */
interface Node {
  readonly value: object
  readonly parent: Node | undefined
  readonly key: string | number
  readonly depth: number
  readonly meaning: Meaning
  /** True below a path name whose value is an object. */
  readonly inside: boolean
  /** Where it stands, spelled out once something below asks. */
  place?: string
}

const NO_MEANING: Meaning = {
  kind: undefined,
  isUrl: false,
  isText: false,
  isFile: false,
  isPath: false,
}
const OF_FILES: Meaning = { ...NO_MEANING, kind: 'path' }

/** Spells where a value stands: `edits[0].path`, or `edits[].path` for comparing with a declared name. */
function placeOf(parent: Node, key: string | number, showsIndex: boolean): string {
  const step = (k: string | number): string =>
    typeof k === 'number' ? `[${showsIndex ? k : ''}]` : `.${k}`
  let text = step(key)
  for (let n = parent; n.parent; n = n.parent) text = step(n.key) + text
  return text.startsWith('.') ? text.slice(1) : text
}

/** Spells where a value stands, and remembers where its parents do. */
function below(parent: Node, key: string | number): string {
  if (parent.parent) parent.place ??= placeOf(parent.parent, parent.key, true)
  const above = parent.place ?? ''
  return typeof key === 'number' ? `${above}[${key}]` : above === '' ? key : `${above}.${key}`
}

/** Finds arguments by their names, at any depth; with `strict`, under any name texts that begin as paths. */
function search(
  params: Params,
  facts: ToolFacts | undefined,
  into: Collector,
  strict: boolean,
): void {
  const meanings = new Map<string, Meaning>()
  let weight = 0
  const meaningOf = (name: string): Meaning => {
    const known = meanings.get(name)
    if (known) return known
    const kind = nameKind(name)
    const isFile = isFileName(name)
    const isPath = strict && beginsAsPath(name)
    const isText = kind === undefined && (isFile || isContentName(name))
    const made =
      kind === undefined && !isFile && !isPath && !isText
        ? NO_MEANING
        : { kind, isUrl: kind !== undefined && isUrlName(name), isText, isFile, isPath }
    meanings.set(name, made)
    weight += isAscii(name) ? 1 : FOLDED
    if (weight > MAX_NAMES) into.refuseSize(MOST_NAMES)
    return made
  }
  const text = new Set(facts?.text)
  const deepText = [...text].filter((name) => /[.[]/.test(name))
  const deepest = Math.max(0, ...deepText.map((name) => steps(name).length))
  const top: Node = {
    value: params,
    parent: undefined,
    key: '',
    depth: 0,
    meaning: NO_MEANING,
    inside: false,
  }
  const todo: Node[] = []
  let values = 0
  const look = (parent: Node, key: string | number, value: unknown, meaning: Meaning): void => {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return
    if (++values > MAX_VALUES) return into.refuseSize(`${MAX_VALUES} values`)
    const depth = parent.depth + 1
    if (depth <= deepest && text.has(placeOf(parent, key, false))) return
    const inside = parent.inside || (typeof key === 'string' && parent.meaning.kind === 'path')
    if (typeof value === 'object') {
      todo.push({ value, parent, key, depth, meaning, inside })
      return
    }
    const target = targetOf(value, meaning, !meaning.isText && (inside || strict))
    if (target) into.add(target, below(parent, key), value)
  }
  const takeName = (node: Node, key: string): void => {
    const target = targetOf(key, OF_FILES, false)
    if (target) into.add(target, `the name ${below(node, key)}`, key)
  }
  for (const key of Object.keys(params)) {
    const isOwn = facts?.commands?.includes(key) || facts?.patches?.includes(key)
    if (!isOwn) into.takeCwd(key, params[key], facts)
    if (isOwn || text.has(key)) continue
    const [value, meaning] = [params[key], meaningOf(key)]
    if (meaning.isPath) takeName(top, key)
    look(top, key, value, meaning)
    if (typeof value === 'string' && mayBeBase(key, meaning.kind)) {
      into.bases.push({ at: key, text: value })
    }
  }
  for (let node = todo.pop(); node !== undefined && !into.bad; node = todo.pop()) {
    const { value, meaning, inside } = node
    if (Array.isArray(value)) {
      const isMeant = meaning.kind !== undefined || inside || strict
      for (let i = 0; i < value.length && !into.bad; i++) {
        const item: unknown = value[i]
        if (isMeant || typeof item === 'object') look(node, i, item, meaning)
      }
    } else {
      const isNamed = inside || meaning.kind === 'path'
      for (const key of Object.keys(value)) {
        if (into.bad) return
        const next = (value as Params)[key] // no list, so an object
        const named = meaningOf(key)
        if (named.isPath || (isNamed && named.isFile)) takeName(node, key)
        if (typeof next === 'number' || typeof next === 'boolean' || text.has(key)) continue
        if (named.kind !== undefined || isNamed || strict || typeof next === 'object') {
          look(node, key, next, named)
        }
      }
    }
  }
}

/** What a text is judged as, by the names above it. */
function targetOf(value: string, { kind, isUrl }: Meaning, inside: boolean): Target | undefined {
  switch (kind) {
    case 'path':
      if (value === '') return undefined
      return isWebAddress(value) ? asAddress(value) : 'paths'
    case 'glob':
      return value !== '' ? 'globs' : undefined
    case 'patch':
      if (PATCH.test(value)) return 'patches'
      return inside && beginsAsPath(value) ? 'paths' : undefined
    case 'maybe-path':
      if (looksLikePath(value, isUrl)) return 'paths'
      return isUrl ? undefined : asAddress(value)
    default:
      return inside && beginsAsPath(value) ? 'paths' : undefined
  }
}

/** A text that no kernel would take for a path is none. */
function asAddress(value: string): Target | undefined {
  return value.length <= MAX_ADDRESS && value.includes('/') ? 'addresses' : undefined
}

/** Refuses a call with so many arguments that reading their names alone would take long. */
export function tooManyArguments(params: Params): BadArgument | undefined {
  const count = Object.keys(params).length
  if (count <= MAX_TOP) return undefined
  const reason = `the call has ${count} arguments, more than ${MAX_TOP}; split it`
  return { at: 'arguments', found: finding('arguments', reason) }
}

/** Options of {@link collectArguments}. */
export interface CollectOptions {
  /** Targets that the host found itself; judged beside the others. */
  readonly derivedPaths?: readonly string[] | undefined
  /** Also takes texts under any name that begin as paths do. Default: false. */
  readonly strict?: boolean | undefined
}

/**
 * Finds the arguments that are paths, globs and patches: the declared ones, and those whose names say so, at any
 * depth. Texts are never searched for paths.
 */
export function collectArguments(
  params: Params,
  facts: ToolFacts | undefined,
  { derivedPaths = [], strict = false }: CollectOptions = {},
): CallArguments {
  const into = new Collector()
  for (const declared of facts?.paths ?? []) take(params, declared, 'paths', into)
  for (const declared of facts?.globs ?? []) take(params, declared, 'globs', into)
  for (const declared of facts?.patches ?? []) take(params, declared, 'patches', into)
  search(params, facts, into, strict)
  for (const [i, path] of derivedPaths.entries()) into.add('paths', `derivedPaths[${i}]`, path)
  return into
}
