#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { isToolwareError } from '../lib/errors.ts'
import type { Command, Io } from './command.ts'
import { StandardOutput } from './standard-output.ts'
import { plain } from './terminal.ts'
import { oneLine, UsageError } from './usage-error.ts'

interface Entry {
  readonly name: string
  readonly summary: string
  /** Commands are loaded when they are wanted, so that help and mistakes are answered at once. */
  load(): Promise<Command>
}

const COMMANDS: readonly Entry[] = [
  {
    name: 'run',
    summary: 'execute recorded calls through the pipeline, with real tools',
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'check',
    summary: 'judge recorded calls without executing them',
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'explain',
    summary: "show every hook's opinion of one call",
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'audit',
    summary: 'verify an audit file',
    load: async () => (await import('./audit.ts')).audit,
  },
  {
    name: 'plugins',
    summary: 'show what plugins were found, loaded, refused, and why',
    load: async () => (await import('./plugins.ts')).plugins,
  },
]

const HELP = `Usage: toolware <command> [options]

Middleware for the tool calls of AI agents: see, stop, ask about, change, count and record them.

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join('\n')}

  --help      this text, or that of a command
  --version   the version

Exit code 0: done; 1: where the command says so; 2: misuse, a bad configuration or bad input.
`

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const about = COMMANDS.find((command) => command.name === rest[0])
    io.stdout.write(about ? (await about.load()).help : HELP)
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    io.stdout.write(`${version()}\n`)
    return 0
  }
  const entry = COMMANDS.find((known) => known.name === name)
  if (entry === undefined) {
    const known = COMMANDS.map((one) => one.name).join(', ')
    throw new UsageError(`"${name}" is no command; there are ${known}`)
  }
  const command = await entry.load()
  const ownArgs = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (ownArgs.includes('--help') || ownArgs.includes('-h')) {
    io.stdout.write(command.help)
    return 0
  }
  return command.run(rest, io)
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** Signals that ask for an end: the call that runs is aborted, what came of it is still told. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      interrupted = code
      controller.abort(new Error(`interrupted by ${signal}`))
      // Nothing more is read; a command that waits for input ends.
      process.stdin.destroy()
    })
  }
  return controller.signal
}

let interrupted: number | undefined

process.stderr.on('error', () => undefined)

const stdout = new StandardOutput(process.stdout)
const io: Io = {
  stdin: process.stdin,
  stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interruption(),
}

try {
  const code = await dispatch(process.argv.slice(2), io)
  const failure = await stdout.failure()
  if (failure) throw new UsageError(`stdout: cannot be written: ${failure.message}`)
  process.exitCode = interrupted ?? code
} catch (error) {
  process.exitCode = interrupted ?? 2
  const isExpected = error instanceof UsageError || isToolwareError(error, 'CONFIG')
  const text = isExpected
    ? plain(oneLine(error))
    : `internal error: ${(error as Error)?.stack ?? error}`
  if (interrupted === undefined) process.stderr.write(`toolware: ${text}\n`)
}
