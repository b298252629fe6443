import type { IncomingMessage } from 'node:http'
import { bad } from '../agent/request.ts'

const MAX_BYTES = 1024 * 1024

/** The JSON body of a request, at most 1 MiB. Throws an error with the status 400 otherwise. */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw bad('The body must not be larger than 1 MiB.')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw bad('The body must be JSON.')
  }
}
