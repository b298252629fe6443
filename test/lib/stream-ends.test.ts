import { describe, expect, it, vi } from 'vitest'
import { streamSafe, type ToolStream, type Toolware } from '../../lib/index.ts'
import { call, deferred, never, quietApp } from '../helpers/call.ts'

const iterator = <C>(stream: ToolStream<C>): AsyncGenerator<C> =>
  stream[Symbol.asyncIterator]() as AsyncGenerator<C>

async function* letters(): AsyncGenerator<string> {
  yield* ['a', 'b', 'c']
}

async function read(stream: ToolStream): Promise<unknown[]> {
  const chunks: unknown[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk)
  } catch (error) {
    chunks.push(error)
  }
  return chunks
}

describe('a stream that its consumer gives up', () => {
  it('ends when an error is thrown into it before the first chunk', async () => {
    const left = new Error('left')
    const after = vi.fn()
    const app = quietApp().use({ name: 'h', after: (_ctx, { status }) => after(status) })
    const stream = app.stream(call(), letters)
    await expect(iterator(stream).throw(left)).rejects.toBe(left)
    expect(await stream.outcome).toMatchObject({ status: 'failed', error: left, executed: true })
    expect(after.mock.calls).toEqual([['failed']])
  })

  it('ends while a chunk is being waited for', async () => {
    const stream = quietApp().stream(call(), async function* () {
      yield 'a'
      await never()
    })
    const chunks = iterator(stream)
    await chunks.next()
    const pending = chunks.next()
    expect(await chunks.return(undefined)).toEqual({ done: true, value: undefined })
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(await stream.outcome).toMatchObject({ status: 'completed', result: ['a'] })
  })

  it('does not hear of a tool that cannot clean up', async () => {
    const source = {
      next: async () => ({ value: 'a', done: false }),
      return: () => {
        throw new Error('cannot')
      },
    }
    const stream = quietApp().stream(call(), () => ({ [Symbol.asyncIterator]: () => source }))
    for await (const chunk of stream) {
      expect(chunk).toBe('a')
      break
    }
    expect(await stream.outcome).toMatchObject({ status: 'completed', result: ['a'] })
  })
})

describe('a stream that the call gives up', () => {
  const buffered = (app: Toolware): Toolware => app.use(async (_ctx, next) => void (await next()))

  it('is read no further when it is buffered and the caller aborts', async () => {
    const controller = new AbortController()
    const cleaned = deferred<unknown>()
    let pulls = 0
    const app = buffered(quietApp())
    const stream = app.stream(call({ signal: controller.signal }), async function* () {
      try {
        for (; pulls < 1000; pulls++) yield ''
      } finally {
        cleaned.resolve(undefined)
      }
    })
    controller.abort()
    expect((await stream.outcome).status).toBe('aborted')
    await cleaned.promise
    expect(pulls).toBe(0)
  })

  it('passes no chunk on that came after ctx.deny', async () => {
    const app = quietApp().use(
      streamSafe(async (ctx, next) => {
        ctx.transform((chunk) => {
          if (chunk === 'b') ctx.deny('enough')
          return chunk
        })
        await next()
      }),
      { name: 'watch' },
    )
    const stream = app.stream(call(), letters)
    expect(await read(stream)).toEqual(['a', expect.objectContaining({ code: 'DENIED' })])
    expect(await stream.outcome).toMatchObject({
      status: 'failed',
      code: 'DENIED',
      by: 'watch',
      executed: true,
    })
  })

  for (const isSafe of [true, false]) {
    it(`says whose transform threw (${isSafe ? 'live' : 'buffered'})`, async () => {
      const errors = vi.fn()
      const watch = async (ctx: Parameters<typeof masks>[0], next: () => Promise<unknown>) => {
        masks(ctx)
        await next()
      }
      const app = quietApp().use(isSafe ? streamSafe(watch) : watch, { name: 'watch' })
      app.on('error', ({ hook, phase }) => errors(hook, phase))
      const stream = app.stream(call(), letters)
      await read(stream)
      expect(await stream.outcome).toMatchObject({ code: 'HOOK_FAILED', by: 'watch' })
      expect(errors.mock.calls).toEqual([['watch', 'transform']])
    })
  }
})

describe('a tool that does not stream as it should', () => {
  it('fails when its next() answers no object, which is no end', async () => {
    const source = { next: async () => undefined as never }
    const stream = quietApp().stream(call(), () => ({ [Symbol.asyncIterator]: () => source }))
    const [error] = await read(stream)
    expect(error).toBeInstanceOf(TypeError)
    expect(await stream.outcome).toMatchObject({ status: 'failed', code: 'TOOL_FAILED', error })
  })
})

it('refuses a call that is none, as execute does', () => {
  expect(() => quietApp().stream(null as never, letters)).toThrow(
    /call must be an object; got null/,
  )
})

function masks(ctx: { transform(fn: (chunk: unknown) => unknown): void }): void {
  ctx.transform(() => {
    throw new Error('broken')
  })
}
