/**
 * What the plugin bridge costs beside the barest child process that could do the same: one that reads a line of
 * JSON and writes one. All contenders take turns within one process; ratios are medians of paired rounds.
 *
 * Usage: node bridge.js [--json] [rounds]
 *
 * @module
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { BridgedPlugin } from '../lib/plugin/bridge/bridged-plugin.ts'
import { createBridgedPlugin } from '../lib/plugin/bridge/create.ts'
// The child's program: not imported by anything, and to be compiled along.
import type {} from '../lib/plugin/bridge/runner.ts'
import { implicitManifest } from '../lib/plugin/manifest.ts'
import { Toolware } from '../lib/toolware.ts'

const TARGET = 1.5
const IN_FLIGHT = 64
const SIZES = [
  { name: '0.7 KB', bytes: 700, calls: 200 },
  { name: '100 KB', bytes: 100_000, calls: 40 },
]

/** Reads lines of JSON. `echo` sends the whole message back, `answer` a short one. */
const RAW_CHILD = (reply: 'echo' | 'answer') => `
  let held = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk) => {
    const lines = (held + chunk).split('\\n')
    held = lines.pop()
    for (const line of lines) {
      const message = JSON.parse(line)
      const reply = ${reply === 'echo' ? 'message' : '{ id: message.id, result: { allow: true } }'}
      process.stdout.write(JSON.stringify(reply) + '\\n')
    }
  }).on('end', () => process.exit(0))`

const POLICY = `export default (api) => { api.on('tool:before', (ctx) => ctx.toolName !== 'deploy') }\n`

interface Contender {
  readonly name: string
  call(): PromiseLike<unknown>
  close(): Promise<void> | void
}

const quiet = (): void => undefined
const silent = { debug: quiet, info: quiet, warn: quiet, error: quiet }

/** A call as hooks see it, without its arguments. */
const FACTS = {
  id: 'call',
  toolName: 'read_file',
  params: {},
  log: silent,
  execEnv: undefined,
  state: new Map<unknown, unknown>(),
  recheck: false,
  resumed: false,
  judging: false,
  clock: Date.now,
}

/** The barest host: ids, lines and a map, nothing that could go wrong is looked at. */
function rawContender(reply: 'echo' | 'answer', argumentsText: string): Contender {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ['-e', RAW_CHILD(reply)],
    // In a session of its own like a plugin: kernels share out their time by session.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  )
  const waiting = new Map<number, (message: unknown) => void>()
  let held = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) {
      const message: { id: number } = JSON.parse(line)
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })
  let id = 0
  return {
    name: `raw child, ${reply}s`,
    call: () => {
      id += 1
      const params = { toolName: 'read_file', arguments: argumentsText }
      child.stdin.write(`${JSON.stringify({ id, method: 'before', params })}\n`)
      return new Promise((resolve) => waiting.set(id, resolve))
    },
    close: () => {
      child.stdin.end()
    },
  }
}

function hookContender(plugin: BridgedPlugin, argumentsJson: string): Contender {
  const { check } = plugin.hook
  return {
    name: 'bridged hook',
    call: async () => {
      const ctx = { ...FACTS, argumentsJson, signal: new AbortController().signal }
      if ((await check?.(ctx)) !== null) throw new Error('the policy should have allowed it')
    },
    close: () => undefined,
  }
}

function callContender(plugin: BridgedPlugin, params: Record<string, unknown>): Contender {
  const app = new Toolware({ log: silent }).use(plugin.hook)
  return {
    name: 'whole call with it',
    call: async () => {
      const { status } = await app.execute({ toolName: 'read_file', params }, () => 'done')
      if (status !== 'completed') throw new Error(`the call ended ${status}`)
    },
    close: () => app.close(),
  }
}

async function sequential({ call }: Contender, calls: number): Promise<number> {
  const began = performance.now()
  for (let i = 0; i < calls; i++) await call()
  return ((performance.now() - began) * 1000) / calls
}

async function throughput({ call }: Contender, calls: number): Promise<number> {
  let left = calls
  const began = performance.now()
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  return calls / ((performance.now() - began) / 1000)
}

const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

interface Row {
  readonly size: string
  readonly name: string
  readonly microseconds: number
  /** To the raw child that echoes, and to the one that answers. */
  readonly toEcho: number
  readonly toAnswer: number
  readonly callsPerSecond: number
}

async function measure(
  plugin: BridgedPlugin,
  size: (typeof SIZES)[number],
  rounds: number,
): Promise<Row[]> {
  const params = { path: 'src/index.ts', text: 'x "quoted" \n'.repeat(size.bytes / 12) }
  const argumentsText = JSON.stringify(params)
  const contenders = [
    rawContender('echo', argumentsText),
    rawContender('answer', argumentsText),
    hookContender(plugin, argumentsText),
    callContender(plugin, params),
  ]
  const samples = contenders.map((): number[] => [])
  for (const contender of contenders) await sequential(contender, size.calls * 5)
  for (let round = 0; round < rounds; round++) {
    const order = contenders.map((_, index) => (index + round) % contenders.length)
    for (const index of order) {
      const contender = contenders[index]
      if (contender) samples[index]?.push(await sequential(contender, size.calls))
    }
  }
  const ratio = (index: number, base: number) =>
    median((samples[index] ?? []).map((sample, round) => sample / (samples[base]?.[round] ?? 1)))
  const rows: Row[] = []
  for (const [index, contender] of contenders.entries()) {
    rows.push({
      size: size.name,
      name: contender.name,
      microseconds: median(samples[index] ?? []),
      toEcho: ratio(index, 0),
      toAnswer: ratio(index, 1),
      callsPerSecond: await throughput(contender, size.calls * 25),
    })
    await contender.close()
  }
  return rows
}

function print(rows: readonly Row[]): void {
  const head = [
    'params',
    'contender',
    'us',
    'to echo',
    'to answer',
    `calls/s, ${IN_FLIGHT} in flight`,
  ]
  const body = rows.map((row) => [
    row.size,
    row.name,
    row.microseconds.toFixed(0),
    row.toEcho.toFixed(2),
    row.toAnswer.toFixed(2),
    row.callsPerSecond.toFixed(0),
  ])
  for (const cells of [head, head.map(() => '---'), ...body]) {
    process.stdout.write(`| ${cells.join(' | ')} |\n`)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'toolware-bench-'))
const entryPath = join(folder, 'policy.mjs')
writeFileSync(entryPath, POLICY)
const plugin = createBridgedPlugin({
  manifest: implicitManifest(entryPath),
  entryPath,
  log: silent,
})
try {
  await plugin.start()
  const args = process.argv.slice(2)
  const rounds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 31)
  const rows: Row[] = []
  for (const size of SIZES) rows.push(...(await measure(plugin, size, rounds)))
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(rows)}\n`)
  else {
    print(rows)
    const worst = Math.max(
      ...rows.filter(({ name }) => name === 'bridged hook').map(({ toEcho }) => toEcho),
    )
    process.stdout.write(
      `\nround trip to the echoing child: ${worst.toFixed(2)} at worst, target ${TARGET}: ${worst <= TARGET ? 'met' : 'missed'}\n`,
    )
  }
} finally {
  await plugin.close()
  rmSync(folder, { recursive: true })
}
