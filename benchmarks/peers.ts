import { createHooks } from 'hookable'
import koaCompose from 'koa-compose'
import { AsyncSeriesBailHook, AsyncSeriesHook } from 'tapable'
import {
  awaitLoop,
  type BenchHook,
  bare,
  execute,
  keepingTool,
  PARAMS,
  syncHooks,
} from './fixtures.ts'
import { ownFunction, type Suite } from './runner.ts'

type Call = () => unknown
interface BenchContext {
  readonly toolName: string
  readonly params: Record<string, unknown>
}
type AnyTool = (params: Record<string, unknown>, ctx: BenchContext) => Promise<unknown>

/** Functions that only pass on, as the least that an onion of that depth costs. */
function koaNoOps(count: number): Call {
  const layers = Array.from({ length: count }, () =>
    ownFunction<koaCompose.Middleware<BenchContext>>(`async (ctx, next) => { await next() }`),
  )
  const tool = keepingTool() as AnyTool
  const composed = koaCompose(layers)
  return () => {
    const ctx = { toolName: 'read_file', params: PARAMS }
    return composed(ctx, () => tool(PARAMS, ctx) as Promise<never>)
  }
}

interface HookableEvents {
  before(ctx: BenchContext): void
  after(ctx: BenchContext, outcome: { readonly failed: boolean }): void
}

/** `callHook` before and after the tool. It does less: nothing can be denied, no fault is contained. */
function hookablePair(hooks: readonly BenchHook[]): Call {
  const hookable = createHooks<HookableEvents>()
  for (const hook of hooks) {
    hookable.hook('before', (ctx) => void hook.before(ctx))
    hookable.hook('after', (ctx, outcome) => void hook.after(ctx, outcome))
  }
  const tool = keepingTool() as AnyTool
  return async () => {
    const ctx = { toolName: 'read_file', params: PARAMS }
    await hookable.callHook('before', ctx)
    const result = await tool(PARAMS, ctx)
    const outcome = { status: 'completed', failed: false, result }
    await hookable.callHook('after', ctx, outcome)
    return outcome
  }
}

/** A bail hook before and a series after the tool. */
function tapablePair(hooks: readonly BenchHook[]): Call {
  const before = new AsyncSeriesBailHook<[BenchContext], string>(['ctx'])
  const after = new AsyncSeriesHook<[BenchContext, { failed: boolean }]>(['ctx', 'outcome'])
  for (const hook of hooks) {
    // A tap that answers undefined lets the next one speak; tapable's types do not know that.
    before.tap(hook.name, (ctx) => (hook.before(ctx) === true ? undefined : hook.name) as string)
    after.tap(hook.name, (ctx, outcome) => void hook.after(ctx, outcome))
  }
  const tool = keepingTool() as AnyTool
  return async () => {
    const ctx = { toolName: 'read_file', params: PARAMS }
    if ((await before.promise(ctx)) !== undefined) throw new Error('denied')
    const result = await tool(PARAMS, ctx)
    const outcome = { status: 'completed', failed: false, result }
    await after.promise(ctx, outcome)
    return outcome
  }
}

/** Ten of ours beside ten of theirs. */
export const ten: Suite = {
  name: 'ten',
  contenders: () => [
    { name: 'bare', call: bare() },
    { name: '10 sync hooks', call: execute(syncHooks(10)) },
    { name: 'koa-compose, 10 no-ops', call: koaNoOps(10) },
    { name: 'await loop, 10 sync hooks', call: awaitLoop(syncHooks(10)) },
    { name: 'tapable, 10 sync taps', call: tapablePair(syncHooks(10)) },
  ],
}

export const five: Suite = {
  name: 'five',
  contenders: () => [
    { name: 'bare', call: bare() },
    { name: '5 sync hooks', call: execute(syncHooks(5)) },
    { name: 'hookable, 5 sync hooks', call: hookablePair(syncHooks(5)) },
  ],
}
