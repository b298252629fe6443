import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection that speaks HTTP/1.1 by hand: keep-alive, pipelined, and gone when told to. */
export interface RawClient {
  readonly socket: Socket
  /** Sends requests in one go. */
  send(...requests: ReadonlyArray<{ path: string; headers?: Record<string, string> }>): void
  /** Waits until the answers so far hold this text, and returns them. */
  until(text: string): Promise<string>
  /** Hangs up, without goodbye. */
  leave(): void
}

export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let seen = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    seen += text
  })
  return {
    socket,
    send(...requests) {
      const texts = requests.map(({ path, headers = {} }) =>
        [
          `GET ${path} HTTP/1.1`,
          'host: test',
          ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
          '\r\n',
        ].join('\r\n'),
      )
      socket.write(texts.join(''))
    },
    async until(text) {
      while (!seen.includes(text)) await once(socket, 'data')
      return seen
    },
    leave: () => void socket.destroy(),
  }
}
