import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { getEventListeners } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  bridged,
  completed,
  context,
  fixture,
  isAlive,
  judge,
  started,
  until,
} from '../../../helpers/bridge.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolware-life-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('what a plugin is told', () => {
  it('are the facts of the call, and afterwards what became of it, without waiting', async () => {
    const { plugin, log } = await started(['echo-facts.mjs'])
    const facts = {
      toolName: 'exec',
      argumentsJson: '{"command":"ls"}',
      sessionId: 's',
      channelId: 'c',
      senderId: 'u',
      correlationId: 'x',
      toolCallId: 't',
    }
    await judge(plugin, facts)
    await judge(plugin, { ...facts, recheck: true })
    await judge(plugin, { id: 'our-own', toolName: 'exec', argumentsJson: '{}' })
    const given = plugin.hook.after?.(context(facts), completed([1]))
    expect(given).toBeUndefined()
    await log.line(({ message }) => message.includes('hook_after'))
    const said = log.lines.flatMap(({ fields, message }) =>
      fields.source === 'log' ? [JSON.parse(message)] : [],
    )
    const params = {
      eventName: 'tool:before',
      toolName: 'exec',
      arguments: '{"command":"ls"}',
      sessionId: 's',
      channelId: 'c',
      senderId: 'u',
      correlationId: 'x',
      toolCallId: 't',
    }
    const own = {
      eventName: 'tool:before',
      toolName: 'exec',
      arguments: '{}',
      toolCallId: 'our-own',
    }
    expect(said).toEqual([
      { jsonrpc: '2.0', id: 2, method: 'hook_before', params },
      { jsonrpc: '2.0', id: 3, method: 'hook_before', params: { ...params, recheck: true } },
      { jsonrpc: '2.0', id: 4, method: 'hook_before', params: own },
      {
        jsonrpc: '2.0',
        method: 'hook_after',
        params: {
          ...params,
          eventName: 'tool:after',
          result: '[1]',
          durationMs: 12.5,
          failed: false,
        },
      },
    ])
  })

  it('of a failed call is the text that the model reads', async () => {
    const { plugin, log } = await started(['echo-facts.mjs'])
    plugin.hook.after?.(context(), {
      status: 'failed',
      failed: true,
      executed: true,
      code: 'TOOL_FAILED',
      by: 'tool',
      error: new Error('secret detail'),
      text: 'Tool failed: no',
      durationMs: 1,
    })
    const { message } = await log.line((line) => line.message.includes('hook_after'))
    expect(JSON.parse(message).params).toMatchObject({ result: 'Tool failed: no', failed: true })
  })

  it('is cut when a result is longer than a million characters', async () => {
    const { plugin } = await started(['good.mjs'])
    plugin.hook.after?.(context(), completed('x'.repeat(3_000_000)))
    await judge(plugin)
    await until(() => plugin.health().bytesOut > 900_000)
    expect(plugin.health().bytesOut).toBeLessThan(1_100_000)
  })
})

describe('subscriptions', () => {
  const says = (init: object) => ['handshake.mjs', JSON.stringify(init)]

  it('decide whether the plugin is asked at all', async () => {
    for (const eventSubscriptions of [['tool:after'], ['session:start'], []]) {
      const { plugin } = await started(says({ eventSubscriptions }))
      const { bytesOut } = plugin.health()
      expect(plugin.hook.check?.(context())).toBeNull()
      expect(plugin.health().bytesOut).toBe(bytesOut)
      await plugin.close()
    }
  })

  it('decide whether it is told', async () => {
    const { plugin } = await started(says({ eventSubscriptions: ['tool:before'] }))
    const { bytesOut } = plugin.health()
    plugin.hook.after?.(context(), completed('x'))
    await judge(plugin)
    expect(plugin.health().bytesOut - bytesOut).toBeLessThan(300)
  })

  it('are those of the manifest when the plugin does not say', async () => {
    const manifest = { eventSubscriptions: ['tool:after'] }
    const { plugin } = await started(['mute-handshake.mjs'], { manifest })
    expect(plugin.health().eventSubscriptions).toEqual(['tool:after'])
    expect(plugin.hook.check?.(context())).toBeNull()
  })

  it('that the manifest does not list are refused', async () => {
    const manifest = { eventSubscriptions: ['tool:after'] }
    const { plugin } = bridged(says({ eventSubscriptions: ['tool:before'] }), { manifest })
    await expect(plugin.start()).rejects.toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      details: { plugin: 'p', problem: 'undeclared_registration' },
    })
  })

  it('need the capability hooks, where the manifest lists capabilities', async () => {
    const manifest = { capabilities: ['tools'] }
    const { plugin } = bridged(says({}), { manifest })
    await expect(plugin.start()).rejects.toMatchObject({
      details: { problem: 'undeclared_registration' },
    })
  })

  it('that the manifest lists and nobody registered for are worth a warning', async () => {
    const manifest = { eventSubscriptions: ['tool:before', 'tool:after'] }
    const { log } = await started(says({ eventSubscriptions: ['tool:after'] }), { manifest })
    expect(log.lines.map(({ message }) => message)).toContain(
      'plugin p declares tool:before and did not register for it',
    )
  })

  it('are both that tool:* stands for, and the warning names the one that is missing', async () => {
    const manifest = { eventSubscriptions: ['tool:*'] }
    const { log } = await started(says({ eventSubscriptions: ['tool:before'] }), { manifest })
    const both = await started(says({ eventSubscriptions: ['tool:*'] }), { manifest })
    expect(log.lines.map(({ message }) => message)).toEqual([
      'plugin p declares tool:after and did not register for it',
    ])
    expect(both.log.lines).toEqual([])
  })

  it('are read anew after a restart', async () => {
    const { plugin } = await started(['subscribes-once.mjs', join(folder, 'subscribed')])
    expect(plugin.health().eventSubscriptions).toEqual(['tool:before', 'tool:after'])
    await judge(plugin)
    await until(() => plugin.health().restarts === 1 && plugin.health().state === 'up')
    expect(plugin.health().eventSubscriptions).toEqual(['tool:after'])
    expect(plugin.hook.check?.(context())).toBeNull()
  })
})

