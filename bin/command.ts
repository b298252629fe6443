import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Environment, Screen } from './terminal.ts'
import { oneLine, UsageError } from './usage-error.ts'

/** Where a command writes. */
export interface Output extends Screen {
  write(text: string): boolean
  on(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
  readonly writable: boolean
}

/** What a command knows of the world around it: the parts of `process` that it may use. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string> & Screen & NodeJS.ReadableStream
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Environment
  readonly cwd: string
  /** Fires when the person wants the program to end. */
  readonly signal: AbortSignal
}

/** A command of `toolware`. */
export interface Command {
  readonly help: string
  /** @returns The exit code. */
  run(args: readonly string[], io: Io): Promise<number>
}

type Options = NonNullable<ParseArgsConfig['options']>
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>
>

/** Parses options. @throws {UsageError} for an unknown, incomplete or empty one. */
export function parseOptions<O extends Options>(args: readonly string[], options: O): Parsed<O> {
  let parsed: Parsed<O>
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    // What follows the first sentence tells how to pass files whose names begin with a dash; nobody meant that.
    const [said = ''] = oneLine(error).split(/\. (?=To specify )/)
    throw new UsageError(`${said}; --help tells the options`)
  }
  // A variable of the shell that is not set. As a path it would be the working directory.
  const empty = Object.entries(parsed.values).find(([, value]) => value === '')?.[0]
  if (empty !== undefined) throw new UsageError(`--${empty}: "" is empty; give a value`)
  if (parsed.positionals.includes('')) throw new UsageError('an argument is empty: ""')
  return parsed
}

/** The one positional argument there may be. */
export function onlyOne(positionals: readonly string[], what: string): string | undefined {
  if (positionals.length > 1) {
    throw new UsageError(
      `give one ${what}, not ${positionals.length}: "${positionals[1]}" is too many`,
    )
  }
  return positionals[0]
}

/** Writes, and waits while the reader is slow. False when there is no reader any more. */
export async function write(output: Output, text: string): Promise<boolean> {
  if (!output.writable) return false
  if (output.write(text)) return true
  await new Promise<void>((resolve) => {
    const done = (): void => {
      output.off('drain', done)
      output.off('close', done)
      resolve()
    }
    output.on('drain', done)
    output.on('close', done)
  })
  return output.writable
}
