/**
 * The program that runs one plugin in a child process: it speaks the bridge's protocol on stdin and stdout, and
 * keeps whatever else the plugin writes away from there. Started by the bridge, never imported.
 *
 * @module
 */
import { format } from 'node:util'
import { Worker } from 'node:worker_threads'
import { faultText } from '../../fault-text.ts'
import type { Logger } from '../../types.ts'
import { type ChildPlugin, loadChildPlugin } from './child-plugin.ts'
import { type Fields, isFields } from './fields.ts'
import { LineReader } from './framing.ts'
import { type BeforeReply, type InitParams, PROTOCOL_VERSION } from './protocol.ts'
import { receiveAfter, receiveCall } from './received.ts'

const MAX_LINE_BYTES = 256 * 1024 * 1024
const LAST_WORK_MS = 1500

/** Sees that the host is gone also while the plugin's code never yields, and takes the whole group along. */
const WATCHDOG = `
  const { ppid } = process
  setInterval(() => { if (process.ppid !== ppid) process.kill(-process.pid, 'SIGKILL') }, 500)
`

const writeOut = process.stdout.write.bind(process.stdout)
let lines: string[] = []
let plugin: ChildPlugin | undefined
let leaving = false
const work = new Set<Promise<void>>()

function send(message: object): void {
  if (lines.length === 0) process.nextTick(flush)
  lines.push(JSON.stringify({ jsonrpc: '2.0', ...message }))
}

function flush(): void {
  if (lines.length === 0) return
  const text = `${lines.join('\n')}\n`
  lines = []
  writeOut(text)
}

const logAt = (level: string) => (fields: object, message: string) => {
  const { details }: { details?: unknown } = fields
  const text = Array.isArray(details) ? format(message, ...details) : message
  send({ method: 'log', params: { level, message: text } })
}
const log: Logger = {
  debug: logAt('debug'),
  info: logAt('info'),
  warn: logAt('warn'),
  error: logAt('error'),
}

/** What a plugin prints is for people: it goes to the host's log, and never into the protocol. */
function redirectOutput(): void {
  const printer =
    (level: keyof Logger) =>
    (...values: unknown[]) => {
      log[level]({}, format(...values))
    }
  console.log = console.info = printer('info')
  console.debug = console.trace = printer('debug')
  console.warn = printer('warn')
  console.error = printer('error')
  process.stdout.write = process.stderr.write.bind(process.stderr)
}

async function handle(line: string): Promise<void> {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return
  }
  if (!isFields(message)) return
  const { id, method, params } = message
  switch (method) {
    case 'init':
      send({ id, ...(await init(params)) })
      break
    case 'hook_before':
      send({ id, ...(await before(params)) })
      break
    case 'hook_after':
      await after(params)
      break
    case 'shutdown':
      leaving = true
      break
    default:
      if (id !== undefined) send({ id, ...refusal(-32601, `there is no method ${String(method)}`) })
  }
}

async function init(params: unknown): Promise<object> {
  if (plugin !== undefined) return refusal(-32600, 'init comes once')
  if (!isInit(params))
    return refusal(-32602, 'init needs entryPath, pluginId and protocolVersion 1')
  try {
    plugin = await loadChildPlugin(params, log)
  } catch (error) {
    return refusal(-32603, faultText(error))
  }
  const { eventSubscriptions, capabilities } = plugin
  return { result: { protocolVersion: PROTOCOL_VERSION, eventSubscriptions, capabilities } }
}

async function before(params: unknown): Promise<BeforeReply> {
  const call = receiveCall(params)
  if (plugin === undefined) return refusal(-32002, 'init comes first')
  if (call === undefined) return refusal(-32602, 'hook_before needs toolName and arguments')
  return plugin.before(call)
}

async function after(params: unknown): Promise<void> {
  const call = receiveAfter(params)
  if (call !== undefined) await plugin?.after(call)
}

function refusal(code: number, message: string): { error: { code: number; message: string } } {
  return { error: { code, message } }
}

function isInit(params: unknown): params is InitParams {
  const fields: Fields = isFields(params) ? params : {}
  const { protocolVersion, entryPath, pluginId, manifestPath, config } = fields
  return (
    protocolVersion === PROTOCOL_VERSION &&
    [entryPath, pluginId, manifestPath].every((field) => typeof field === 'string') &&
    isFields(config)
  )
}

/** The host has closed the pipe: after a `shutdown` what is under way may end, else the host is gone. */
async function leave(): Promise<void> {
  if (leaving) {
    const late = new Promise((resolve) => setTimeout(resolve, LAST_WORK_MS))
    await Promise.race([Promise.allSettled(work), late])
    process.exit(0)
  }
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {
    process.exit(0)
  }
}

function main(): void {
  redirectOutput()
  if (process.platform !== 'win32') new Worker(WATCHDOG, { eval: true }).unref()
  const reader = new LineReader(MAX_LINE_BYTES, (line) => {
    const done = handle(line).finally(() => work.delete(done))
    work.add(done)
  })
  process.stdin.on('data', (chunk: Buffer) => reader.push(chunk))
  process.stdin.on('end', () => void leave())
  process.stdout.on('error', () => process.exit(0))
  // Pipes are written at once here, so what was said last is still heard.
  process.on('exit', flush)
}

main()
