import { relative } from 'node:path'
import type { BridgeHealth } from '../lib/plugin/bridge/health.ts'
import type { PluginHost } from '../lib/plugin/host.ts'
import type { PluginReport } from '../lib/plugin/report.ts'
import { type Command, type Io, parseOptions, write } from './command.ts'
import { readyConfig } from './config-options.ts'
import { loadPlugins } from './plugin-host.ts'
import { type Paint, pad, paintFor, plain, type Style } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { jsonLine } from './verdict-line.ts'

const help = `Usage: toolware plugins --config FILE [--json]
       toolware plugins reload ID --config FILE [--json]

Loads the plugins of a configuration and says what was found, loaded and refused, and why. With reload, loads one of
them once more, in place of the first, and shows that one: what a running host does when you tell it to.

  --config FILE     the configuration: JSON5, or a TypeScript module
  --json            a JSON line per plugin, also on a terminal

Exit code 0; 1 when a plugin has an error; 2 for misuse or a bad configuration.
`

/** `toolware plugins`. */
export const plugins: Command = {
  help,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, {
      config: { type: 'string' },
      json: { type: 'boolean' },
    })
    const [action, id, ...rest] = positionals
    if ((action !== undefined && action !== 'reload') || rest.length > 0) {
      throw new UsageError(`plugins: "${action}" is no action; there is: plugins reload ID`)
    }
    if (action === 'reload' && id === undefined) throw new UsageError('plugins reload needs an id')
    if (values.config === undefined) throw new UsageError('plugins needs --config FILE')
    const ready = await readyConfig(values, io)
    const host = await loadPlugins(ready, { lenient: true })
    if (host === undefined) {
      throw new UsageError(`${values.config}: plugins: the configuration has no such section`)
    }
    try {
      const reports = id === undefined ? host.reports() : [await reloaded(host, id)]
      await show(reports, io, values.json === true)
      return reports.some(isBad) ? 1 : 0
    } finally {
      await host.close()
    }
  },
}

/** The report after a reload; that of before when the plugin cannot be loaded. */
async function reloaded(host: PluginHost, id: string): Promise<PluginReport> {
  const report = (): PluginReport | undefined => host.reports().find((known) => known.id === id)
  try {
    await host.reload(id)
  } catch (error) {
    const before = report()
    if (before === undefined || before.state === 'loaded') throw error
    return before
  }
  const after = report()
  if (after === undefined) throw new UsageError(`plugins: there is no plugin "${id}"`)
  return after
}

const isBad = ({ diagnostics }: PluginReport): boolean =>
  diagnostics.some(({ level }) => level === 'error')

async function show(reports: readonly PluginReport[], io: Io, isJson: boolean): Promise<void> {
  const isText = io.stdout.isTTY === true && !isJson
  const paint = paintFor(io.stdout, io.env)
  const text = isText
    ? reports.map((report) => render(report, io.cwd, paint)).join('') || 'no plugins were found\n'
    : reports.map(jsonLine).join('')
  await write(io.stdout, text)
}

const STYLES: Readonly<Record<PluginReport['state'], Style>> = {
  loaded: 'green',
  refused: 'red',
  off: 'dim',
}

function render(report: PluginReport, cwd: string, paint: Paint): string {
  const { id, state, kind, source, events, hooks, policies, commands, health, diagnostics } = report
  const near = source === undefined ? '' : relative(cwd, source)
  const where =
    source === undefined || source === 'bundled' || near.startsWith('..') ? source : near
  const registered = [
    ...events,
    ...hooks.map((name) => `hook ${name}`),
    ...policies.map((policy) => `policy ${policy}`),
    ...commands.map((name) => `/${name}`),
  ]
  const head = `${paint(STYLES[state], pad(state, 7))}  ${plain(id)}  ${paint('dim', [kind, where].filter(Boolean).join(' '))}`
  const lines = [
    ...(registered.length > 0 ? [registered.join(', ')] : []),
    ...(health === undefined ? [] : healthLines(health)),
    ...diagnostics.map(({ level, code, message }) => `${level}: ${code}: ${message}`),
  ]
  return `${head.trimEnd()}\n${lines.map((line) => `         ${plain(line)}\n`).join('')}`
}

/** How a process is doing: counters that are at zero are left out. */
function healthLines(health: BridgeHealth): string[] {
  const { state, pid, lastError, stderrLines, bytesIn, bytesOut } = health
  const counted = COUNTED.filter(([key]) => health[key] > 0).map(
    ([key, what]) => `${health[key]} ${what}`,
  )
  const process = pid === undefined ? state : `${state} (pid ${pid})`
  return [
    [process, ...counted, `${bytesIn} bytes in`, `${bytesOut} out`].join(', '),
    ...(lastError === undefined ? [] : [`last error: ${lastError}`]),
    ...stderrLines.map((line) => `stderr: ${line}`),
  ]
}

const COUNTED = [
  ['pending', 'waiting'],
  ['restarts', 'restarts'],
  ['timeouts', 'timeouts'],
  ['badAnswers', 'bad answers'],
  ['late', 'late answers'],
  ['noise', 'lines of noise'],
  ['dropped', 'notifications dropped'],
] as const
