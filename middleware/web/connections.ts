import { ToolwareError } from '../../lib/errors.ts'
import { type Abortable, type Followers, SignalHub } from '../../lib/signal.ts'

interface Closes {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** What a mount needs of a request. That of `node:http` fits, and that of `node:http2`. */
export interface HttpRequest {
  readonly socket: Closes | null
}

/** What a mount needs of a response. That of `node:http` fits, and that of `node:http2`. */
export interface HttpResponse extends Closes {
  /** The server has said all it had to say. HTTP/2 needs this beside `writableFinished`, true for a cancelled stream. */
  readonly writableEnded: boolean
  /** Everything was handed to the operating system. */
  readonly writableFinished: boolean
}

/**
 * Notices clients that leave before they had their whole response.
 *
 * A response tells of it by `close`. A pipelined one that still waits for its turn does not, so the socket is
 * watched as well, with one listener for its life, however many requests it carries. The request's own `close`
 * means nothing: it comes when the body has been read.
 */
export class Connections {
  readonly #open = new WeakMap<object, Set<Exchange>>()
  readonly #hub = new SignalHub()

  /** Watches from now on; a client that has left already is noticed at once. */
  watch(req: HttpRequest, res: HttpResponse): Exchange {
    const exchange = new Exchange(res, this.#hub)
    const { socket } = req
    if (res.destroyed || socket?.destroyed) {
      exchange.close()
      return exchange
    }
    const open = socket === null ? undefined : this.#openOn(socket)
    open?.add(exchange)
    res.once('close', () => {
      open?.delete(exchange)
      exchange.close()
    })
    return exchange
  }

  #openOn(socket: Closes): Set<Exchange> {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const open = new Set<Exchange>()
    this.#open.set(socket, open)
    socket.once('close', () => {
      for (const exchange of open) exchange.close()
      open.clear()
    })
    return open
  }
}

/** One request and its response. */
export class Exchange implements Abortable {
  readonly #controller = new AbortController()
  readonly #res: HttpResponse
  readonly #hub: SignalHub
  beforeFollower: Abortable | undefined
  behindFollower: Abortable | undefined
  #followers: Followers | undefined
  #closed = false

  constructor(res: HttpResponse, hub: SignalHub) {
    this.#res = res
    this.#hub = hub
  }

  /** Aborts when the client leaves before the response is finished. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Also aborts with a signal of the host's, until the response is closed. */
  follow(signal: AbortSignal): void {
    if (signal.aborted) this.abort(signal.reason)
    else if (!this.#closed) this.#followers = this.#hub.follow(signal, this)
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  close(): void {
    this.#closed = true
    this.#followers?.delete(this)
    const { writableEnded, writableFinished } = this.#res
    if (!writableEnded || !writableFinished) this.abort(clientLeft())
  }
}

function clientLeft(): ToolwareError {
  return new ToolwareError(
    'ABORTED',
    'The client closed the connection before it had the whole response.',
  )
}
