import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { fixture } from '../../../helpers/bridge.ts'
import { jitiLoader } from '../../../helpers/loader.ts'

const program = fileURLToPath(new URL('../../../../lib/plugin/bridge/runner.ts', import.meta.url))

type Message = Record<string, unknown>
const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})

/** The runner, spoken to line by line. */
function runner() {
  const child = spawn(process.execPath, ['--import', jitiLoader, program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  running.add(child)
  const waiting: Array<(message: Message) => void> = []
  const ready: Message[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: Message = JSON.parse(line)
    const resolve = waiting.shift()
    if (resolve) resolve(message)
    else ready.push(message)
  })
  const next = () => {
    const message = ready.shift()
    return message
      ? Promise.resolve(message)
      : new Promise<Message>((resolve) => waiting.push(resolve))
  }
  const write = (line: string) => child.stdin.write(`${line}\n`)
  const ask = (message: Message) => {
    write(JSON.stringify({ jsonrpc: '2.0', ...message }))
    return next()
  }
  const init = (entry: string) => {
    const entryPath = fixture(`entries/${entry}`)
    const ids = { pluginId: 'p', manifestPath: entryPath, protocolVersion: 1 }
    return ask({ id: 1, method: 'init', params: { entryPath, config: {}, ...ids } })
  }
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, write, ask, next, init, exit }
}

describe('the runner', () => {
  it('takes PascalCase, skips lines that are no message, and refuses methods it does not have', async () => {
    const { ask, write, init } = runner()
    expect(await init('wildcard.mjs')).toMatchObject({
      id: 1,
      result: { protocolVersion: 1, eventSubscriptions: ['tool:*'], capabilities: ['hooks'] },
    })
    const params = { EventName: 'tool:before', ToolName: 'deploy', Arguments: '{}' }
    expect(await ask({ id: 2, method: 'hook_before', params })).toEqual({
      jsonrpc: '2.0',
      id: 2,
      result: { allow: false },
    })
    write('not json')
    write('[]')
    expect(await ask({ id: 3, method: 'execute', params: { name: 'nope' } })).toMatchObject({
      id: 3,
      error: { code: -32601, message: 'there is no method execute' },
    })
    expect(await ask({ id: 4, method: 'hook_before', params: { toolName: 1 } })).toMatchObject({
      error: { code: -32602 },
    })
    expect(await init('wildcard.mjs')).toMatchObject({ error: { message: 'init comes once' } })
  })

  it('needs an init that it understands, first', async () => {
    const { ask } = runner()
    const params = { toolName: 'a', arguments: '{}' }
    expect(await ask({ id: 1, method: 'hook_before', params })).toMatchObject({
      error: { message: 'init comes first' },
    })
    expect(await ask({ id: 2, method: 'init', params: { protocolVersion: 2 } })).toMatchObject({
      error: { code: -32602 },
    })
  })

  it('reports what does not cross the bridge', async () => {
    const { init, next } = runner()
    const said = [await init('tools.mjs'), await next(), await next()]
    const logs = said.filter(({ method }) => method === 'log')
    expect(JSON.stringify(logs)).toContain('api.registerTool is not available here')
    expect(JSON.stringify(logs)).toContain('the command /hello is not available')
    expect(said.find(({ id }) => id === 1)).toMatchObject({ result: { eventSubscriptions: [] } })
  })

  it('lets work under way end when it is told to shut down', async () => {
    const { init, write, child, next, exit } = runner()
    await init('slow-after.mjs')
    const params = { toolName: 'a', arguments: '{}', result: 'r', durationMs: 1, failed: false }
    write(JSON.stringify({ jsonrpc: '2.0', method: 'hook_after', params }))
    write(JSON.stringify({ jsonrpc: '2.0', method: 'shutdown' }))
    child.stdin.end()
    expect(await next()).toMatchObject({ method: 'log', params: { message: 'written' } })
    expect(await exit).toBe(0)
  })
})
