import { EventEmitter, getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  Connections,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
} from '../../../middleware/web/connections.ts'

interface FakeSocket extends EventEmitter {
  destroyed: boolean
}

interface FakeResponse extends EventEmitter {
  destroyed: boolean
  writableEnded: boolean
  writableFinished: boolean
}

const fakeSocket = (): FakeSocket => Object.assign(new EventEmitter(), { destroyed: false })

function fakeResponse(over: Partial<FakeResponse> = {}): FakeResponse {
  const state = { destroyed: false, writableEnded: false, writableFinished: false }
  return Object.assign(new EventEmitter(), state, over)
}

/** Ends a response as a server does that has sent all of it. */
function finish(res: FakeResponse): void {
  Object.assign(res, { writableEnded: true, writableFinished: true })
  res.emit('close')
}

function watch(
  connections: Connections,
  socket: FakeSocket | null,
  res = fakeResponse(),
): { readonly exchange: Exchange; readonly res: FakeResponse } {
  const exchange = connections.watch(
    { socket } as HttpRequest,
    res as EventEmitter as EventEmitter & HttpResponse,
  )
  return { exchange, res }
}

/** Collects garbage for real, after what is pending has run. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    gc()
  }
}

describe('Connections', () => {
  it('aborts when the response closes before it was finished', () => {
    const { exchange, res } = watch(new Connections(), fakeSocket())
    res.emit('close')
    expect(exchange.signal.reason).toMatchObject({ name: 'ToolwareError', code: 'ABORTED' })
  })

  it.each([
    ['was ended but not sent', { writableEnded: true, writableFinished: false }],
    ['was cancelled, as HTTP/2 shows it', { writableEnded: false, writableFinished: true }],
  ])('takes a response for unfinished that %s', (_, state) => {
    const { exchange, res } = watch(new Connections(), fakeSocket(), fakeResponse(state))
    res.emit('close')
    expect(exchange.signal.aborted).toBe(true)
  })

  it('aborts once: the socket after the response changes nothing', () => {
    const socket = fakeSocket()
    const { exchange, res } = watch(new Connections(), socket)
    res.emit('close')
    const { reason } = exchange.signal
    socket.emit('close')
    expect(exchange.signal.reason).toBe(reason)
  })

  it('does without a socket, as servers in tests have it', () => {
    const { exchange, res } = watch(new Connections(), null)
    res.emit('close')
    expect(exchange.signal.aborted).toBe(true)
  })

  it('puts one listener on a socket for all its requests', () => {
    const connections = new Connections()
    const socket = fakeSocket()
    for (let i = 0; i < 100; i++) finish(watch(connections, socket).res)
    const open = Array.from({ length: 100 }, () => watch(connections, socket))
    expect(socket.listenerCount('close')).toBe(1)
    socket.emit('close')
    expect(open.every(({ exchange }) => exchange.signal.aborted)).toBe(true)
  })

  it('follows a signal of the host, with its reason, until the response is closed', () => {
    const connections = new Connections()
    const shutdown = new AbortController()
    const running = watch(connections, fakeSocket())
    const done = watch(connections, fakeSocket())
    const late = watch(connections, fakeSocket())
    running.exchange.follow(shutdown.signal)
    done.exchange.follow(shutdown.signal)
    finish(done.res)
    finish(late.res)
    late.exchange.follow(shutdown.signal)
    expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(1)
    shutdown.abort('shutting down')
    expect(running.exchange.signal.reason).toBe('shutting down')
    expect([done.exchange.signal.aborted, late.exchange.signal.aborted]).toEqual([false, false])
  })

  it('hears at once of a signal that was aborted before', () => {
    const { exchange } = watch(new Connections(), fakeSocket())
    exchange.follow(AbortSignal.abort('over'))
    expect(exchange.signal.reason).toBe('over')
  })

  it('keeps nothing of finished requests while their connection and the server live on', async () => {
    const connections = new Connections()
    const socket = fakeSocket()
    const shutdown = new AbortController()
    const finished = Array.from({ length: 20 }, () => {
      const { exchange, res } = watch(connections, socket)
      exchange.follow(shutdown.signal)
      finish(res)
      return new WeakRef(exchange)
    })
    await collectGarbage()
    expect(finished.filter((exchange) => exchange.deref() !== undefined)).toEqual([])
    expect([socket.listenerCount('close'), shutdown.signal.aborted]).toEqual([1, false])
  })
})
