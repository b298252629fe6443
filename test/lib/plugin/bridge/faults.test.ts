import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BridgedPlugin } from '../../../../lib/plugin/bridge/bridged-plugin.ts'
import { createBridgedPlugin } from '../../../../lib/plugin/bridge/create.ts'
import { implicitManifest } from '../../../../lib/plugin/manifest.ts'
import {
  bridged,
  completed,
  context,
  fixture,
  isAlive,
  judge,
  RecordingLog,
  started,
  until,
} from '../../../helpers/bridge.ts'

const SHORT = { beforeTimeoutMs: 400 }
const folder = mkdtempSync(join(tmpdir(), 'toolware-faults-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The host is well: another plugin still says yes and no, and the faulty one's health can be read. */
async function hostIsWell(faulty: BridgedPlugin): Promise<void> {
  expect(await judge(bystander)).toBeNull()
  expect(await judge(bystander, { toolName: 'deploy' })).toMatchObject({ reason: 'not on Fridays' })
  expect(faulty.health().pending).toBe(0)
}

let bystander: BridgedPlugin
beforeAll(async () => {
  bystander = createBridgedPlugin({
    manifest: implicitManifest(fixture('good.mjs')),
    entryPath: fixture('good.mjs'),
    entry: { bridge: { command: ['node', fixture('good.mjs')] } },
    log: new RecordingLog(),
  })
  await bystander.start()
})
afterAll(() => bystander.close())

describe('bytes that never become a valid answer', () => {
  const rpc = (fields: object) =>
    JSON.stringify({ jsonrpc: '2.0', ...fields }).replace('"$ID"', '$ID')

  it.each<[string, string[]]>([
    ['a line that is no JSON', ['garbage.mjs']],
    ['two objects in one line', ['two-in-one.mjs']],
    ['one byte at a time, too slowly', ['drip.mjs', '100']],
    ['a byte order mark', ['says.mjs', `\uFEFF${rpc({ id: '$ID', result: { allow: true } })}\n`]],
    ['half a line', ['says.mjs', '{"jsonrpc":']],
    ['JSON that is no message', ['says.mjs', '{"allow":true}\n']],
    ['a batch', ['says.mjs', `[${rpc({ id: '$ID', result: { allow: true } })}]\n`]],
  ])('%s is PLUGIN_BAD_ANSWER when the time is over', async (_, program) => {
    const { plugin } = await started(program, { bridge: SHORT })
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_BAD_ANSWER' })
    expect(plugin.health()).toMatchObject({ badAnswers: 1, timeouts: 0, state: 'up' })
    await hostIsWell(plugin)
  })
})

describe('garbage three times running', () => {
  it('is as good as silence: the child is replaced', async () => {
    const { plugin } = await started(['garbage.mjs'], { bridge: { ...SHORT, backoffMs: 5000 } })
    for (let i = 0; i < 3; i++) {
      expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_BAD_ANSWER' })
    }
    await until(() => plugin.health().state === 'down')
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
    await hostIsWell(plugin)
  })
})

describe('an answer outside the protocol', () => {
  const line = (fields: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...fields }).replace('"$ID"', '$ID')
    return `${text}\n`
  }
  const allow = { allow: true }

  it.each<[string, string]>([
    ['both result and error', line({ id: '$ID', result: allow, error: { code: 1, message: 'x' } })],
    ['neither', line({ id: '$ID' })],
    ['no version', '{"id":$ID,"result":{"allow":true}}\n'],
    ['another version', '{"jsonrpc":"1.0","id":$ID,"result":{"allow":true}}\n'],
    ['the id null', line({ id: null, result: allow })],
    ['the id true', line({ id: true, result: allow })],
    ['the id 1.5', line({ id: 1.5, result: allow })],
    ['a list as id', line({ id: [1], result: allow })],
    ['an id that was never sent', line({ id: 999, result: allow })],
    ['a negative id', line({ id: -1, result: allow })],
    ['a text that is no id of ours', line({ id: 'x', result: allow })],
    ['a result that is no object', line({ id: '$ID', result: true })],
    ['no result to speak of', line({ id: '$ID', result: null })],
    ['allow as text', line({ id: '$ID', result: { allow: 'no' } })],
    ['no allow', line({ id: '$ID', result: {} })],
    [
      'new arguments along with an allow',
      line({ id: '$ID', result: { ...allow, args: { path: '/etc' } } }),
    ],
    [
      'an allow by inheritance',
      '{"jsonrpc":"2.0","id":$ID,"result":{"__proto__":{"allow":true}}}\n',
    ],
  ])('with %s is PLUGIN_BAD_ANSWER at once', async (_, text) => {
    const { plugin } = await started(['says.mjs', text])
    expect(await judge(plugin)).toMatchObject({
      code: 'PLUGIN_BAD_ANSWER',
      details: { plugin: 'p' },
    })
    expect(plugin.health().timeouts).toBe(0)
    await hostIsWell(plugin)
  })

  it('is not an answer whose id came back as text or as 1.0', async () => {
    for (const id of ['"$ID"', '$ID.0']) {
      const text = `{"jsonrpc":"2.0","id":${id},"result":{"allow":false,"reason":"heard"}}\n`
      const { plugin } = await started(['says.mjs', text])
      expect((await judge(plugin))?.reason).toBe('heard')
      await plugin.close()
    }
  })

  it('is not an error, which is the handler failing', async () => {
    const text = line({ id: '$ID', error: { code: -1, message: 'no such thing' } })
    const { plugin } = await started(['says.mjs', text])
    await expect(judge(plugin)).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: 'plugin p failed: no such thing',
    })
    await hostIsWell(plugin)
  })
})

