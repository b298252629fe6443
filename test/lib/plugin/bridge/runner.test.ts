import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { BridgedPlugin } from '../../../../lib/plugin/bridge/bridged-plugin.ts'
import { createBridgedPlugin } from '../../../../lib/plugin/bridge/create.ts'
import { implicitManifest, type PluginManifest } from '../../../../lib/plugin/manifest.ts'
import type { HookContext } from '../../../../lib/types.ts'
import {
  completed,
  context,
  fixture,
  isAlive,
  judge,
  RecordingLog,
  until,
} from '../../../helpers/bridge.ts'
import { jitiLoader } from '../../../helpers/loader.ts'

async function using(
  entry: string,
  run: (plugin: BridgedPlugin, log: RecordingLog) => Promise<void>,
  manifest: Partial<PluginManifest> = {},
): Promise<void> {
  const log = new RecordingLog()
  const entryPath = fixture(`entries/${entry}`)
  const plugin = createBridgedPlugin({
    manifest: { ...implicitManifest(entryPath), id: 'p', ...manifest },
    entryPath,
    entry: {
      config: { mode: 'strict' },
      bridge: { startTimeoutMs: 60_000, stopTimeoutMs: 1000, backoffMs: 50 },
    },
    log,
  })
  try {
    await plugin.start()
    await run(plugin, log)
  } finally {
    await plugin.close()
  }
}

const says = (plugin: BridgedPlugin, toolName: string, facts: Partial<HookContext> = {}) =>
  judge(plugin, { toolName, ...facts }).then(
    (verdict) =>
      verdict &&
      (verdict.code === 'DENIED' || verdict.code === undefined
        ? `deny: ${verdict.reason}`
        : verdict.code),
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  )

describe('a handler in a child process', () => {
  it('is heard by its answer, and anything that is no opinion blocks', async () => {
    await using('answers.mjs', async (plugin) => {
      const tools = [
        'true',
        'nothing',
        'null',
        'allow-object',
        'false',
        'later',
        'deny-with-reason',
        'deny-with-more',
      ]
      const answers: Record<string, unknown> = {}
      for (const tool of tools) answers[tool] = await says(plugin, tool)
      expect(answers).toEqual({
        true: null,
        nothing: null,
        null: null,
        'allow-object': null,
        false: 'deny: undefined',
        later: 'deny: undefined',
        'deny-with-reason': 'deny: x',
        'deny-with-more': 'deny: x',
      })
      for (const tool of ['block', 'deny', 'zero', 'text', 'allow-as-text']) {
        expect([tool, await says(plugin, tool)]).toEqual([tool, 'PLUGIN_BAD_ANSWER'])
      }
      expect(await says(plugin, 'throw')).toMatch(/^HOOK_FAILED: plugin p failed: /)
      expect(await says(plugin, 'reject')).toMatch(/^HOOK_FAILED: plugin p failed: /)
      expect(plugin.health().state).toBe('up')
    })
  })

  it('gets the facts of the call, the config, and a logger that ends in the log of the host', async () => {
    await using('tells.mjs', async (plugin, log) => {
      const facts = {
        sessionId: 's',
        channelId: 'c',
        senderId: 'u',
        correlationId: 'x',
        toolCallId: 't',
      }
      await judge(plugin, { ...facts, params: { path: 'ä' } })
      plugin.hook.after?.(context({ ...facts, params: {} }), completed({ ok: true }))
      await log.line(({ message }) => message === 'any after')
      const said = log.lines
        .filter(({ fields }) => fields.source === 'log')
        .map(({ message }) => message)
      const told = (line = '') =>
        JSON.parse(line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1))
      expect(said).toHaveLength(5)
      expect([said[0], said[2], said[4]]).toEqual([
        "loaded with { mode: 'strict' }",
        'any before',
        'any after',
      ])
      const call = { ...facts, toolName: 'read_file' }
      expect(told(said[1])).toEqual({ ...call, phase: 'before', arguments: '{"path":"ä"}' })
      expect(told(said[3])).toEqual({
        ...call,
        phase: 'after',
        arguments: '{}',
        result: '{"ok":true}',
        durationMs: 12.5,
        failed: false,
      })
      expect(log.lines.find(({ message }) => message.startsWith('loaded'))?.level).toBe('warn')
    })
  })

  it('under tool:* fires before and after', async () => {
    await using('wildcard.mjs', async (plugin) => {
      expect(plugin.health().eventSubscriptions).toEqual(['tool:*'])
      expect(await says(plugin, 'deploy')).toBe('deny: undefined')
      expect(await says(plugin, 'read_file')).toBeNull()
    })
  })

  it('is called again with changed params, unless it said once', async () => {
    await using('counts.mjs', async (plugin) => {
      expect(await says(plugin, 'a')).toBe('deny: 1 1')
      expect(await says(plugin, 'a', { recheck: true })).toBe('deny: 2 1')
    })
  })

  it('may print what it likes', async () => {
    await using('loud.mjs', async (plugin, log) => {
      expect(await says(plugin, 'a')).toBe('deny: undefined')
      const lines = log.lines.map(({ level, message, fields }) => [level, fields.source, message])
      expect(lines).toContainEqual(['info', 'log', 'hello world'])
      expect(lines).toContainEqual(['error', 'log', 'judging a'])
      expect(lines).toContainEqual(['info', 'stderr', 'not for the wire'])
      expect(lines).toContainEqual(['debug', 'stdout', 'straight to the pipe'])
    })
  })

  it('is restarted when it had an error outside of a handler', async () => {
    await using('dies-later.mjs', async (plugin) => {
      expect(await says(plugin, 'a')).toBe('PLUGIN_UNAVAILABLE')
      expect(plugin.health().stderrLines.join('\n')).toContain('forgotten')
      await until(() => plugin.health().state === 'up')
      expect(plugin.health().restarts).toBe(1)
    })
  })
})

