import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { verifyChain } from '../../lib/audit-chain.ts'
import { readHead } from '../../lib/audit-file.ts'
import { start } from '../helpers/cli.ts'
import { tempDir } from '../helpers/temp.ts'

const KINDS = [
  { toolName: 'read_file', params: { path: 'a.txt' } },
  { toolName: 'read_file', params: { path: '../outside' } },
  { toolName: 'read_file', params: { path: 'none.txt' } },
  { toolName: 'list_dir', params: {} },
  { toolName: 'teleport', params: { note: 'x'.repeat(2000) } },
  { toolName: 'shell', params: { command: 'rm -rf /' } },
  { toolName: 'bad name', params: {} },
  { toolName: 'read_file', argumentsJson: '{' },
]

function folder(): string {
  const dir = tempDir()
  writeFileSync(join(dir, 'a.txt'), 'text '.repeat(200))
  writeFileSync(
    join(dir, 'c.json5'),
    `{ tooling: { workspaceOnly: true, workspaceRoot: '.' }, rateLimits: [{ limit: 1000000, per: ['session'] }],
       audit: { file: 'audit.jsonl', chain: true, bodies: 'all' } }`,
  )
  return dir
}

const callAt = (i: number): string =>
  `${JSON.stringify({ ...KINDS[i % KINDS.length], sessionId: `s${i % 500}` })}\n`

/** Resident memory in MiB. */
function memoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1)

describe('toolware run, for long', () => {
  it('takes 10 000 mixed calls in flat memory, with two audit records each', {
    timeout: 240_000,
  }, async () => {
    const dir = folder()
    const child = start(['run', '--config', 'c.json5'], dir)
    const closed = new Promise((resolve) => child.on('close', resolve))
    let sent = 0
    const feed = (): void => {
      while (sent < 10_000)
        if (!child.stdin.write(callAt(sent++))) return void child.stdin.once('drain', feed)
      child.stdin.end()
    }
    feed()
    let seen = 0
    const memory: number[] = []
    const statuses = new Map<unknown, number>()
    for await (const line of createInterface({ input: child.stdout })) {
      const { status, code } = JSON.parse(line)
      const word = code ?? status
      statuses.set(word, (statuses.get(word) ?? 0) + 1)
      if (++seen % 1000 === 0 && seen < 10_000) memory.push(memoryOf(child.pid))
    }
    await closed
    expect(Object.fromEntries(statuses)).toEqual({
      completed: 2500,
      DENIED: 2500,
      TOOL_FAILED: 1250,
      UNKNOWN_TOOL: 1250,
      BAD_ARGUMENTS: 2500,
    })
    const [, second = 0] = memory
    expect(Math.max(...memory.slice(2)) - second).toBeLessThan(40)
    const lines = linesOf(join(dir, 'audit.jsonl'))
    const perCall = new Map<string, string[]>()
    for (const line of lines) {
      const { id, event } = JSON.parse(line)
      perCall.set(id, [...(perCall.get(id) ?? []), event])
    }
    expect(perCall.size).toBe(10_000)
    expect(new Set([...perCall.values()].map((events) => events.join()))).toEqual(
      new Set(['arrived,ended']),
    )
    expect(await verifyChain(lines, readHead(join(dir, 'audit.jsonl')))).toMatchObject({
      ok: true,
      records: 20_000,
      interrupted: [],
    })
  })

  it('loses no record of a call that it has told about when it is killed with SIGKILL', {
    timeout: 120_000,
  }, async () => {
    const dir = folder()
    const child = start(['run', '--config', 'c.json5'], dir)
    child.stdin.on('error', () => undefined)
    const closed = new Promise((resolve) => child.on('close', resolve))
    child.stdin.write(Array.from({ length: 4000 }, (_, i) => callAt(i)).join(''))
    let told = 0
    for await (const _ of createInterface({ input: child.stdout })) {
      if (++told === 1500) child.kill('SIGKILL')
    }
    await closed
    const file = join(dir, 'audit.jsonl')
    const lines = linesOf(file)
    expect(told).toBeGreaterThanOrEqual(1500)
    expect(told).toBeLessThan(4000)
    const report = await verifyChain(lines, readHead(file))
    expect(report).toMatchObject({ ok: true, records: lines.length, torn: [] })
    const ended = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'ended')
    expect(ended.length).toBeGreaterThanOrEqual(told)
    // At most the one call that was running has no end.
    expect(report.interrupted.length).toBeLessThanOrEqual(1)
    expect(lines.length - 2 * ended.length).toBe(report.interrupted.length)
  })
})
