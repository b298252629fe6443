import { homedir } from 'node:os'
import { configError } from '../lib/errors.ts'
import { defaultLogger } from '../lib/logger.ts'
import type { Toolware } from '../lib/toolware.ts'
import type { Logger, Params } from '../lib/types.ts'
import { toolwareFromConfig } from '../middleware/config.ts'
import type { NumberedCall } from './calls.ts'
import { type Command, type Io, onlyOne, parseOptions } from './command.ts'
import { type ReadyConfig, readyConfig } from './config-options.ts'
import { type CallSource, openCalls, tellEmpty, validated } from './input.ts'
import { loadPlugins } from './plugin-host.ts'
import { terminalApprover } from './prompt.ts'
import { recordedClock } from './recorded-clock.ts'
import { Report } from './report.ts'
import { builtInTools, unknownTool } from './tools/index.ts'
import { transcript } from './transcripts.ts'
import { UsageError } from './usage-error.ts'
import { jsonLine, outcomeLine } from './verdict-line.ts'

const help = `Usage: toolware run [calls.jsonl] (--config FILE | --workspace DIR) [options]

Executes calls in order, through the pipeline, with real tools: read_file, write_file, edit_file, list_dir,
grep, shell. Calls come one JSON object a line, from the file or from stdin: {"toolName": "...", "params": {...}}.
A file is validated whole before the first call; on a pipe each call runs when it arrives.

  --config FILE     the policies: JSON5, or a TypeScript module
  --workspace DIR   where the tools work; without --config nothing outside is reachable, and there is no shell
  --audit FILE      writes audit records there
  --from FORMAT     reads a recording: claude-code, openai or anthropic
  --recorded-time   takes the time from the calls' own timestamps
  --json            a JSON line per call, also on a terminal

Prints a JSON line per call: the keys of check, and status, executed, durationMs, text. On a terminal a table. When
stdin is a terminal, a call that a policy asks about waits for your answer; else it is blocked.
Exit code 0; 1 when a call did not complete; 2 for misuse, a bad configuration or bad input.
`

/** `toolware run`. */
export const run: Command = {
  help,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, {
      config: { type: 'string' },
      workspace: { type: 'string' },
      audit: { type: 'string' },
      from: { type: 'string' },
      'recorded-time': { type: 'boolean' },
      json: { type: 'boolean' },
    })
    if (values.config === undefined && values.workspace === undefined) {
      throw new UsageError('run needs --config FILE or --workspace DIR')
    }
    const from = values.from === undefined ? undefined : transcript(values.from)
    const source = await openCalls(onlyOne(positionals, 'file of calls'), io, from)
    const ready = await readyConfig(values, io)
    const calls = source.rereadable ? await validated(source) : source.calls()
    const clock = recordedClock()
    const isRecorded = values['recorded-time'] === true
    const app = await runningApp(ready, io, source, isRecorded ? clock.now : undefined)
    const report = new Report(io, values.json === true)
    const session = new Session(app, ready.workspace, io)
    let allCompleted = true
    await ready.notify()
    try {
      for await (const numbered of calls) {
        if (io.signal.aborted) break
        if (isRecorded) clock.set(numbered.call.timestamp)
        await report.begin(numbered.call)
        const line = await session.execute(numbered)
        allCompleted &&= line.status === 'completed'
        if (!(await report.add(line, jsonLine(line), line.status, line.durationMs))) break
      }
    } finally {
      await report.end()
      await app.close()
    }
    if (from !== undefined && report.isEmpty) await tellEmpty(source, from, io)
    return allCompleted ? 0 : 1
  },
}

class Session {
  readonly #app: Toolware
  readonly #tools: ReturnType<typeof builtInTools>
  readonly #signal: AbortSignal
  /** The params of the call that settled last, as they were then. */
  #params: Params = {}

  constructor(app: Toolware, workspace: string, io: Io) {
    this.#app = app
    this.#tools = builtInTools({ workspace, home: io.env.HOME ?? homedir() })
    this.#signal = io.signal
    app.on('settled', ({ ctx }) => {
      this.#params = ctx.params
    })
  }

  async execute({ call }: NumberedCall): Promise<ReturnType<typeof outcomeLine>> {
    const tool = this.#tools.get(call.toolName) ?? unknownTool(call.toolName, this.#tools.keys())
    const outcome = await this.#app.execute({ ...call, signal: this.#signal }, tool)
    return outcomeLine(call, outcome, this.#params)
  }
}

async function runningApp(
  ready: ReadyConfig,
  io: Io,
  source: CallSource,
  clock: (() => number) | undefined,
): Promise<Toolware> {
  const { approvals, plugins: _, ...config } = ready.config
  // A terminal that brings the calls cannot bring answers as well.
  const approver = io.stdin.isTTY && !source.isStdin ? terminalApprover(io, approvals) : undefined
  let plugins: Awaited<ReturnType<typeof loadPlugins>>
  try {
    requireHere(ready.config)
    plugins = await loadPlugins(ready)
    return toolwareFromConfig(config, { log: quietLogger(), approvals: approver, clock, plugins })
  } catch (error) {
    await plugins?.close()
    throw ready.explainError(error)
  }
}

/** Without an audit file, audit records would go to the log and repeat what the report tells. */
function quietLogger(): Logger {
  const log = defaultLogger()
  const warn: Logger['warn'] = (fields, message) => {
    if (!('event' in fields)) log.warn(fields, message)
  }
  return { debug: log.debug.bind(log), info: log.info.bind(log), warn, error: log.error.bind(log) }
}

/** `run` asks on the terminal, in this process; what else a configuration may want is not here. */
function requireHere({ approvals }: ReadyConfig['config']): void {
  if (approvals?.mode === 'defer') {
    throw configError(
      'approvals.mode',
      'run cannot defer, since it ends with its calls; use "hold"',
    )
  }
  if (approvals?.store !== undefined && approvals.store !== 'memory') {
    throw configError(
      'approvals.store',
      'run asks on this terminal and keeps nothing; use "memory"',
    )
  }
}
