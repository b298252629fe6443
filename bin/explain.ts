import type { Explanation } from '../lib/explain.ts'
import type { ToolCall } from '../lib/types.ts'
import { parseCall } from './calls.ts'
import { judgingApp } from './check.ts'
import { type Command, onlyOne, parseOptions, write } from './command.ts'
import { readyConfig } from './config-options.ts'
import { openCalls, validated } from './input.ts'
import { recordedClock } from './recorded-clock.ts'
import { describeCall, styleOf } from './table.ts'
import { type Paint, pad, paintFor, plain } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { jsonLine, verdictLine } from './verdict-line.ts'

const help = `Usage: toolware explain [call.json | '{"toolName": ...}'] [options]

Shows what every hook says about one call, in order: its opinion, the rule, what it would rewrite.
Behind a deny nobody is asked. Nothing is executed.

  --config FILE     the policies: JSON5, or a TypeScript module
  --workspace DIR   sets tooling.workspaceRoot; without --config also workspaceOnly, and no shell
  --no-plugins      leaves plugins out
  --json            one JSON object, also on a terminal

The call is the argument itself, or stands in a file or on stdin.
`

const NO_CALL = `explain needs a call, such as '{"toolName": "read_file", "params": {"path": "a.txt"}}'`

/** `toolware explain`. */
export const explain: Command = {
  help,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, {
      config: { type: 'string' },
      workspace: { type: 'string' },
      'no-plugins': { type: 'boolean' },
      json: { type: 'boolean' },
    })
    const given = onlyOne(positionals, 'call')
    if (given === undefined && io.stdin.isTTY) throw new UsageError(NO_CALL)
    const call = given?.trimStart().startsWith('{')
      ? parseCall(given, 'call', 'call')
      : await onlyCall(await openCalls(given, io).then(validated))
    const clock = recordedClock()
    clock.set(call.timestamp)
    const ready = await readyConfig(values, io)
    const app = await judgingApp(ready, clock, values['no-plugins'] === true)
    try {
      await ready.notify()
      const explanation = await app.explain(call)
      const isText = io.stdout.isTTY === true && values.json !== true
      const text = isText
        ? render(call, explanation, paintFor(io.stdout, io.env))
        : jsonLine({ ...verdictLine(call, explanation), opinions: explanation.opinions })
      await write(io.stdout, text)
    } finally {
      await app.close()
    }
    return 0
  },
}

async function onlyCall(
  calls: AsyncIterable<{ call: ToolCall }> | Iterable<{ call: ToolCall }>,
): Promise<ToolCall> {
  let only: ToolCall | undefined
  for await (const { call } of calls) {
    if (only !== undefined) throw new UsageError('explain takes one call; check takes many')
    only = call
  }
  if (only === undefined) throw new UsageError(NO_CALL)
  return only
}

function render(call: ToolCall, explanation: Explanation, paint: Paint): string {
  const { verdict, by, reason, rule, params, opinions } = explanation
  const width = Math.max(0, ...opinions.map(({ hook }) => hook.length))
  const lines = opinions.map(({ hook, opinion, reason: why, rule: which, params: changed }) => {
    const said = [why, which && `(${which})`, changed && `-> ${JSON.stringify(changed)}`]
    const text = plain(said.filter(Boolean).join(' '))
    return `  ${pad(hook, width)}  ${paint(styleOf(opinion), pad(opinion, 7))}  ${text}`.trimEnd()
  })
  const why = [by && `by ${by}`, reason && `: ${plain(reason)}`, rule && ` (${plain(rule)})`]
  return `${describeCall(call.toolName, params)}
${lines.join('\n')}
${paint(styleOf(verdict), verdict)} ${why.filter(Boolean).join('')}
params ${plain(JSON.stringify(params))}
`
}
