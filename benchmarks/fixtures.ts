import { Toolware, type ToolwareOptions } from '../lib/index.ts'
import type { Outcome, Tool, ToolHook } from '../lib/types.ts'
import { ownFunction } from './runner.ts'

/** The pipeline as the dispatch rows want it: no copies, no clock. */
export const DISPATCH_ONLY: ToolwareOptions = { intake: 'trusted', timing: false }

/** A hook with both ways, as the hand-written loops call it too. */
export interface BenchHook {
  readonly name: string
  before(ctx: { readonly toolName: string }): boolean | Promise<boolean>
  after(ctx: { readonly toolName: string }, outcome: { readonly failed: boolean }): unknown
}

export function syncHooks(count: number): BenchHook[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `sync-${i}`,
    before: ownFunction<BenchHook['before']>(`(ctx) => ctx.toolName !== 'x${i}'`),
    after: ownFunction<BenchHook['after']>(`(ctx, outcome) => outcome.failed`),
  }))
}

export function asyncHooks(count: number): BenchHook[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `async-${i}`,
    before: ownFunction<BenchHook['before']>(`async (ctx) => ctx.toolName !== 'x${i}'`),
    after: ownFunction<BenchHook['after']>(`async (ctx, outcome) => outcome.failed`),
  }))
}

/** A tool that keeps its context in a ring, so that the engine cannot optimise the context away. */
export function keepingTool(): Tool<Record<string, unknown>, unknown> {
  return ownFunction(
    `((ring, at) => async (params, ctx) => { ring[at++ & 63] = ctx; return params })(new Array(64).fill(null), 0)`,
  )
}

export const PARAMS: Record<string, unknown> = { path: 'notes/today.txt' }

/** What everything is compared with: the tool called by hand. */
export function bare(params: Record<string, unknown> = PARAMS): () => unknown {
  const tool = keepingTool() as (params: unknown, ctx: unknown) => unknown
  return ownFunction<(tool: unknown, params: unknown) => () => unknown>(
    `(tool, params) => () => tool(params, { toolName: 'read_file', params })`,
  )(tool, params)
}

/** One call through `execute`, with a call object made for it as a host would. */
export function execute(
  hooks: readonly ToolHook[],
  options: ToolwareOptions = DISPATCH_ONLY,
  facts: { readonly signal?: AbortSignal; readonly params?: Record<string, unknown> } = {},
): () => unknown {
  const app = new Toolware(options)
  for (const hook of hooks) app.use(hook)
  const { signal, params = PARAMS } = facts
  const make = ownFunction<(...parts: unknown[]) => () => Promise<Outcome>>(
    signal === undefined
      ? `(app, tool, params) => () => app.execute({ toolName: 'read_file', params }, tool)`
      : `(app, tool, params, signal) => () => app.execute({ toolName: 'read_file', params, signal }, tool)`,
  )
  return make(app, keepingTool(), params, signal)
}

/** One call through `wrap`. */
export function wrapped(
  hooks: readonly ToolHook[],
  options: ToolwareOptions = DISPATCH_ONLY,
): () => unknown {
  const app = new Toolware(options)
  for (const hook of hooks) app.use(hook)
  const tool = app.wrap('read_file', keepingTool())
  return ownFunction<(...parts: unknown[]) => () => unknown>(
    `(tool, params) => () => tool(params)`,
  )(tool, PARAMS)
}

/** What people write by hand: a loop that awaits every hook. */
export function awaitLoop(hooks: readonly BenchHook[]): () => unknown {
  return ownFunction<(...parts: unknown[]) => () => unknown>(
    `(hooks, tool, params) => async () => {
      const ctx = { toolName: 'read_file', params }
      for (let i = 0; i < hooks.length; i++) {
        if ((await hooks[i].before(ctx)) !== true) throw new Error('denied')
      }
      const result = await tool(params, ctx)
      const outcome = { status: 'completed', failed: false, result }
      for (let i = hooks.length - 1; i >= 0; i--) await hooks[i].after(ctx, outcome)
      return outcome
    }`,
  )(hooks, keepingTool(), PARAMS)
}
