import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathProblem } from '../lib/path-problem.ts'
import { type NumberedCall, readCalls } from './calls.ts'
import { type Io, write } from './command.ts'
import { readLines } from './lines.ts'
import { readTranscript, type Transcript } from './transcripts.ts'
import { oneLine, UsageError } from './usage-error.ts'

/** Where calls come from. */
export interface CallSource {
  /** In errors: the file as it was named, or `stdin`. */
  readonly name: string
  readonly isStdin: boolean
  /** A regular file can be read twice. */
  readonly rereadable: boolean
  calls(): AsyncGenerator<NumberedCall>
}

/**
 * The calls of a file, or of stdin when there is none or it is `-`.
 *
 * @throws {UsageError} for a file that is not there, cannot be read, is a directory or empty, and when stdin is a terminal.
 */
export async function openCalls(
  file: string | undefined,
  io: Io,
  from?: Transcript,
): Promise<CallSource> {
  if (file === undefined || file === '-') {
    if (io.stdin.isTTY) {
      throw new UsageError(
        'no calls: name a file of calls, or pipe them in, one JSON object a line',
      )
    }
    const calls = (): AsyncGenerator<NumberedCall> => read(io.stdin, 'stdin', from)
    return { name: 'stdin', isStdin: true, rereadable: false, calls }
  }
  const path = resolve(io.cwd, file)
  const problem = pathProblem(path, 'file', 'a file of calls')
  if (problem !== undefined) throw new UsageError(`${file}: ${problem}`)
  const found = await stat(path)
  const rereadable = found.isFile()
  // A pipe may bring nothing; a file without a byte is one that somebody forgot to write.
  if (rereadable && found.size === 0) {
    throw new UsageError(`${file}: is empty; write one call, a JSON object, a line`)
  }
  const calls = (): AsyncGenerator<NumberedCall> => read(openFile(path, file), file, from)
  return { name: file, isStdin: false, rereadable, calls }
}

function read(
  chunks: AsyncIterable<Uint8Array | string>,
  name: string,
  from: Transcript | undefined,
): AsyncGenerator<NumberedCall> {
  const lines = readLines(chunks, name)
  return from === undefined ? readCalls(lines, name) : readTranscript(lines, name, from)
}

async function* openFile(path: string, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw new UsageError(`${name}: cannot be read: ${oneLine(error)}`)
  }
}

/** Says on stderr that a recording holds no call: it may be somebody else's, and then nothing was judged. */
export async function tellEmpty({ name }: CallSource, from: Transcript, io: Io): Promise<void> {
  if (io.signal.aborted) return
  await write(io.stderr, `toolware: ${name}: no tool call in the form of --from ${from} is in it\n`)
}

/** All calls, validated before the first is given: a file is read twice, a pipe is kept. */
export async function validated(
  source: CallSource,
): Promise<AsyncIterable<NumberedCall> | Iterable<NumberedCall>> {
  if (!source.rereadable) {
    const kept: NumberedCall[] = []
    for await (const call of source.calls()) kept.push(call)
    return kept
  }
  for await (const _ of source.calls()) {
    // Reading it is the validation.
  }
  return source.calls()
}