describe('registerHook in a child process', () => {
  it('takes plain and context hooks', async () => {
    await using('hooks.mjs', async (plugin, log) => {
      expect(plugin.health().eventSubscriptions).toEqual(['tool:before', 'tool:after'])
      expect(await says(plugin, 'a', { params: { x: 1 } })).toBe('deny: undefined')
      expect(await says(plugin, 'a', { params: { x: 2 } })).toBeNull()
      expect(await says(plugin, 'b', { params: { x: 2 } })).toBe('deny: undefined')
      expect(await says(plugin, 'c', { sessionId: 's1' })).toBe('deny: undefined')
      expect(await says(plugin, 'c', { sessionId: 's1', recheck: true })).toBeNull()
      expect(await says(plugin, 'd')).toBe('PLUGIN_BAD_ANSWER')
      plugin.hook.after?.(context({ toolName: 'a', params: {} }), completed('r'))
      await log.line(({ message }) => message === 'plain a {} r 12.5 false')
      await log.line(({ message }) => message === 'context a completed')
    })
  })
})

describe('an entry', () => {
  it('may be TypeScript, and match some tools only', async () => {
    await using('typed.ts', async (plugin) => {
      expect(await says(plugin, 'deploy')).toBe('deny: undefined')
      expect(await says(plugin, 'other')).toBeNull()
    })
  })

  it.each<[string, string, Partial<PluginManifest>, RegExp]>([
    ['that throws', 'throws.mjs', {}, /no licence/],
    ['that is not there', 'missing.mjs', {}, /load_failed/],
    [
      'with an event its manifest does not declare',
      'wildcard.mjs',
      { eventSubscriptions: ['tool:after'] },
      /eventSubscriptions must name 'tool:\*'/,
    ],
    [
      'with hooks its manifest does not declare',
      'hooks.mjs',
      { capabilities: ['tools'] },
      /capabilities must name 'hooks'/,
    ],
    [
      'with handlers that could never be called',
      'ring.mjs',
      {},
      /before_tool_call.*does not reach a plugin in a process of its own/,
    ],
  ])('%s does not start, and its hook denies', async (_, entry, manifest, words) => {
    await expect(using(entry, async () => {}, manifest)).rejects.toMatchObject({
      code: 'PLUGIN_UNAVAILABLE',
      message: expect.stringMatching(words),
    })
  })
})

describe('the end of the host', () => {
  const program = fileURLToPath(new URL('../../../helpers/host-process.ts', import.meta.url))

  function host(...args: string[]) {
    const child = spawn(process.execPath, ['--import', jitiLoader, program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
    const pid = new Promise<number>((resolve) => {
      createInterface(child.stdout).once('line', (line) => resolve(Number(line)))
    })
    return { child, exit, pid }
  }

  it.each([
    ['idle', 'answers.mjs', 'wait'],
    ['in an endless loop', 'spins.mjs', 'ask'],
  ])('by SIGKILL takes a child along that is %s', async (_, entry, ask) => {
    const { child, exit, pid } = host(fixture(`entries/${entry}`), ask)
    const plugin = await pid
    expect(await isAlive(plugin)).toBe(true)
    child.kill('SIGKILL')
    await exit
    await until(async () => !(await isAlive(plugin)))
  })

  it('is not put off by an idle child', async () => {
    const { exit, pid } = host(fixture('entries/answers.mjs'), 'leave')
    const plugin = await pid
    expect(await exit).toBe(0)
    await until(async () => !(await isAlive(plugin)))
  })
})
