import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AfterToolCallEvent } from '../../../lib/plugin/types.ts'
import type { Outcome } from '../../../lib/types.ts'
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'
import { bundledHost, completed, deferred, hookOf } from '../../helpers/plugins.ts'

afterEach(() => vi.useRealTimers())

const failed = (error: unknown): Outcome =>
  ({
    status: 'failed',
    failed: true,
    executed: true,
    text: '',
    durationMs: 5,
    code: 'TOOL_FAILED',
    by: 'tool',
    error,
  }) as Outcome

function badly(): Error {
  return Object.defineProperty(new Error(), 'message', {
    get() {
      throw new Error('unreadable')
    },
  })
}

describe('after_tool_call (P3)', () => {
  it('has the final params, the result and the duration, and only what is known (rules 76, 77)', async () => {
    const seen: AfterToolCallEvent[] = []
    const { host } = await bundledHost((api) =>
      api.on('after_tool_call', (event) => void seen.push({ ...event })),
    )
    const { after: observe } = hookOf(host)
    await observe?.(
      hookContext({ toolName: 'exec', params: { command: 'ls' }, runId: 'r', toolCallId: 'c' }),
      completed({ stdout: 'x', exitCode: 1 }),
    )
    await observe?.(hookContext({ toolName: 'exec' }), completed(undefined))
    await observe?.(hookContext({ toolName: 'exec' }), failed(new RangeError('too far')))
    expect(seen).toEqual([
      {
        toolName: 'exec',
        params: { command: 'ls' },
        runId: 'r',
        toolCallId: 'c',
        durationMs: 5,
        result: { stdout: 'x', exitCode: 1 },
      },
      { toolName: 'exec', params: {}, durationMs: 5 },
      { toolName: 'exec', params: {}, durationMs: 5, error: 'too far' },
    ])
    expect(seen.map((event) => 'result' in event)).toEqual([true, false, false])
  })

  it('tells an abort apart from success (BR-062)', async () => {
    const seen: unknown[] = []
    const { host } = await bundledHost((api) =>
      api.on('after_tool_call', (event) => void seen.push(event.error)),
    )
    const aborted = { ...failed('gave up'), status: 'aborted', code: 'ABORTED' } as Outcome
    await hookOf(host).after?.(hookContext(), aborted)
    expect(seen).toEqual(['gave up'])
  })

  it.each([
    ['an object without a prototype', Object.create(null), '{}'],
    ['an error whose message throws', badly(), 'a value that cannot be read'],
    [
      'an error whose message is no text',
      Object.assign(new Error(), { message: { a: 1 } }),
      '{"a":1}',
    ],
    ['an object', { code: 7 }, '{"code":7}'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
  ])('hears as text of a tool that threw %s', async (_what, error, said) => {
    const seen: unknown[] = []
    const { host } = await bundledHost((api) =>
      api.on('after_tool_call', (event) => void seen.push(event.error)),
    )
    await hookOf(host).after?.(hookContext(), failed(error))
    expect(seen).toEqual([said])
  })

  it('does not run for calls that never ran: its ring has no skipped (rules 75, 79: stricter)', async () => {
    const { host } = await bundledHost((api) => api.on('after_tool_call', () => {}))
    expect(hookOf(host).skipped).toBeUndefined()
  })

  it('starts all handlers together and waits for none of them in the pipeline (rule 2)', async () => {
    const gate = deferred()
    const seen: string[] = []
    const { host } = await bundledHost((api) => {
      api.on('after_tool_call', async () => {
        seen.push('one')
        await gate.promise
        seen.push('one ends')
      })
      api.on('after_tool_call', () => void seen.push('two'))
    })
    const ring = hookOf(host)
    expect(ring.detached).toBe(true)
    const work = ring.after?.(hookContext(), completed('ok'))
    expect(seen).toEqual(['one', 'two'])
    gate.resolve()
    await work
    expect(seen).toEqual(['one', 'two', 'one ends'])
  })

  it('gives every handler a copy that it can spoil alone', async () => {
    const result = { list: [1] }
    const ctx = hookContext({ params: { a: { b: 1 } } })
    const seen: unknown[] = []
    const { host } = await bundledHost((api) => {
      api.on('after_tool_call', (event) => {
        ;(event.result as { list: number[] }).list.push(2)
        ;(event.params['a'] as { b: number }).b = 2
      })
      api.on('after_tool_call', (event) => void seen.push(event.result, event.params))
    })
    await hookOf(host).after?.(ctx, completed(result))
    expect(seen).toEqual([{ list: [1] }, { a: { b: 1 } }])
    expect(result).toEqual({ list: [1] })
  })

  it('shows the result as it was when the call ended, also to a handler that looks later', async () => {
    const result = { list: [1] }
    const gate = deferred()
    let seen: unknown
    const { host } = await bundledHost((api) =>
      api.on('after_tool_call', async (event) => {
        await gate.promise
        seen = event.result
      }),
    )
    const work = hookOf(host).after?.(hookContext(), completed(result))
    result.list.push(2)
    gate.resolve()
    await work
    expect(seen).toEqual({ list: [1] })
  })

  it('gives what can be copied of a live result, and nothing of one that cannot', async () => {
    const seen: unknown[] = []
    const { host } = await bundledHost((api) =>
      api.on('after_tool_call', (event) => void seen.push(event.result)),
    )
    const { after: observe } = hookOf(host)
    await observe?.(hookContext(), completed({ text: 'x', close() {} }))
    const cycle: Record<string, unknown> = { close() {} }
    cycle['self'] = cycle
    await observe?.(hookContext(), completed(cycle))
    expect(seen).toEqual([{ text: 'x' }, undefined])
  })

  it('logs a handler that throws, rejects or takes 30 000 ms, and goes on (rule 75, section 2: bounded)', async () => {
    vi.useFakeTimers()
    const { host } = await bundledHost((api) => {
      api.on('after_tool_call', () => {
        throw new Error('sync')
      })
      api.on('after_tool_call', () => Promise.reject(new Error('async')))
      api.on('after_tool_call', () => new Promise(() => {}))
    })
    const { log, lines } = recordingLogger()
    let done = false
    void Promise.resolve(hookOf(host).after?.(hookContext({ log }), completed('ok'))).then(() => {
      done = true
    })
    await vi.advanceTimersByTimeAsync(29_999)
    expect(done).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(done).toBe(true)
    expect(lines.map(({ message }) => message)).toEqual([
      'after_tool_call of plugin a failed: sync; the call is not affected',
      'after_tool_call of plugin a failed: async; the call is not affected',
      'after_tool_call of plugin a failed: timed out after 30000ms; the call is not affected',
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('goes by the matcher, and does nothing at all when nobody cares (rule 79, BR-017)', async () => {
    const handler = vi.fn()
    const { host } = await bundledHost((api) =>
      api.on('after_tool_call', handler, { matcher: ['bash'] }),
    )
    const clone = vi.spyOn(globalThis, 'structuredClone')
    expect(
      hookOf(host).after?.(hookContext({ toolName: 'read' }), completed({ a: 1 })),
    ).toBeUndefined()
    expect(clone).not.toHaveBeenCalled()
    clone.mockRestore()
    await hookOf(host).after?.(hookContext({ toolName: 'Bash' }), completed('x'))
    expect(handler).toHaveBeenCalledTimes(1)
  })

  it('keeps two calls with the same id apart (rule 78)', async () => {
    const seen: unknown[] = []
    const { host } = await bundledHost((api) =>
      api.on('after_tool_call', ({ runId, params }) => void seen.push([runId, params])),
    )
    const { after: observe } = hookOf(host)
    await Promise.all([
      observe?.(hookContext({ toolCallId: 'c', runId: '1', params: { n: 1 } }), completed('x')),
      observe?.(hookContext({ toolCallId: 'c', runId: '2', params: { n: 2 } }), completed('x')),
    ])
    expect(seen).toEqual([
      ['1', { n: 1 }],
      ['2', { n: 2 }],
    ])
  })

  it('watches forty results at once without a listener warning', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const gates = Array.from({ length: 40 }, () => deferred())
    const { host } = await bundledHost((api) => {
      for (const gate of gates) {
        api.on('after_tool_call', (_event, ctx) => {
          void ctx.abortSignal
          return gate.promise
        })
      }
    })
    const work = hookOf(host).after?.(hookContext(), completed('ok'))
    for (const gate of gates) gate.resolve()
    await work
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })
})
