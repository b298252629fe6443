import { type End, Ring, takeAnswer } from './adapt.ts'
import {
  type Composable,
  composePlan,
  type Element,
  elementsOf,
  functionName,
  fuse,
  type Part,
} from './compose.ts'
import type { Run } from './context.ts'
import { entryOf, NO_POSITION } from './entry.ts'
import { configError } from './errors.ts'
import { isStreamSafe, type NamedMiddleware } from './frame.ts'
import { openGate } from './gate.ts'
import { foldName } from './policy/fold.ts'
import { nameGlob, textGlob } from './policy/glob.ts'
import type { Entry } from './steps.ts'
import type { PlanHooks } from './surroundings.ts'
import type { HookSource } from './types.ts'

/** Which tools an item cares for. */
export interface ToolFilter {
  readonly patterns: readonly string[]
  matches(toolName: string): boolean
}

/**
 * Compiles the `tools` option of `use`.
 *
 * @throws {ToolwareError} `CONFIG` for an empty list or a pattern that can match no tool.
 */
export function toolFilter(tools: readonly string[] | undefined): ToolFilter | undefined {
  if (tools === undefined) return undefined
  if (!Array.isArray(tools) || tools.length === 0) {
    throw configError('tools', 'must be a list of tool name globs; leave it out for all tools')
  }
  const patterns = tools.map((pattern, i) => nameGlob(pattern, `tools[${i}]`).source)
  const globs = patterns.map((pattern) => textGlob(foldName(pattern)))
  return {
    patterns,
    matches: (toolName) => {
      const folded = foldName(toolName)
      return globs.some((glob) => glob.matches(folded))
    },
  }
}

/** One element of a pipeline's list, as `use` keeps it. */
export type Item = {
  readonly name: string | undefined
  readonly filter: ToolFilter | undefined
} & (
  | { readonly kind: 'one'; readonly value: Composable; readonly elements: readonly Element[] }
  | { readonly kind: 'source'; readonly value: HookSource }
)

/** What of an item may have to be closed, each hook that `adapt` or `compose` took in among it. */
export function partsOf(item: Item): readonly unknown[] {
  if (item.kind === 'source') return [item.value]
  return item.elements.map((element) => (typeof element === 'function' ? element : element.hook))
}

/** Tells a source from what is used itself. */
export function isSource(value: unknown): value is HookSource {
  return (
    typeof value === 'object' && value !== null && typeof (value as HookSource).hooks === 'function'
  )
}

/** What a call goes through: made once for a version of the list and a set of matching filters, then immutable. */
export class Plan implements PlanHooks {
  readonly entries: readonly Entry[]
  readonly resolvers: readonly Entry[]
  /** Nothing stands around the tool. */
  readonly isEmpty: boolean
  /** A middleware function may want the whole of a stream, so it has to be buffered. */
  readonly buffersStreams: boolean
  readonly #start: (run: Run) => unknown
  readonly #everyone: Ring

  constructor(items: readonly Placed[]) {
    const list = number(items)
    const parts = fuse(list, finish)
    this.entries = list.filter((item): item is Entry => !('fn' in item))
    this.resolvers = this.entries.filter((entry) => entry.resolveExecEnv !== undefined)
    this.isEmpty = parts.length === 0
    this.buffersStreams = list.some((item) => 'fn' in item && !isStreamSafe(item.fn))
    this.#everyone = new Ring(this.entries, finish)
    this.#start = starter(parts)
  }

  /** Takes the call through. */
  go(run: Run): unknown {
    return this.#start(run)
  }

  /** The way out only, of every hook: for a call that was refused before it began. */
  skip(run: Run): unknown {
    run.depth++
    return this.#everyone.leave(run, this.entries.length - 1)
  }
}

/** How the outermost part ends: with the outcome, whatever was thrown inside. */
const finish: End = (run) => run.finish()

/** koa-compose composes; one ring alone, or nothing at all, needs no composing. */
function starter(parts: readonly Part[]): (run: Run) => unknown {
  const [only] = parts
  if (only === undefined) return alone
  if (parts.length === 1 && only instanceof Ring) return (run) => only.go(run, openGate)
  return composePlan(parts, openGate)
}

function alone(run: Run): unknown {
  const pending = openGate(run)
  return pending === undefined ? finish(run) : takeAnswer(run, pending, finish)
}

/** An item with the number of functions before it, so that a filter changes no name. */
type Placed = Item & { readonly functionsBefore: number }

function placed(items: readonly Item[]): readonly Placed[] {
  let functionsBefore = 0
  return items.map((item) => {
    const here = { ...item, functionsBefore }
    if (item.kind === 'one') {
      functionsBefore += item.elements.filter((element) => typeof element === 'function').length
    }
    return here
  })
}

/** Gives everything its place and every unnamed function its number. */
function number(items: readonly Placed[]): Array<Entry | NamedMiddleware> {
  const list: Array<Entry | NamedMiddleware> = []
  for (const item of items) {
    let functions = item.functionsBefore
    for (const element of elementsFrom(item)) {
      const position = list.length
      if (typeof element !== 'function') list.push({ ...element, position })
      else {
        functions++
        const name = givenName(item) ?? functionName(element, functions)
        list.push({ fn: element, name, position })
      }
    }
  }
  return list
}

function elementsFrom(item: Item): readonly Element[] {
  if (item.kind === 'one') return item.elements
  return item.value.hooks().map((hook) => entryOf(hook, NO_POSITION))
}

/** The name that `use` gave a function; what `adapt` and `compose` made is several. */
function givenName({ kind, name, value }: Item): string | undefined {
  return kind === 'one' && typeof value === 'function' && elementsOf(value) === undefined
    ? name
    : undefined
}

const MAX_NAMES = 1000

/** The plans of one version of a list, by which filters match; tool names only remember their plan. */
export class Plans {
  readonly #items: readonly Placed[]
  readonly #plans = new Map<string, Plan>()
  readonly #byName = new Map<string, Plan>()
  readonly #filtered: boolean
  #lastName: string | undefined
  #lastPlan: Plan | undefined

  constructor(items: readonly Item[]) {
    this.#items = placed(items)
    this.#filtered = items.some((item) => item.filter !== undefined)
  }

  for(toolName: string): Plan {
    const name = this.#filtered ? toolName : ''
    if (name === this.#lastName) return this.#lastPlan as Plan
    const plan = this.#byName.get(name) ?? this.#make(name, toolName)
    this.#lastName = name
    this.#lastPlan = plan
    return plan
  }

  #make(name: string, toolName: string): Plan {
    const chosen = this.#items.filter((item) => item.filter?.matches(toolName) ?? true)
    const key = this.#items.map((item) => (chosen.includes(item) ? '1' : '0')).join('')
    const plan = this.#plans.get(key) ?? new Plan(chosen)
    this.#plans.set(key, plan)
    // Tool names come from outside: forget, rather than grow.
    if (this.#byName.size >= MAX_NAMES) this.#byName.clear()
    this.#byName.set(name, plan)
    return plan
  }
}
