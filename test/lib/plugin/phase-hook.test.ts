import { afterEach, describe, expect, it, vi } from 'vitest'
import type { PluginApi } from '../../../lib/plugin/types.ts'
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'
import {
  bundledHost,
  completed,
  deferred,
  definitions,
  hookOf,
  loadHost,
  namesOf,
} from '../../helpers/plugins.ts'

afterEach(() => vi.useRealTimers())

const call = hookContext({
  toolName: 'shell',
  params: { command: 'ls' },
  sessionId: 's',
  channelId: 'c',
  senderId: 'u',
  correlationId: 'x',
  toolCallId: 't',
})

async function check(register: (api: PluginApi) => void, ctx = call): Promise<unknown> {
  const { host } = await bundledHost(register)
  return hookOf(host, 'plugin:a').check?.(ctx)
}

describe('tool:before, tool:after and tool:* in process', () => {
  it('makes one hook plugin:<id> for each plugin that uses them', async () => {
    const { host } = await bundledHost(
      (api) => api.on('tool:before', () => true),
      (api) => api.on('before_tool_call', () => {}),
      (api) => api.on('tool:*', () => true),
    )
    expect(namesOf(host.hooks())).toEqual(['plugin:a', 'plugin:c', 'before_tool_call'])
  })

  it.each([true, undefined, null, { allow: true }])('hears no opinion in %j', async (answer) => {
    expect(await check((api) => api.on('tool:before', () => answer))).toBeNull()
  })

  it.each([
    [false, undefined],
    [{ allow: false }, undefined],
    [{ allow: false, reason: 'no' }, 'no'],
  ])('denies on %j', async (answer, reason) => {
    expect(await check((api) => api.on('tool:before', () => answer))).toMatchObject({
      kind: 'deny',
      reason,
    })
  })

  it.each(['no', 0, '', {}, { allow: 'false' }, { deny: true }, { allow: true, arguments: '{}' }])(
    'takes %j for a fault, where the first seed lets the call pass',
    async (answer) => {
      expect(
        await check((api) => api.on('tool:before', () => answer as unknown as boolean)),
      ).toMatchObject({
        code: 'HOOK_BAD_ANSWER',
      })
    },
  )

  it('gives the context of the first seed, with its phase', async () => {
    let seen: unknown
    await check((api) =>
      api.on('tool:before', (ctx) => {
        seen = { ...ctx, isSignal: ctx.signal instanceof AbortSignal }
      }),
    )
    expect(seen).toEqual({
      phase: 'before',
      toolName: 'shell',
      arguments: '{"command":"ls"}',
      sessionId: 's',
      channelId: 'c',
      senderId: 'u',
      correlationId: 'x',
      toolCallId: 't',
      isSignal: true,
    })
  })

  it('tells tool:* of both phases', async () => {
    const seen: unknown[] = []
    const { host } = await bundledHost((api) =>
      api.on('tool:*', (ctx) => {
        seen.push(ctx.phase)
        return true
      }),
    )
    const hook = hookOf(host, 'plugin:a')
    await hook.check?.(call)
    await hook.after?.(call, completed('x'))
    expect(seen).toEqual(['before', 'after'])
  })

  it.each([
    ['text', 'text'],
    [{ a: 1 }, '{"a":1}'],
    [undefined, ''],
    [['chunks of ', 'a stream'], 'chunks of a stream'],
    [{ big: 1n }, '[object Object]'],
  ])('gives tool:after the result %o as text, as its twins do', async (result, text) => {
    let seen: unknown
    const { host } = await bundledHost((api) =>
      api.on('tool:after', (ctx) => {
        seen = ctx
        return false
      }),
    )
    await hookOf(host, 'plugin:a').after?.(call, completed(result))
    expect(seen).toMatchObject({ phase: 'after', result: text, durationMs: 5, failed: false })
  })

  it('gives every tool:after handler the result as it was when the call ended', async () => {
    const seen: string[] = []
    const gate = deferred()
    const { host } = await bundledHost((api) => {
      api.on('tool:after', () => gate.promise)
      api.on('tool:after', (ctx) => void seen.push(ctx.result))
    })
    const result = { text: 'said' }
    const told = hookOf(host, 'plugin:a').after?.(call, completed(result))
    result.text = 'changed'
    gate.resolve()
    await told
    expect(seen).toEqual(['{"text":"said"}'])
  })

  it('sorts by priority within the plugin, and stops at the first deny', async () => {
    const seen: string[] = []
    const denied = await check((api) => {
      api.on('tool:before', () => void seen.push('low'), { priority: -1 })
      api.on('tool:before', () => {
        seen.push('deny')
        return false
      })
      api.on('tool:*', () => void seen.push('high'), { priority: 1 })
    })
    expect(seen).toEqual(['high', 'deny'])
    expect(denied).toMatchObject({ kind: 'deny' })
  })

  it('asks the whole handler again about changed params, unless it says once (O11)', async () => {
    const seen: string[] = []
    const { host } = await bundledHost((api) => {
      api.on('tool:before', () => void seen.push('again'))
      api.on('tool:before', () => void seen.push('once'), { once: true })
    })
    const hook = hookOf(host, 'plugin:a')
    await hook.check?.(call)
    await hook.check?.({ ...call, recheck: true })
    expect(seen).toEqual(['again', 'once', 'again'])
  })

  it('goes by the matcher', async () => {
    expect(
      await check((api) => api.on('tool:before', () => false, { matcher: ['read'] })),
    ).toBeNull()
  })

  it('blocks when a handler throws or takes too long, unless the operator says otherwise', async () => {
    vi.useFakeTimers()
    const throws = (api: PluginApi): void =>
      api.on('tool:before', () => {
        throw new Error('boom')
      })
    expect(await check(throws)).toMatchObject({ code: 'HOOK_FAILED' })
    const late = check((api) => api.on('tool:before', () => new Promise<boolean>(() => {})))
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await late).toMatchObject({ code: 'HOOK_TIMEOUT' })
    const { host } = await loadHost({
      bundled: definitions([throws]),
      config: { entries: { a: { failOpen: ['error'] } } },
    })
    expect(await hookOf(host, 'plugin:a').check?.(call)).toBeNull()
  })

  it('goes on with the next handler after one that waited', async () => {
    const gate = deferred<boolean>()
    const answer = check((api) => {
      api.on('tool:before', () => gate.promise)
      api.on('tool:before', () => ({ allow: false, reason: 'second' }))
    })
    gate.resolve(true)
    expect(await answer).toMatchObject({ reason: 'second' })
  })

  it('logs what fails in tool:after and goes on', async () => {
    const { log, lines } = recordingLogger()
    const seen: string[] = []
    const { host } = await bundledHost((api) => {
      api.on('tool:after', () => {
        throw new Error('boom')
      })
      api.on('tool:after', () => void seen.push('next'))
    })
    await hookOf(host, 'plugin:a').after?.({ ...call, log }, completed('x'))
    expect(seen).toEqual(['next'])
    expect(lines.map(({ message }) => message)).toEqual([
      'tool:after of plugin a failed: boom; the call is not affected',
    ])
  })
})