describe('noise', () => {
  it('beside valid answers is skipped and logged', async () => {
    const { plugin, log } = await started(['noisy.mjs'])
    expect(await judge(plugin)).toBeNull()
    expect(log.lines).toContainEqual({
      level: 'debug',
      message: 'v1.2.3',
      fields: { plugin: 'p', source: 'stdout' },
    })
    expect(log.lines.find(({ message }) => message === 'seen')).toMatchObject({ level: 'warn' })
    expect(plugin.health()).toMatchObject({ noise: 6, badAnswers: 0, timeouts: 0 })
    await hostIsWell(plugin)
  })

  it('of 50 MB on stderr is drained, its end kept, its flood kept out of the log', async () => {
    const { plugin, log } = await started(['stderr-flood.mjs'])
    expect(await judge(plugin)).toBeNull()
    await until(() => plugin.health().stderrLines.at(-1) === 'the last words')
    expect(log.lines.length).toBeLessThan(600)
    expect(log.lines.every(({ message }) => message.length <= 2000)).toBe(true)
    await hostIsWell(plugin)
  })
})

describe('a line without end', () => {
  it('of 200 MB is PLUGIN_BAD_ANSWER, and memory stays flat', async () => {
    const { plugin } = await started(['flood.mjs'])
    const before = process.memoryUsage().rss
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_BAD_ANSWER' })
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
    await until(() => plugin.health().state === 'up' && plugin.health().restarts === 1)
    await hostIsWell(plugin)
  })

  it('does not take the answer before it along', async () => {
    const { plugin } = await started(['long-line.mjs'])
    expect(await judge(plugin)).toBeNull()
    await until(() => plugin.health().restarts === 1)
    expect(plugin.health().lastError).toBe('wrote a line of more than 1048576 bytes')
    await hostIsWell(plugin)
  })
})

describe('a flood of lines', () => {
  it.each([
    ['noise', 'noise'],
    ['log lines', 'log'],
    ['answers to nothing', 'answers'],
  ])('of %s ends the child, and the host goes on', async (_, kind) => {
    const { plugin, log } = await started(['floods.mjs', kind])
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_BAD_ANSWER' })
    await until(() => plugin.health().restarts === 1)
    expect(plugin.health().lastError).toBe('floods its output')
    expect(log.lines.length).toBeLessThan(1000)
    await hostIsWell(plugin)
  })
})

describe('characters split between chunks', () => {
  it('arrive whole', async () => {
    const { plugin } = await started(['split-utf8.mjs'])
    expect(await judge(plugin)).toMatchObject({ reason: '中🙂' })
    await hostIsWell(plugin)
  })
})

describe('late and double answers', () => {
  it('are dropped, and the next call is answered', async () => {
    const { plugin, log } = await started(['late.mjs', '2000'], {
      bridge: { beforeTimeoutMs: 1000 },
    })
    expect(await judge(plugin)).toBeNull()
    expect(log.lines.at(-1)).toMatchObject({
      level: 'warn',
      message: 'plugin p did not answer within 1000 ms; the call goes on without its opinion',
      fields: { plugin: 'p', toolName: 'read_file' },
    })
    await until(() => plugin.health().late === 2)
    expect(await judge(plugin)).toMatchObject({ reason: 'call 3' })
    await hostIsWell(plugin)
  })

  it('count once, the first one', async () => {
    const allowThenDeny = ['true', 'false']
      .map((allow) => `{"jsonrpc":"2.0","id":$ID,"result":{"allow":${allow}}}\n`)
      .join('')
    const { plugin } = await started(['says.mjs', allowThenDeny])
    expect(await judge(plugin)).toBeNull()
    await until(() => plugin.health().late === 1)
    await hostIsWell(plugin)
  })
})

