import { PassThrough, Readable } from 'node:stream'
import type { Io } from '../../bin/command.ts'

export interface FakeIo {
  readonly io: Io
  readonly out: () => string
  readonly err: () => string
}

/** What a command sees of the world, with a terminal of 80 columns or without. Commands run in this process. */
export function fakeIo(
  cwd: string,
  options: { readonly isTTY: boolean; readonly input?: string },
): FakeIo {
  const texts = { out: '', err: '' }
  const output = (name: keyof typeof texts) => {
    const stream = new PassThrough()
    stream.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
    return Object.assign(stream, { isTTY: options.isTTY, columns: 80 })
  }
  const stdin = Object.assign(Readable.from([options.input ?? '']), {
    isTTY: options.isTTY && options.input === undefined,
  })
  const io = {
    stdin,
    stdout: output('out'),
    stderr: output('err'),
    env: { NO_COLOR: '1', HOME: cwd },
    cwd,
    signal: new AbortController().signal,
  }
  return { io: io as unknown as Io, out: () => texts.out, err: () => texts.err }
}
