import { describe, expectTypeOf, it } from 'vitest'
import { definePlugin, definePluginEntry, PluginHost } from '../../lib/plugin/index.ts'
import { Toolware } from '../../lib/toolware.ts'
import type { Requester } from '../../lib/types.ts'

describe('definePluginEntry()', () => {
  it('gives handlers their types by the name of the event', () => {
    definePluginEntry({
      id: 'p',
      register(api) {
        api.on('before_tool_call', (event, ctx) => {
          expectTypeOf(event.toolName).toEqualTypeOf<string>()
          expectTypeOf(event.params).toEqualTypeOf<Record<string, unknown>>()
          expectTypeOf(ctx.requester).toEqualTypeOf<Requester | undefined>()
          expectTypeOf(ctx.abortSignal).toEqualTypeOf<AbortSignal>()
          if (ctx.agentId === 'x') return
          return { block: true, blockReason: 'no' }
        })
        api.on('tool:before', async (ctx) => {
          expectTypeOf(ctx.phase).toEqualTypeOf<'before'>()
          return ctx.arguments === '{}'
        })
        api.on('tool:after', (ctx) => expectTypeOf(ctx.result).toEqualTypeOf<string>())
        api.on('tool:*', (ctx) => expectTypeOf(ctx.phase).toEqualTypeOf<'before' | 'after'>())
        api.on('after_tool_call', (event) => expectTypeOf(event.result).toEqualTypeOf<unknown>())
        api.on('resolve_exec_env', () => ({ A: 'b' }), { priority: 5, timeoutMs: 100 })
        api.on('tool_result_persist', ({ message }) => ({ message: { ...message } }))
        api.on('before_message_write', () => ({ block: true }))
        api.registerCommand({
          name: 'fix',
          description: 'd',
          requireAuth: true,
          handler: async (ctx) => (ctx.agentId === 'x' ? { continueAgent: true } : { text: 'no' }),
        })
      },
    })
  })

  it('lets handlers answer with params of an interface', () => {
    interface Deploy {
      to: string
    }
    const params: Deploy = { to: 'prod' }
    definePlugin({
      id: 'p',
      register(api) {
        api.on('before_tool_call', () => ({ params }))
        api.on('before_tool_call', ({ params }) => ({ params: { ...params, to: 'prod' } }))
        // @ts-expect-error a list is no object of params
        api.on('before_tool_call', () => ({ params: [params] }))
      },
    })
  })

  it('refuses events, answers and options that are none', () => {
    definePlugin({
      id: 'p',
      register(api) {
        // @ts-expect-error there is no such event
        api.on('before_tool_cal', () => {})
        // @ts-expect-error an answer is an object or nothing
        api.on('before_tool_call', () => true)
        // @ts-expect-error block is a boolean
        api.on('before_tool_call', () => ({ block: 'yes' }))
        // @ts-expect-error a matcher is a list
        api.on('before_tool_call', () => {}, { matcher: 'exec' })
        // @ts-expect-error a synchronous event
        api.on('before_message_write', async () => ({ block: true }))
        // @ts-expect-error variables are text
        api.on('resolve_exec_env', () => ({ A: 1 }))
        // @ts-expect-error a hook needs a phase
        api.registerHook({ name: 'x' })
      },
    })
    // @ts-expect-error register is missing
    definePlugin({ id: 'p' })
  })

  it('yields a source of hooks', () => {
    new Toolware().use(new PluginHost())
  })
})
