import { describe, expect, it } from 'vitest'
import { createBridgedPlugin } from '../../../../lib/plugin/bridge/create.ts'
import { childEnvironment } from '../../../../lib/plugin/bridge/environment.ts'
import { bridgeLimits } from '../../../../lib/plugin/bridge/options.ts'
import { PluginLog } from '../../../../lib/plugin/bridge/plugin-log.ts'
import { implicitManifest } from '../../../../lib/plugin/manifest.ts'
import { RecordingLog } from '../../../helpers/bridge-context.ts'

describe('bridgeLimits()', () => {
  it('has defaults', () => {
    expect(bridgeLimits({})).toEqual({
      beforeTimeoutMs: 5000,
      maxWaitMs: 5000,
      startTimeoutMs: 10_000,
      stopTimeoutMs: 2000,
      maxRestarts: 3,
      backoffMs: 1000,
      maxLineBytes: 1_048_576,
      maxPending: 1024,
      maxNotifications: 1000,
      maxQueueBytes: 33_554_432,
    })
  })
})

describe('createBridgedPlugin()', () => {
  it.each<[object, string]>([
    [{ dialect: 'soap' }, 'dialect: must be one of toolware, openclaw-net; got "soap"'],
    [{ command: [] }, 'command: must be a list: a program and its arguments; got []'],
    [{ command: 'node x' }, 'command: must be a list: a program and its arguments; got "node x"'],
    [{ command: [''] }, 'command: must be a list: a program and its arguments; got [""]'],
    [{ cwd: 1 }, 'cwd: must be a folder; got 1'],
    [{ env: { A: 1 } }, 'env.A: must be a text; got 1'],
    [{ memoryLimitMb: 0 }, 'memoryLimitMb: must be a whole number, 1 or more; got 0'],
    [{ stopTimeoutMs: 'long' }, 'stopTimeoutMs: must be a whole number, 1 or more; got "long"'],
    [{ maxPending: 1.5 }, 'maxPending: must be a whole number, 1 or more; got 1.5'],
    [{ maxRestarts: -1 }, 'maxRestarts: must be a whole number, 0 or more; got -1'],
    [{ backoffMs: Number.NaN }, 'backoffMs: must be a whole number, 1 or more; got NaN'],
    [{ maxWaitMs: 2 ** 31 }, 'maxWaitMs: must be a whole number, 1 or more; got 2147483648'],
    [{ timeoutMs: 1 }, 'timeoutMs: there is no such key; did you mean stopTimeoutMs?'],
  ])('refuses %j', (bridge, message) => {
    const create = () =>
      createBridgedPlugin({
        manifest: implicitManifest('/p/a.mjs'),
        entryPath: '/p/a.mjs',
        entry: { bridge },
        log: new RecordingLog(),
      })
    expect(create).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: `plugins.entries.a.bridge.${message}` }),
    )
  })
})

describe('childEnvironment()', () => {
  it('takes over a short list of names and nothing else', () => {
    const host = {
      PATH: '/bin',
      LC_ALL: 'C',
      SystemRoot: 'C:\\Windows',
      OPENAI_API_KEY: 'sk-x',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: 'x.so',
      HOME: undefined,
      SHELL: '() { evil; }',
    }
    expect(childEnvironment(host, { ADDED: '1' })).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      SystemRoot: 'C:\\Windows',
      ADDED: '1',
    })
  })
})

describe('PluginLog', () => {
  it('passes on at most 50 lines of a plugin a second and says how many it left out', () => {
    let now = 0
    const log = new RecordingLog()
    const plugin = new PluginLog(log, 'p', () => now)
    for (let i = 0; i < 80; i++) plugin.plugin('info', `line ${i}`, 'log')
    expect(log.lines).toHaveLength(50)
    now = 1000
    plugin.plugin('warn', 'next', 'stderr')
    expect(log.lines.slice(50)).toEqual([
      {
        level: 'warn',
        message: 'plugin p logged too much: 30 lines were left out',
        fields: { plugin: 'p' },
      },
      { level: 'warn', message: 'next', fields: { plugin: 'p', source: 'stderr' } },
    ])
  })

  it('masks secrets and control characters', () => {
    const log = new RecordingLog()
    new PluginLog(log, 'p', () => 0).plugin(
      'info',
      'key sk-abcdefghijklmnopqrstuvwx\u001b[2J\nend',
      'log',
    )
    expect(log.lines[0]?.message).not.toContain('abcdefghijklmnop')
    expect(log.lines[0]?.message).not.toContain('\u001b')
    expect(log.lines[0]?.message).not.toContain('\n')
    expect(log.lines[0]?.message).toContain('end')
  })
})