describe('reload()', () => {
  it('hands over to a new child and lets the old one answer what it was asked', async () => {
    // Longer than a step of a stop: a slow answer in time is no fault.
    const { plugin } = await started(['late.mjs', '1000'], { bridge: { stopTimeoutMs: 100 } })
    const { pid = 0 } = plugin.health()
    const asked = judge(plugin)
    await plugin.reload()
    expect(await asked).toMatchObject({ reason: 'call 2' })
    expect(plugin.health().pid).not.toBe(pid)
    expect(await isAlive(pid)).toBe(false)
    expect(plugin.health()).toMatchObject({ state: 'up', restarts: 0 })
  })

  it('brings a plugin back that was given up', async () => {
    const file = join(folder, 'once')
    writeFileSync(file, '')
    const { plugin } = await started(['exits.mjs', 'once', file], { bridge: { maxRestarts: 0 } })
    await judge(plugin)
    await until(() => plugin.health().state === 'failed')
    await plugin.reload()
    expect(await judge(plugin)).toBeNull()
  })

  it('keeps the running child when the new one does not start', async () => {
    const marker = join(folder, 'started')
    const script = `if test -e ${marker}; then exit 7; fi; touch ${marker}; exec node ${fixture('good.mjs')}`
    const { plugin } = await started(['sh', '-c', script])
    const { pid } = plugin.health()
    await expect(plugin.reload()).rejects.toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      message: expect.stringContaining('exited with code 7'),
    })
    expect(plugin.health()).toMatchObject({ pid, state: 'up' })
    expect(await judge(plugin, { toolName: 'deploy' })).toMatchObject({ kind: 'deny' })
  })
})

describe('close()', () => {
  it('lets the child leave by itself, and can be said twice', async () => {
    const { plugin } = await started(['good.mjs'])
    const { pid = 0 } = plugin.health()
    await Promise.all([plugin.close(), plugin.close(), plugin[Symbol.asyncDispose]()])
    expect(await isAlive(pid)).toBe(false)
    expect(plugin.health()).toMatchObject({ state: 'closed', pid: undefined })
  })

  it('gives the child its time for the last work, though its pipes are closed', async () => {
    const file = join(folder, 'last-work')
    const { plugin } = await started(['lingers.mjs', '900', file], {
      bridge: { stopTimeoutMs: 10_000 },
    })
    await plugin.close()
    expect(existsSync(file)).toBe(true)
  })

  it('ends a child that is still starting', async () => {
    const { plugin } = bridged(['handshake.mjs', 'silent'])
    const start = plugin.start().catch((error: unknown) => error)
    await until(() => plugin.health().bytesOut > 0)
    await plugin.close()
    expect(await start).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
  })

  it('ends a wait for a restart', async () => {
    const { plugin } = await started(['exits.mjs', 'start'], { bridge: { backoffMs: 60_000 } })
    await until(() => plugin.health().state === 'down')
    await plugin.close()
    expect(plugin.health().state).toBe('closed')
  })
})