describe('a child that ends', () => {
  it('before it answered is PLUGIN_UNAVAILABLE, and the gate is closed until it runs again', async () => {
    const file = join(folder, 'once')
    writeFileSync(file, '')
    const { plugin } = await started(['exits.mjs', 'once', file], { bridge: { backoffMs: 500 } })
    expect(await judge(plugin)).toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      reason: 'plugin p exited with code 3',
    })
    const closed = await judge(plugin)
    expect(closed).toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      reason: 'plugin p is down (exited with code 3) and will be started again; try again later',
    })
    expect(closed?.retryAfterMs).toBeGreaterThan(0)
    expect(plugin.health()).toMatchObject({ state: 'down', stderrLines: ['about to exit'] })
    await until(() => plugin.health().state === 'up')
    expect(await judge(plugin)).toBeNull()
    expect(plugin.health().restarts).toBe(1)
    await hostIsWell(plugin)
  })

  it('right after 200 kB of answer is still heard to the end', async () => {
    const { plugin } = await started(['exits.mjs', 'after'])
    expect((await judge(plugin))?.reason).toHaveLength(500)
    expect(plugin.health().bytesIn).toBeGreaterThan(200_000)
    await hostIsWell(plugin)
  })

  it('again and again is given up after three restarts, with growing delays', async () => {
    const { plugin, log } = await started(['exits.mjs', 'start'])
    await until(() => plugin.health().state === 'failed')
    const said = log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)
    expect(said).toEqual([
      'plugin p exited with code 4; it is started again in 50 ms',
      'plugin p exited with code 4; it is started again in 100 ms',
      'plugin p exited with code 4; it is started again in 200 ms',
      'plugin p exited with code 4; given up after 3 restarts within a minute',
    ])
    expect(await judge(plugin)).toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      reason: 'plugin p is out of service (exited with code 4); its operator has to reload it',
    })
    await hostIsWell(plugin)
  })

  it.each(['input', 'output'])('in all but name, with its %s closed, is replaced', async (pipe) => {
    const { plugin } = await started(['closes.mjs', pipe], { bridge: SHORT })
    await judge(plugin)
    // That a pipe has no reader shows when something is written.
    await judge(plugin)
    await until(() => plugin.health().restarts === 1 && plugin.health().state === 'up')
    expect(plugin.health().lastError).toBe(`closed its ${pipe}`)
    await hostIsWell(plugin)
  })

  it('for want of memory is restarted', async () => {
    const { plugin } = await started(['hungry.mjs'], { bridge: { memoryLimitMb: 30 } })
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
    await until(() => plugin.health().restarts === 1)
    await hostIsWell(plugin)
  })
})

describe('a child that hangs', () => {
  it('lets two calls pass with a warning, closes the gate at the third, and is replaced', async () => {
    const { plugin, log } = await started(['stopped.mjs'], {
      bridge: { ...SHORT, backoffMs: 5000 },
    })
    const { pid } = plugin.health()
    expect([await judge(plugin), await judge(plugin)]).toEqual([null, null])
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(2)
    expect(await judge(plugin)).toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      reason: 'plugin p did not answer within 400 ms, 3 times running',
    })
    await until(() => plugin.health().state === 'down')
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
    expect(await isAlive(pid ?? 0)).toBe(false)
    expect(plugin.health().timeouts).toBe(3)
    await hostIsWell(plugin)
  })

  it('does not get two more calls after its restart', async () => {
    const { plugin } = await started(['silent.mjs'], { bridge: SHORT })
    for (let i = 0; i < 3; i++) await judge(plugin)
    await until(() => plugin.health().restarts === 1 && plugin.health().state === 'up')
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
  })

  it('denies from the first call on with failOpen: []', async () => {
    const { plugin } = await started(['silent.mjs'], { failOpen: [], bridge: SHORT })
    expect(await judge(plugin)).toMatchObject({
      code: 'HOOK_TIMEOUT',
      reason: 'plugin p did not answer within 400 ms',
    })
    await hostIsWell(plugin)
  })

  it('takes failOpen from its manifest, and the entry overrules that', async () => {
    const manifest = { failOpen: [] }
    const strict = await started(['silent.mjs'], { manifest, bridge: SHORT })
    expect(await judge(strict.plugin)).toMatchObject({ code: 'HOOK_TIMEOUT' })
    const lax = await started(['silent.mjs'], { manifest, failOpen: ['timeout'], bridge: SHORT })
    expect(await judge(lax.plugin)).toBeNull()
  })

  it('does not read: requests are refused, the oldest notifications dropped, memory bounded', async () => {
    const { plugin } = await started(['deaf.mjs'], {
      bridge: { ...SHORT, maxNotifications: 10, maxQueueBytes: 1024 * 1024 },
    })
    for (let i = 0; i < 1000; i++) plugin.hook.after?.(context(), completed('x'.repeat(10_000)))
    await until(() => plugin.health().dropped > 900)
    const argumentsJson = 'x'.repeat(600_000)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => judge(plugin, { argumentsJson })),
    )
    const refused = answers.filter((answer) => answer?.reason?.includes('does not read its input'))
    expect(refused.length).toBeGreaterThan(0)
    await hostIsWell(plugin)
  })

  it('never holds more calls than maxPending', async () => {
    const { plugin } = await started(['silent.mjs'], { bridge: { ...SHORT, maxPending: 2 } })
    const answers = await Promise.all([judge(plugin), judge(plugin), judge(plugin)])
    expect(answers[2]).toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      reason: 'plugin p has 2 calls waiting already; try again later',
    })
  })
})

