import type { WrappedTool } from './api.ts'
import { quoted } from './errors.ts'
import { snapshotFacts } from './facts.ts'
import { isToolName } from './tool-name.ts'
import type { Facts, Tool } from './types.ts'

/** What a wrapped function was made of. */
interface Origin {
  readonly toolName: string
  readonly fn: Tool<never>
  readonly facts: Facts | undefined
}

/** Makes a function that takes its calls through the pipeline. */
type Make = <P, R>(toolName: string, fn: Tool<P, R>, own: Facts | undefined) => WrappedTool<P, R>

/** The wrapped functions of a pipeline: around one function it stands once. */
export class Wrapping {
  readonly #origins = new WeakMap<object, Origin>()
  readonly #names = new Set<string>()
  readonly #make: Make

  constructor(make: Make) {
    this.#make = make
  }

  has(toolName: string): boolean {
    return this.#names.has(toolName)
  }

  /** @throws {TypeError} When it is no tool name, or no function. */
  wrap<P, R>(toolName: string, fn: Tool<P, R>, own: Facts | undefined): WrappedTool<P, R> {
    if (!isToolName(toolName)) {
      throw new TypeError(`wrap(toolName, fn): not a tool name: ${quoted(toolName)}`)
    }
    if (typeof fn !== 'function') {
      throw new TypeError(
        `wrap(${JSON.stringify(toolName)}, fn): fn must be a function; got ${quoted(fn)}`,
      )
    }
    this.#names.add(toolName)
    const known = this.#origins.get(fn)
    if (known?.toolName === toolName) {
      if (own === undefined) return fn as unknown as WrappedTool<P, R>
      // Around the same function once, with the facts of both.
      return this.wrap(toolName, known.fn as Tool<P, R>, snapshotFacts(known.facts, own))
    }
    const wrapped = this.#make(toolName, fn, own)
    Object.defineProperty(wrapped, 'name', { value: fn.name || toolName })
    this.#origins.set(wrapped, { toolName, fn, facts: own })
    return wrapped
  }
}

/** The function as the host called it: on its object, and with whatever stood behind the params. */
export function passing<P, R>(fn: Tool<P, R>, self: unknown, rest: readonly unknown[]): Tool<P, R> {
  const any = fn as (...args: unknown[]) => R
  return (params, ctx) => any.call(self, params, ...(rest.length === 0 ? [ctx] : rest))
}
