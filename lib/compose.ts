import koaCompose from 'koa-compose'
import { byHand, type End, hooksOf, type Inner, passOn, Ring, takeAnswer } from './adapt.ts'
import type { Run } from './context.ts'
import { entryOf, NO_POSITION } from './entry.ts'
import { Frame, type Guarded, type NamedMiddleware } from './frame.ts'
import type { Entry } from './steps.ts'
import type { AnyHook, Middleware, Next } from './types.ts'
import { View } from './view.ts'

/** One part of a plan: a run of fused hooks, or a guarded middleware function. */
export type Part = Ring | Guarded

type Layer = (run: Run, next: () => Promise<unknown>) => unknown

/**
 * Composes parts with koa-compose. Published 4.2.0 rejects a second `next()`, but neither notices when that
 * error is swallowed nor when `next()` is not awaited: the {@link Frame} around each function adds that, in
 * every environment.
 */
function composeLayers(layers: readonly Layer[]): (run: Run, next: Next) => Promise<unknown> {
  return koaCompose(layers as Array<koaCompose.Middleware<Run>>) as (
    run: Run,
    next: Next,
  ) => Promise<unknown>
}

function layerOf(part: Part): Layer {
  return part instanceof Ring
    ? (run, next) => part.go(run, next)
    : (run, next) => new Frame(run, part, next).go()
}

/** Composes the parts of a plan around the gate. */
export function composePlan(parts: readonly Part[], gate: Inner): (run: Run) => Promise<unknown> {
  const layers = parts.map(layerOf)
  const last = parts.at(-1)
  // A ring beside the gate takes the tool's answer itself.
  if (last instanceof Ring) layers[layers.length - 1] = (run) => last.go(run, gate)
  const composed = composeLayers(layers)
  return (run) => composed(run, () => passGate(run, gate) as Promise<unknown>)
}

/** The gate on its own, behind a middleware function: takes the tool's answer before `next()` settles. */
function passGate(run: Run, gate: Inner): unknown {
  run.depth++
  const pending = gate(run)
  return pending === undefined ? leaveGate(run) : takeAnswer(run, pending, leaveGate)
}

function leaveGate(run: Run): undefined {
  run.depth--
  return passOn(run)
}

/** A middleware function, or a hook. */
export type Composable = Middleware | AnyHook

/** One of the things that a list comes down to: a middleware function, or a hook as it was read. */
export type Element = Middleware | Entry

const composed = new WeakMap<Middleware, readonly Element[]>()

/** What {@link adapt} or {@link compose} made a middleware of; undefined for every other function. */
export function elementsOf(middleware: Middleware): readonly Element[] | undefined {
  return hooksOf(middleware) ?? composed.get(middleware)
}

/**
 * Reads what was put into a list, once and at once: whatever becomes of a hook's object afterwards has no effect.
 * Middleware that `adapt` and `compose` made is replaced by what it was made of.
 *
 * @throws {TypeError} When it is no middleware function and no hook of the right shape.
 */
export function read(item: Composable): readonly Element[] {
  if (typeof item === 'function') return elementsOf(item) ?? [item]
  if (typeof item !== 'object' || item === null) throw notUsable(item)
  return [entryOf(item, NO_POSITION)]
}

/**
 * Composes middleware and hooks into one middleware for use inside a pipeline, in list order.
 *
 * @throws {TypeError} When an element is neither.
 */
export function compose(list: readonly Composable[]): Middleware {
  const elements = list.flatMap(read)
  const parts = partsOf(elements)
  const through = composeLayers(parts.map(layerOf))
  const entries = parts.flatMap((part) => (part instanceof Ring ? part.entries : []))
  const middleware: Middleware = (ctx, next) => {
    const run = View.run(ctx)
    return byHand(run, entries, next, (rest) => through(run, rest))
  }
  composed.set(middleware, elements)
  return middleware
}

function partsOf(elements: readonly Element[]): Part[] {
  let functions = 0
  const list = elements.map((element) => {
    if (typeof element !== 'function') return element
    functions++
    return { fn: element, name: functionName(element, functions), position: NO_POSITION }
  })
  return fuse(list, passOn)
}

/** What texts and logs call a function: its own name, else its number among the functions. */
export function functionName(fn: Middleware, number: number): string {
  return fn.name || `middleware#${number}`
}

/** Joins adjacent hooks into rings. The first part ends as `outermost` says, those inside pass on what was thrown. */
export function fuse(list: ReadonlyArray<NamedMiddleware | Entry>, outermost: End): Part[] {
  const parts: Part[] = []
  let hooks: Entry[] = []
  const end = (): End => (parts.length === 0 ? outermost : passOn)
  const close = (): void => {
    if (hooks.length > 0) parts.push(new Ring(hooks, end()))
    hooks = []
  }
  for (const item of list) {
    if ('fn' in item) {
      close()
      parts.push({ ...item, end: end() })
    } else hooks.push(item)
  }
  close()
  return parts
}

/** For what is no middleware, hook or pipeline. */
function notUsable(value: unknown): TypeError {
  return new TypeError(
    `use() takes a middleware function, a hook or a Toolware; got ${value === null ? 'null' : typeof value}`,
  )
}