describe('a child that will not leave', () => {
  it('is ended although it ignores the end of its input and SIGTERM', async () => {
    const { plugin } = await started(['stubborn.mjs'])
    const { pid } = plugin.health()
    await plugin.close()
    expect(await isAlive(pid ?? 0)).toBe(false)
    await hostIsWell(plugin)
  })

  it('is ended although it is stopped', async () => {
    const { plugin } = await started(['stopped.mjs'], { bridge: SHORT })
    const { pid } = plugin.health()
    await judge(plugin)
    await plugin.close()
    expect(await isAlive(pid ?? 0)).toBe(false)
  })

  it('takes the processes it started along, when it is closed', async () => {
    const { plugin } = await started(['forks.mjs'])
    const grandchild = Number((await judge(plugin))?.reason)
    expect(await isAlive(grandchild)).toBe(true)
    await plugin.close()
    await until(async () => !(await isAlive(grandchild)))
  })

  it('takes them along when it exits by itself, and they do not keep its pipes open', async () => {
    const { plugin } = await started(['forks.mjs'], { bridge: { maxRestarts: 0 } })
    const grandchild = Number((await judge(plugin))?.reason)
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
    await until(async () => !(await isAlive(grandchild)))
    await hostIsWell(plugin)
  })

  it('leaves nothing of a group started by a shell', async () => {
    const script = `exec 3<&0; node ${fixture('good.mjs')} <&3 & wait`
    const { plugin } = await started(['sh', '-c', script])
    expect(await judge(plugin, { toolName: 'deploy' })).toMatchObject({ reason: 'not on Fridays' })
    const { pid = 0 } = plugin.health()
    await plugin.close()
    await until(() => groupIsGone(pid))
  })
})

describe('a plugin that cannot be started', () => {
  it.each<[string, string[], RegExp]>([
    ['a missing program', ['/nowhere/plugin'], /could not be started.*ENOENT.*\/nowhere\/plugin/],
    [
      'a program that exits',
      ['sh', '-c', 'exit 0'],
      /exited with code 0; it was started as sh -c exit 0/,
    ],
    ['one that refuses', ['handshake.mjs', 'no'], /could not be loaded: bad config/],
    ['one without an answer', ['handshake.mjs', 'silent'], /did not answer init within 1500 ms/],
    ['one that answers nothing', ['handshake.mjs', 'null'], /answered init with null/],
    [
      'another version',
      ['handshake.mjs', '{"protocolVersion":2}'],
      /speaks protocol version 2, not 1/,
    ],
    ['events that are no list', ['handshake.mjs', '{"eventSubscriptions":"x"}'], /are no lists/],
    [
      'one that says so itself',
      ['handshake.mjs', '{"compatible":false,"diagnostics":[{"code":"a","message":"b"}]}'],
      /is not compatible: a: b/,
    ],
  ])('%s: start rejects once, with words, and the hook denies', async (_, program, words) => {
    const { plugin } = bridged(program, { bridge: { startTimeoutMs: 1500 } })
    const failure = await plugin.start().catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      message: expect.stringMatching(words),
    })
    expect(await judge(plugin)).toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
    expect(plugin.health().state).toBe('failed')
    await hostIsWell(plugin)
  })

  it('denies before it was started, and after it was closed', async () => {
    const { plugin } = bridged(['good.mjs'])
    expect((await judge(plugin))?.reason).toBe('plugin p has not started yet')
    await plugin.start()
    await plugin.close()
    expect((await judge(plugin))?.reason).toBe('plugin p is closed')
    await expect(plugin.reload()).rejects.toMatchObject({ code: 'PLUGIN_UNAVAILABLE' })
  })
})

function groupIsGone(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return false
  } catch {
    return true
  }
}
