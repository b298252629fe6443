import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parsed, toolware } from '../helpers/cli.ts'
import { tempDir } from '../helpers/temp.ts'

const call = (toolName: string, more: object = {}): string =>
  `${JSON.stringify({ toolName, ...more })}\n`

function folder(config?: object): string {
  const dir = tempDir()
  mkdirSync(join(dir, 'ws'))
  if (config) writeFileSync(join(dir, 'toolware.json5'), JSON.stringify(config))
  return dir
}

describe('toolware check', () => {
  it('prints a line per call, in order, always with the same keys', async () => {
    const dir = folder({
      tooling: { workspaceOnly: true, workspaceRoot: 'ws', autonomyMode: 'supervised' },
      audit: { file: 'audit.jsonl' },
    })
    const input =
      call('read_file', { params: { path: 'a' } }) +
      call('read_file', { params: { path: '../a' }, toolCallId: 'x' }) +
      call('write_file', { params: { path: 'a' } })
    const { code, stdout, stderr } = await toolware(
      ['check', '--config', 'toolware.json5'],
      dir,
      input,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(parsed(stdout)).toEqual([
      {
        toolCallId: 'line-1',
        toolName: 'read_file',
        verdict: 'allow',
        by: null,
        code: null,
        reason: null,
        rule: null,
        params: { path: 'a' },
      },
      {
        toolCallId: 'x',
        toolName: 'read_file',
        verdict: 'deny',
        by: 'Autonomy',
        code: 'DENIED',
        reason: expect.stringContaining('outside'),
        rule: 'workspaceOnly',
        params: { path: '../a' },
      },
      {
        toolCallId: 'line-3',
        toolName: 'write_file',
        verdict: 'ask',
        by: 'Autonomy',
        code: null,
        reason: 'Allow write_file?',
        rule: null,
        params: { path: 'a' },
      },
    ])
    expect(stdout.split('\n')[0]).toBe(
      '{"toolCallId":"line-1","toolName":"read_file","verdict":"allow","by":null,"code":null,"reason":null,"rule":null,"params":{"path":"a"}}',
    )
    expect(readdirSync(dir).sort()).toEqual(['toolware.json5', 'ws'])
  })

  it('says that a recording holds no call: it may be of another kind', async () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'calls.jsonl'), '{"toolName":"read_file","params":{}}\n')
    for (const args of [['check'], ['run', '--workspace', '.']]) {
      const ended = await toolware([...args, 'calls.jsonl', '--from', 'openai'], dir)
      expect(ended).toMatchObject({ code: 0, stdout: '' })
      expect(ended.stderr).toContain(
        'toolware: calls.jsonl: no tool call in the form of --from openai is in it\n',
      )
    }
  })

  it('counts in the time of the calls: allowed calls keep what they took, denied ones do not', async () => {
    const dir = folder({
      rateLimits: [{ limit: 2, per: ['sender'] }],
      semanticKernel: { deniedTools: ['sk_bad'] },
    })
    const t = 1_789_999_980_000
    const input = [
      call('a', { timestamp: t }),
      call('sk_bad'),
      call('a', { timestamp: t + 1000 }),
      call('a', { timestamp: t + 2000 }),
      call('a'),
      call('a', { timestamp: t + 60_000 }),
    ].join('')
    const { stdout } = await toolware(['check', '--config', 'toolware.json5'], dir, input)
    expect(parsed(stdout).map(({ verdict, code }) => code ?? verdict)).toEqual([
      'allow',
      'DENIED',
      'allow',
      'RATE_LIMITED',
      'RATE_LIMITED',
      'allow',
    ])
  })

  it.each([
    [[], 0],
    [['--fail-on', 'deny'], 1],
    [['--fail-on', 'ask'], 1],
  ])('ends with the code that --fail-on asks for: %j', async (args, code) => {
    const dir = folder({ tooling: { autonomyMode: 'readonly' } })
    expect(
      (await toolware(['check', '--config', 'toolware.json5', ...args], dir, call('shell'))).code,
    ).toBe(code)
  })

  it('lets an ask pass --fail-on deny', async () => {
    const dir = folder({ tooling: { autonomyMode: 'supervised' } })
    const run = (word: string) =>
      toolware(['check', '--config', 'toolware.json5', '--fail-on', word], dir, call('shell'))
    expect([(await run('deny')).code, (await run('ask')).code]).toEqual([0, 1])
  })

  it('says when no policy is active', async () => {
    const { code, stdout, stderr } = await toolware(
      ['check'],
      folder(),
      call('shell', { params: { command: 'rm -rf /' } }),
    )
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'toolware: no policy is active: nothing is denied, asked about or limited\n',
    })
    expect(parsed(stdout)[0]).toMatchObject({ verdict: 'allow' })
  })

  it('blocks names and arguments that are not acceptable, as verdicts', async () => {
    const input = `{"toolName":"a b"}\n{"toolName":"a","argumentsJson":"{"}\n{"params":{}}\n{"toolName":"a","params":[]}\n{"toolName":7}\n`
    const { code, stdout } = await toolware(['check'], folder(), input)
    expect(code).toBe(0)
    expect(parsed(stdout).map(({ code, toolName }) => [code, toolName])).toEqual([
      ['BAD_ARGUMENTS', 'a b'],
      ['BAD_ARGUMENTS', 'a'],
      ['BAD_ARGUMENTS', null],
      ['BAD_ARGUMENTS', 'a'],
      ['BAD_ARGUMENTS', null],
    ])
  })

  it('reads recordings of other programs', async () => {
    const line = {
      type: 'assistant',
      sessionId: 's',
      message: {
        content: [
          { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/etc/passwd' } },
        ],
      },
    }
    const dir = folder({ tooling: { workspaceOnly: true, workspaceRoot: 'ws' } })
    const { stdout } = await toolware(
      ['check', '--config', 'toolware.json5', '--from', 'claude-code'],
      dir,
      JSON.stringify(line),
    )
    expect(parsed(stdout)).toMatchObject([
      { toolCallId: 't1', toolName: 'Read', verdict: 'deny', by: 'Autonomy' },
    ])
  })

  it.each([
    [
      'a file that is not there',
      ['check', 'nope.jsonl'],
      '',
      'nope.jsonl: there is no such file; name a file of calls',
    ],
    ['a directory', ['check', 'ws'], '', 'ws: is a directory; name a file of calls'],
    [
      'bad JSON on line 17',
      ['check'],
      `${call('a').repeat(16)}{"toolName": a}\n`,
      'stdin:17: bad JSON: ',
    ],
    [
      'an unknown key',
      ['check'],
      '{"toolName":"a","parms":{}}',
      'stdin:1: unknown key "parms"; did you mean params?',
    ],
    [
      'a missing configuration',
      ['check', '--config', 'none.json5'],
      '',
      'none.json5: there is no such file; name a configuration file',
    ],
    ['an unknown option', ['check', '--confg', 'x'], '', "Unknown option '--confg'; --help"],
    ['two files', ['check', 'a', 'b'], '', 'give one file of calls, not 2: "b" is too many'],
    [
      'a format that is none',
      ['check', '--from', 'gemini'],
      '',
      '--from: "gemini" is none of claude-code, openai, anthropic',
    ],
    [
      'a word that is none',
      ['check', '--fail-on', 'allow'],
      '',
      '--fail-on: "allow" is none of deny, ask',
    ],
    [
      'a command that is none',
      ['chekc'],
      '',
      '"chekc" is no command; there are run, check, explain, audit',
    ],
    [
      'a workspace that is not there',
      ['check', '--workspace', 'nope'],
      '',
      '--workspace: "nope": there is no such directory; name the directory where tools work',
    ],
  ])('refuses %s in one line, with exit code 2', async (_, args, input, message) => {
    const { code, stdout, stderr } = await toolware(args, folder(), input)
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({
      code: 2,
      stdout: '',
      lines: 2,
    })
    expect(stderr).toContain(`toolware: ${message}`)
  })

  it('names file, key and value of a bad configuration in one line', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'c.json5'), '{ tooling: { autonomyMode: "read-only" } }')
    expect(await toolware(['check', '--config', 'c.json5'], dir, call('a'))).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'toolware: c.json5: tooling.autonomyMode: must be full, supervised or readonly; got "read-only"\n',
    })
  })

  it('ignores sections of the host with a notice', async () => {
    const dir = folder({ agents: { x: 1 }, bindings: [], tooling: { allowShell: false } })
    const { code, stderr } = await toolware(['check', '--config', 'toolware.json5'], dir, call('a'))
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'toolware: toolware.json5: the section agents belongs to the host and is ignored here\ntoolware: toolware.json5: the section bindings belongs to the host and is ignored here\n',
    })
  })

  it('loads a TypeScript configuration', async () => {
    const dir = folder()
    writeFileSync(
      join(dir, 'toolware.ts'),
      'const root: string = "ws"\nexport default { tooling: { workspaceOnly: true, workspaceRoot: root } }\n',
    )
    const { stdout } = await toolware(
      ['check', '--config', 'toolware.ts'],
      dir,
      call('read_file', { params: { path: '/etc/passwd' } }),
    )
    expect(parsed(stdout)).toMatchObject([{ verdict: 'deny', rule: 'workspaceOnly' }])
  })
})

