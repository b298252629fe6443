import { describe, expect, it, vi } from 'vitest'
import {
  deny,
  type Outcome,
  streamSafe,
  ToolDeniedError,
  type ToolHook,
  Toolware,
} from '../../lib/index.ts'
import { call, deferred, quietApp, quietLog } from '../helpers/call.ts'

async function* letters(): AsyncGenerator<string> {
  yield 'a'
  yield 'b'
  yield 'c'
}

async function collect<C>(stream: AsyncIterable<C>): Promise<C[]> {
  const chunks: C[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

describe('app.stream', () => {
  it('passes chunks as they come, and runs the way out when the stream ends', async () => {
    const log: string[] = []
    const app = quietApp().use({
      name: 'h',
      check: (ctx) => {
        log.push(`check ${ctx.isStreaming}`)
        return true
      },
      after: (_c, o) => log.push(`after ${o.status} ${o.text}`),
    })
    const stream = app.stream(call(), letters)
    for await (const chunk of stream) log.push(chunk)
    expect(log).toEqual(['check true', 'a', 'b', 'c', 'after completed abc'])
    expect(await stream.outcome).toMatchObject({
      status: 'completed',
      result: ['a', 'b', 'c'],
      executed: true,
    })
  })

  it('pulls the tool only when somebody iterates', async () => {
    const pulled = vi.fn()
    const stream = quietApp().stream(call(), async function* () {
      pulled()
      yield 1
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(pulled).not.toHaveBeenCalled()
    expect(await collect(stream)).toEqual([1])
  })

  it('runs the way out when the stream is abandoned, and lets the tool clean up', async () => {
    const log: string[] = []
    const app = quietApp().use({ name: 'h', after: (_c, o) => log.push(`after ${o.status}`) })
    const stream = app.stream(call(), async function* () {
      try {
        yield* letters()
      } finally {
        log.push('cleaned')
      }
    })
    for await (const chunk of stream) {
      log.push(chunk)
      break
    }
    expect(await stream.outcome).toMatchObject({ status: 'completed', result: ['a'] })
    expect(log.sort()).toEqual(['a', 'after completed', 'cleaned'])
  })

  it('runs the way out when it is abandoned before the first chunk', async () => {
    const stream = quietApp().stream(call(), letters)
    await stream[Symbol.asyncIterator]().return?.()
    expect(await stream.outcome).toMatchObject({ status: 'completed', result: [] })
  })

  it("throws the tool's own error by identity", async () => {
    const boom = new Error('boom')
    const stream = quietApp().stream(call(), async function* () {
      yield 'a'
      throw boom
    })
    await expect(collect(stream)).rejects.toBe(boom)
    expect(await stream.outcome).toMatchObject({
      status: 'failed',
      code: 'TOOL_FAILED',
      error: boom,
    })
  })

  it('throws ToolDeniedError when the call is blocked, while outcome never rejects', async () => {
    const stream = quietApp()
      .use({ name: 'no', check: () => deny('no') })
      .stream(call(), letters)
    await expect(collect(stream)).rejects.toBeInstanceOf(ToolDeniedError)
    expect(await stream.outcome).toMatchObject({ status: 'blocked', by: 'no' })
  })

  it("ends with the signal's reason when aborted in the middle", async () => {
    const controller = new AbortController()
    const reason = new Error('gone')
    const seen: string[] = []
    const stream = quietApp().stream(call({ signal: controller.signal }), async function* () {
      yield 'a'
      await new Promise(() => undefined)
    })
    const work = (async () => {
      for await (const chunk of stream) {
        seen.push(chunk as string)
        controller.abort(reason)
      }
    })()
    await expect(work).rejects.toBe(reason)
    expect(seen).toEqual(['a'])
    expect(await stream.outcome).toMatchObject({ status: 'aborted', executed: true })
  })

  it('buffers for a middleware function, which may mask the whole, and says so once', async () => {
    const log = quietLog()
    const app = new Toolware({ log }).use(async (ctx, next) => {
      await next()
      ctx.result = (ctx.result as string[]).map(() => '*')
    })
    const gate = deferred<void>()
    const seen: unknown[] = []
    const stream = app.stream(call(), async function* () {
      yield 'secret'
      await gate.promise
      yield 'more'
    })
    const work = (async () => {
      for await (const chunk of stream) seen.push(chunk)
    })()
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual([])
    gate.resolve()
    await work
    expect(seen).toEqual(['*', '*'])
    await collect(app.stream(call(), letters))
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })

  it('fails a stream that is too long to be buffered', async () => {
    const app = quietApp().use(async (_c, next) => {
      await next()
    })
    const stream = app.stream(call(), async function* () {
      for (let i = 0; i < 11; i++) yield 'x'.repeat(100_000)
    })
    await expect(collect(stream)).rejects.toThrow(/1000000 characters/)
    expect(await stream.outcome).toMatchObject({ status: 'failed' })
  })

  it('does not buffer for hooks, adapt() or streamSafe functions', async () => {
    const app = quietApp()
      .use({ name: 'h', check: () => true })
      .use(
        streamSafe(async (_c, next) => {
          await next()
        }),
      )
    const first = await app
      .stream(call(), async function* () {
        yield 'a'
        await new Promise(() => undefined)
      })
      [Symbol.asyncIterator]()
      .next()
    expect(first).toEqual({ done: false, value: 'a' })
  })

  it('changes chunks as they pass through ctx.transform, the innermost first', async () => {
    const mark = (m: string) =>
      streamSafe(async (ctx, next) => {
        ctx.transform((chunk) => `${String(chunk)}${m}`)
        await next()
      })
    expect(await collect(quietApp().use(mark('1')).use(mark('2')).stream(call(), letters))).toEqual(
      ['a21', 'b21', 'c21'],
    )
  })

  it('withholds the rest when a transform throws', async () => {
    const app = quietApp().use(
      streamSafe(async (ctx, next) => {
        ctx.transform((chunk) => {
          if (chunk === 'b') throw new Error('mask broke')
          return chunk
        })
        await next()
      }),
    )
    const seen: unknown[] = []
    const stream = app.stream(call(), letters)
    await expect(
      (async () => {
        for await (const chunk of stream) seen.push(chunk)
      })(),
    ).rejects.toThrow(/withheld|mask broke/)
    expect(seen).toEqual(['a'])
    expect(await stream.outcome).toMatchObject({
      status: 'failed',
      code: 'HOOK_FAILED',
      executed: true,
    })
  })

  it('yields what a middleware answered in place of the tool', async () => {
    const app = quietApp().use(
      streamSafe(async (ctx, next) => {
        ctx.respond(['x', 'y'])
        await next()
      }),
    )
    expect(await collect(app.stream(call(), letters))).toEqual(['x', 'y'])
  })

  it('keeps what hooks see within bounds, and passes the rest', async () => {
    let outcome: Outcome | undefined
    const hook: ToolHook = {
      name: 'h',
      after: (_c, o) => {
        outcome = o
      },
    }
    const chunks = await collect(
      quietApp()
        .use(hook)
        .stream(call(), async function* () {
          for (let i = 0; i < 12; i++) yield 'x'.repeat(100_000)
        }),
    )
    expect(chunks).toHaveLength(12)
    expect(outcome?.status === 'completed' && (outcome.result as unknown[]).length).toBe(10)
  })

  it('refuses a tool that is none', () => {
    expect(() => quietApp().stream(call(), undefined as never)).toThrow(TypeError)
  })
})