describe('a child', () => {
  it('gets a short list of variables and what was added, never a secret', async () => {
    process.env.AWS_SECRET_ACCESS_KEY = 'do not tell'
    process.env.NODE_OPTIONS = ''
    const { plugin, log } = await started(['environment.mjs'], {
      bridge: { env: { ADDED: 'yes' } },
    })
    await judge(plugin)
    const { message } = await log.line(({ fields }) => fields.source === 'log')
    delete process.env.AWS_SECRET_ACCESS_KEY
    const { names, added, cwd } = JSON.parse(message)
    expect(added).toBe('yes')
    expect(names).toContain('PATH')
    expect(names).not.toContain('AWS_SECRET_ACCESS_KEY')
    expect(names).not.toContain('NODE_OPTIONS')
    expect(cwd).toBe(dirname(fixture('good.mjs')))
  })

  it('can be given a working directory', async () => {
    const { plugin, log } = await started(['environment.mjs'], { bridge: { cwd: folder } })
    await judge(plugin)
    const { message } = await log.line(({ fields }) => fields.source === 'log')
    expect(JSON.parse(message).cwd).toBe(folder)
  })

  it('may take longer while it reports progress, up to maxWaitMs', async () => {
    const bridge = { beforeTimeoutMs: 400 }
    const patient = await started(['progress.mjs', '900'], {
      bridge: { ...bridge, maxWaitMs: 20_000 },
    })
    expect(await judge(patient.plugin)).toMatchObject({ reason: 'scanned' })
    const bounded = await started(['progress.mjs', '60000'], {
      bridge: { ...bridge, maxWaitMs: 900 },
    })
    expect(await judge(bounded.plugin)).toBeNull()
    const unasked = await started(['progress.mjs', '900'], { bridge })
    expect(await judge(unasked.plugin)).toBeNull()
    expect(unasked.plugin.health().timeouts).toBe(1)
  })
})

describe("the operator's times", () => {
  it('count for a bridged plugin too, and those under bridge win', async () => {
    const program = ['silent.mjs']
    for (const hooks of [
      { timeoutMs: 100 },
      { timeouts: { 'tool:before': 100 }, timeoutMs: 9000 },
    ]) {
      const { plugin, log } = await started(program, { hooks })
      expect(await judge(plugin)).toBeNull()
      expect(log.lines.at(-1)?.message).toContain('did not answer within 100 ms')
    }
    const hooks = { timeoutMs: 9000 }
    const { plugin } = await started(program, { hooks, bridge: { beforeTimeoutMs: 100 } })
    expect(await judge(plugin)).toBeNull()
  })
})

describe('lateness', () => {
  it('is judged only after the pipe was read', async () => {
    const { plugin } = await started(['good.mjs'], { bridge: { beforeTimeoutMs: 200 } })
    const asked = judge(plugin, { toolName: 'deploy' })
    await new Promise((resolve) => setImmediate(resolve))
    const busyUntil = performance.now() + 1500
    while (performance.now() < busyUntil);
    expect(await asked).toMatchObject({ reason: 'not on Fridays' })
    expect(plugin.health().timeouts).toBe(0)
  })
})

describe('an aborted call', () => {
  it('is given up at once, leaves no listener, and its late answer is dropped', async () => {
    const { plugin } = await started(['late.mjs', '200'])
    const controller = new AbortController()
    const { bytesOut } = plugin.health()
    const asked = judge(plugin, { signal: controller.signal })
    await until(() => plugin.health().bytesOut > bytesOut)
    controller.abort()
    expect(await asked).toBeNull()
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    expect(plugin.health()).toMatchObject({ pending: 0, timeouts: 0 })
    await until(() => plugin.health().late === 2)
  })

  it('that was aborted before is not waited for', async () => {
    const { plugin } = await started(['silent.mjs'])
    expect(await judge(plugin, { signal: AbortSignal.abort() })).toBeNull()
  })
})

describe('health()', () => {
  it('counts what happened', async () => {
    const { plugin } = await started(['good.mjs'])
    await judge(plugin)
    expect(plugin.health()).toMatchObject({
      id: 'p',
      state: 'up',
      pid: expect.any(Number),
      pending: 0,
      eventSubscriptions: ['tool:before', 'tool:after'],
      lastError: undefined,
      stderrLines: [],
      restarts: 0,
      timeouts: 0,
      badAnswers: 0,
      late: 0,
      noise: 0,
      dropped: 0,
    })
    expect(plugin.health().bytesIn).toBeGreaterThan(100)
    expect(plugin.health().bytesOut).toBeGreaterThan(100)
  })
})

describe('the diagnostics channel', () => {
  it('tells of every change of state', async () => {
    const states: unknown[] = []
    const listen = (message: unknown) => states.push(message)
    subscribe('toolware:plugin:state', listen)
    const { plugin } = await started(['good.mjs'])
    process.kill(plugin.health().pid ?? 0, 'SIGKILL')
    await until(() => plugin.health().restarts === 1 && plugin.health().state === 'up')
    await plugin.close()
    unsubscribe('toolware:plugin:state', listen)
    expect(states).toMatchObject([
      { id: 'p', state: 'up' },
      { state: 'down', lastError: 'was ended by SIGKILL' },
      { state: 'up', restarts: 1 },
      { state: 'closed' },
    ])
  })
})