describe('toolware explain', () => {
  it("shows every hook's opinion of one call", async () => {
    const dir = folder({ tooling: { allowShell: false } })
    const { code, stdout } = await toolware(
      ['explain', '--config', 'toolware.json5', '{"toolName":"shell","params":{"command":"ls"}}'],
      dir,
    )
    expect(code).toBe(0)
    expect(parsed(stdout)).toMatchObject([
      {
        verdict: 'deny',
        by: 'Autonomy',
        rule: 'allowShell',
        opinions: [
          { hook: 'AuditLog', opinion: 'none' },
          { hook: 'Autonomy', opinion: 'deny', rule: 'allowShell' },
        ],
      },
    ])
  })
})

describe('toolware', () => {
  it('has a help text for itself and for each command', async () => {
    const dir = folder()
    for (const [args, first] of [
      [['--help'], 'Usage: toolware <command> [options]'],
      [
        ['run', '--help'],
        'Usage: toolware run [calls.jsonl] (--config FILE | --workspace DIR) [options]',
      ],
      [['check', '-h'], 'Usage: toolware check [calls.jsonl] [options]'],
      [['help', 'audit'], 'Usage: toolware audit verify FILE [--json]'],
    ] as const) {
      const { code, stdout } = await toolware(args, dir)
      expect([code, stdout.split('\n')[0]]).toEqual([0, first])
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    }
    expect((await toolware(['--version'], dir)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(await toolware([], dir)).toMatchObject({ code: 2 })
  })
})

describe('toolware check with plugins', () => {
  it('runs them, unless --no-plugins', async () => {
    const dir = folder({ plugins: { load: { paths: ['plugins'] } } })
    mkdirSync(join(dir, 'plugins'))
    writeFileSync(
      join(dir, 'plugins/no-deploys.mjs'),
      `export default { id: 'no-deploys', register(api) {
        api.registerHook({ name: 'no-deploys', check: ({ toolName }) => toolName !== 'deploy' })
      } }\n`,
    )
    const check = async (...more: string[]) =>
      parsed(
        (await toolware(['check', '--config', 'toolware.json5', ...more], dir, call('deploy')))
          .stdout,
      )
    expect(await check()).toMatchObject([{ verdict: 'deny', by: 'no-deploys' }])
    expect(await check('--no-plugins')).toMatchObject([{ verdict: 'allow' }])
  })
})
