import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tool, Toolware } from 'toolware'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask } from './client.ts'
import { listen } from './listen.ts'
import type { PipelineOptions } from './pipeline.ts'

interface TestedAgent {
  readonly handle: RequestListener
  readonly pipeline: Toolware
}

export type CreateAgent = (
  options: PipelineOptions & { readonly tools?: Readonly<Record<string, Tool>> },
) => TestedAgent

type AuditRecord = Readonly<Record<string, string>>

interface Running {
  readonly url: string
  readonly workspace: string
  audit(): AuditRecord[]
}

const texts = (answer: { tools: ReadonlyArray<{ text: string }> }): string[] =>
  answer.tools.map(({ text }) => text)

/** What every agent of the examples does, over HTTP. */
export function describeAgent(name: string, create: CreateAgent): void {
  async function start(options: Partial<Parameters<CreateAgent>[0]> = {}): Promise<Running> {
    const place = mkdtempSync(join(tmpdir(), 'toolware-agent-test-'))
    const workspace = join(place, 'files')
    mkdirSync(join(workspace, 'notes'), { recursive: true })
    writeFileSync(join(workspace, 'notes', 'todo.txt'), 'water the beans\nbuy seeds\n')
    writeFileSync(join(workspace, '.env'), 'API_KEY=1\n')
    const auditFile = join(place, 'audit.jsonl')
    const { handle, pipeline } = create({ workspace, auditFile, ...options })
    const { server, url } = await listen(handle)
    onTestFinished(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await pipeline.close()
      rmSync(place, { recursive: true })
    })
    const audit = (): AuditRecord[] =>
      readFileSync(auditFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as AuditRecord)
    return { url, workspace, audit }
  }

  describe(name, () => {
    it('works on real files', async () => {
      const { url, workspace } = await start()
      const answer = await ask({
        url,
        script: [
          { calls: [{ name: 'write_file', arguments: { path: 'new/a.txt', content: 'seeds' } }] },
          {
            calls: [
              { name: 'read_file', arguments: { path: 'new/a.txt' } },
              { name: 'list_dir', arguments: {} },
              { name: 'grep', arguments: { pattern: 'seeds' } },
            ],
          },
          { say: 'Found:\n{last}' },
        ],
      })
      expect(answer.tools).toEqual([
        { name: 'write_file', text: 'wrote 5 bytes' },
        { name: 'read_file', text: 'seeds' },
        { name: 'list_dir', text: '.env\nnew/\nnotes/' },
        { name: 'grep', text: expect.any(String) },
      ])
      expect(answer.reply.split('\n').sort()).toEqual([
        'Found:',
        'new/a.txt:1: seeds',
        'notes/todo.txt:2: buy seeds',
      ])
      expect(readFileSync(join(workspace, 'new', 'a.txt'), 'utf8')).toBe('seeds')
    })

    it('gives the model a denial to read, and the chat goes on', async () => {
      const { url, audit } = await start()
      const answer = await ask({
        url,
        script: [
          { calls: [{ name: 'read_file', arguments: { path: '/etc/passwd' } }] },
          { calls: [{ name: 'read_file', arguments: { path: '.env' } }] },
          { calls: [{ name: 'read_file', arguments: { path: 'notes/todo.txt' } }] },
          { say: 'After two refusals: {last}' },
        ],
      })
      expect(texts(answer)).toEqual([
        expect.stringMatching(/^Tool execution denied by hook: Autonomy\n.*outside/),
        expect.stringMatching(/^Tool execution denied by hook: Autonomy\n.*forbids/),
        'water the beans\nbuy seeds\n',
      ])
      expect(answer.reply).toBe('After two refusals: water the beans\nbuy seeds\n')
      const ends = audit().filter(({ event }) => event === 'ended')
      expect(ends.map(({ status, senderId }) => `${status} ${senderId}`)).toEqual([
        'blocked alice',
        'blocked alice',
        'completed alice',
      ])
    })

    it('gives the model failures to read: no such file, no such tool, broken arguments', async () => {
      const { url } = await start()
      const answer = await ask({
        url,
        script: [
          {
            calls: [
              { name: 'read_file', arguments: { path: 'nowhere.txt' } },
              { name: 'make_coffee', arguments: {} },
              { name: 'constructor', arguments: {} },
              { name: 'read_file', arguments: '{"path":' },
              { name: 'write_file', arguments: { path: 'x.txt' } },
            ],
          },
          { say: 'Well.' },
        ],
      })
      expect(answer.reply).toBe('Well.')
      expect(texts(answer)).toEqual([
        expect.stringContaining('ENOENT'),
        expect.stringContaining('no tool named make_coffee'),
        expect.stringContaining('no tool named constructor'),
        expect.stringContaining('JSON'),
        expect.stringContaining('expected text'),
      ])
    })

    it('keeps 50 conversations at once apart, each with its own budget', async () => {
      const { url, workspace, audit } = await start({ maxToolCalls: 3 })
      const chats = Array.from({ length: 50 }, (_, i) => `c${i}`)
      const userOf = (i: number): string => (i % 2 === 0 ? 'alice' : 'bob')
      const answers = await Promise.all(
        chats.map((chat, i) => {
          const path = `${chat}.txt`
          return ask({
            url,
            chat,
            token: `${userOf(i)}-token`,
            script: [
              { calls: [{ name: 'write_file', arguments: { path, content: chat } }] },
              { calls: [{ name: 'read_file', arguments: { path } }] },
              { calls: [{ name: 'grep', arguments: { pattern: chat, path: 'notes' } }] },
              { calls: [{ name: 'read_file', arguments: { path } }] },
              { say: 'Done.' },
            ],
          })
        }),
      )
      for (const [i, answer] of answers.entries()) {
        expect(texts(answer)).toEqual([
          expect.stringMatching(/^wrote \d bytes$/),
          `c${i}`,
          'no matches',
          expect.stringMatching(/^Tool execution denied by hook: ContractScope\n/),
        ])
        expect(readFileSync(join(workspace, `c${i}.txt`), 'utf8')).toBe(`c${i}`)
      }
      const ends = audit().filter(({ event }) => event === 'ended')
      const bySession = groupBySession(ends)
      expect(bySession.size).toBe(50)
      for (const [i, chat] of chats.entries()) {
        const records = bySession.get(`${userOf(i)}/${chat}`) ?? []
        expect(records.map(({ senderId, status }) => `${senderId} ${status}`)).toEqual([
          `${userOf(i)} completed`,
          `${userOf(i)} completed`,
          `${userOf(i)} completed`,
          `${userOf(i)} blocked`,
        ])
      }
    })

    it('stops the tool of a client that hangs up, and serves the next one', async () => {
      let started: () => void = () => undefined
      let stopped: (reason: unknown) => void = () => undefined
      const running = new Promise<void>((resolve) => {
        started = resolve
      })
      const reason = new Promise((resolve) => {
        stopped = resolve
      })
      const wait: Tool = async (_, { signal }) => {
        started()
        await once(signal, 'abort')
        stopped(signal.reason)
        throw signal.reason
      }
      const { url, audit } = await start({ tools: { wait, ping: () => 'pong' } })
      const client = new AbortController()
      const script = [
        { calls: [{ name: 'wait', arguments: {} }] },
        { calls: [{ name: 'ping', arguments: {} }] },
        { say: 'Nobody hears this.' },
      ]
      const gone = ask({ url, chat: 'gone', script, signal: client.signal }).catch(String)
      await running
      client.abort()
      expect(await gone).toMatch(/abort/i)
      expect(await reason).toMatchObject({ code: 'ABORTED' })
      const next = [{ calls: [{ name: 'ping', arguments: {} }] }, { say: '{last}' }]
      expect(await ask({ url, chat: 'next', script: next })).toMatchObject({ reply: 'pong' })
      const ends = audit().filter(({ event }) => event === 'ended')
      expect(ends.map(({ sessionId, toolName, status }) => [sessionId, toolName, status])).toEqual([
        ['alice/gone', 'wait', 'aborted'],
        ['alice/next', 'ping', 'completed'],
      ])
    })

    it.each<[string, RequestInit & { path?: string }, number, string]>([
      ['nobody it knows', { headers: {} }, 401, 'authorization'],
      ['a wrong token', { headers: { authorization: 'Bearer x' } }, 401, 'authorization'],
      ['no JSON', { body: '{"mess' }, 400, 'JSON'],
      ['no message', { body: '{}' }, 400, '"message"'],
      ['no script', { body: '{"message":"hi"}' }, 400, '"script"'],
      ['a bad script', { body: '{"message":"hi","script":[{"calls":[{}]}]}' }, 400, 'script[0]'],
      ['another path', { path: '/other', body: '{}' }, 404, ''],
    ])('answers %s with an error and runs nothing', async (_, init, status, message) => {
      const { url, audit } = await start()
      const { path = '/chat', ...rest } = init
      const headers = { authorization: 'Bearer bob-token', 'content-type': 'application/json' }
      const response = await fetch(url + path, { method: 'POST', headers, ...rest })
      expect(response.status).toBe(status)
      expect(await response.text()).toContain(message)
      expect(audit()).toEqual([])
    })
  })
}

function groupBySession(records: readonly AuditRecord[]): Map<string | undefined, AuditRecord[]> {
  const groups = new Map<string | undefined, AuditRecord[]>()
  for (const record of records) {
    const { sessionId } = record
    groups.set(sessionId, [...(groups.get(sessionId) ?? []), record])
  }
  return groups
}
