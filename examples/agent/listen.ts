import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  readonly server: Server
  readonly url: string
}

/** Listens on this machine only; port 0 is any free one. */
export async function listen(handle: RequestListener, port = 0): Promise<Listening> {
  const server = createServer(handle)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
