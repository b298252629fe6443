import type { Toolware } from '../lib/toolware.ts'
import { toolwareFromConfig } from '../middleware/config.ts'
import { type Command, onlyOne, parseOptions } from './command.ts'
import { type ReadyConfig, readyConfig } from './config-options.ts'
import { openCalls, tellEmpty, validated } from './input.ts'
import { loadPlugins } from './plugin-host.ts'
import { type RecordedClock, recordedClock } from './recorded-clock.ts'
import { Report } from './report.ts'
import { transcript } from './transcripts.ts'
import { UsageError } from './usage-error.ts'
import { jsonLine, type VerdictLine, verdictLine } from './verdict-line.ts'

const help = `Usage: toolware check [calls.jsonl] [options]

Judges calls without executing them. Asks nobody, writes no audit record, touches no shared state.
Calls come one JSON object a line, from the file or from stdin: {"toolName": "...", "params": {...}}.

  --config FILE     the policies: JSON5, or a TypeScript module
  --workspace DIR   sets tooling.workspaceRoot; without --config also workspaceOnly, and no shell
  --from FORMAT     reads a recording: claude-code, openai or anthropic
  --no-plugins      leaves plugins out
  --fail-on WORD    exit code 1 when a call is denied (deny), or denied or asked about (ask)
  --json            a JSON line per call, also on a terminal

Prints a JSON line per call, in input order: toolCallId, toolName, verdict (allow, deny, ask), by, code,
reason, rule, params. On a terminal a table.
Exit code 0; 1 with --fail-on; 2 for misuse, a bad configuration or bad input.
`

/** `toolware check`. */
export const check: Command = {
  help,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, {
      config: { type: 'string' },
      workspace: { type: 'string' },
      from: { type: 'string' },
      'fail-on': { type: 'string', multiple: true },
      'no-plugins': { type: 'boolean' },
      json: { type: 'boolean' },
    })
    const failOn = readFailOn(values['fail-on'] ?? [])
    const from = values.from === undefined ? undefined : transcript(values.from)
    const ready = await readyConfig(values, io)
    const clock = recordedClock()
    const app = await judgingApp(ready, clock, values['no-plugins'] === true)
    const source = await openCalls(onlyOne(positionals, 'file of calls'), io, from)
    const report = new Report(io, values.json === true)
    let failed = false
    try {
      const calls = await validated(source)
      await ready.notify()
      for await (const { call } of calls) {
        if (io.signal.aborted) break
        clock.set(call.timestamp)
        const line = verdictLine(call, await app.explain(call, { keepReservations: true }))
        failed ||= failOn.has(line.verdict)
        if (!(await report.add(line, jsonLine(line), line.verdict ?? ''))) break
      }
      await report.end()
      if (from !== undefined && report.isEmpty) await tellEmpty(source, from, io)
    } finally {
      await app.close()
    }
    return failed ? 1 : 0
  },
}

/** A pipeline that only judges. Plugins run unless they are left out. */
export async function judgingApp(
  ready: ReadyConfig,
  clock: RecordedClock,
  noPlugins: boolean,
): Promise<Toolware> {
  const { plugins: _, ...config } = ready.config
  const plugins = noPlugins ? undefined : await loadPlugins(ready)
  try {
    return toolwareFromConfig(config, { judgeOnly: true, clock: clock.now, plugins })
  } catch (error) {
    await plugins?.close()
    throw ready.explainError(error)
  }
}

function readFailOn(words: readonly string[]): ReadonlySet<VerdictLine['verdict']> {
  const set = new Set<VerdictLine['verdict']>()
  for (const word of words) {
    if (word !== 'deny' && word !== 'ask') {
      throw new UsageError(`--fail-on: "${word}" is none of deny, ask`)
    }
    // A deny is more than an ask.
    set.add('deny')
    if (word === 'ask') set.add('ask')
  }
  return set
}
