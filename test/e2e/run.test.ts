import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { end, MAIN, parsed, start, toolware } from '../helpers/cli.ts'
import { tempDir } from '../helpers/temp.ts'

const call = (toolName: string, params: object = {}, more: object = {}): string =>
  `${JSON.stringify({ toolName, params, ...more })}\n`

function workspace(): string {
  const dir = tempDir()
  mkdirSync(join(dir, 'ws/src'), { recursive: true })
  writeFileSync(join(dir, 'ws/a.txt'), 'one\ntwo\n')
  writeFileSync(join(dir, 'secret.txt'), 'no')
  writeFileSync(
    join(dir, 'c.json5'),
    `{ tooling: { workspaceOnly: true, workspaceRoot: 'ws' }, audit: { file: 'audit.jsonl', chain: true } }`,
  )
  return dir
}
const texts = (stdout: string): unknown[] =>
  parsed(stdout).map(({ status, text }) => [status, text])

describe('toolware run', () => {
  it('works on real files, with real errors', async () => {
    const dir = workspace()
    const { code, stdout, stderr } = await toolware(
      ['run', '--config', 'c.json5'],
      dir,
      [
        call('read_file', { path: 'a.txt' }),
        call('write_file', { path: 'src/new/b.txt', content: 'hi' }),
        call('edit_file', {
          path: 'a.txt',
          edits: [
            { old_text: 'one', new_text: '1' },
            { old_text: 'two', new_text: '2' },
          ],
        }),
        call('list_dir', { path: 'src' }),
        call('grep', { pattern: '^[12]$' }),
        call('shell', { command: 'cat a.txt' }),
        call('read_file', { path: 'none.txt' }),
        call('edit_file', { path: 'a.txt', old_text: 'three', new_text: '3' }),
        call('shell', { command: 'ls none' }),
        call('read_file', {}),
        call('teleport', { to: 'moon' }),
        call('read_file', { path: '../secret.txt' }),
      ].join(''),
    )
    expect(stderr).toBe('')
    expect(code).toBe(1)
    expect(texts(stdout)).toEqual([
      ['completed', 'one\ntwo\n'],
      ['completed', 'wrote 2 bytes'],
      ['completed', 'made 2 edits'],
      ['completed', 'new/'],
      ['completed', 'a.txt:1: 1\na.txt:2: 2'],
      ['completed', '1\n2\n'],
      ['failed', expect.stringMatching(/^Tool failed: ENOENT: no such file or directory/)],
      ['failed', 'Tool failed: the old text of an edit is not in the file'],
      ['failed', expect.stringMatching(/^Tool failed: ls none exited with 2: /)],
      [
        'blocked',
        'Tool execution denied by hook: Autonomy\npath: no file is named; give it as path',
      ],
      [
        'failed',
        'Tool failed: there is no tool "teleport" here; the tools are read_file, write_file, edit_file, list_dir, grep, shell',
      ],
      ['blocked', expect.stringMatching(/^Tool execution denied by hook: Autonomy\n/)],
    ])
    expect(Object.keys(parsed(stdout)[0] ?? {})).toEqual([
      'toolCallId',
      'toolName',
      'verdict',
      'by',
      'code',
      'reason',
      'rule',
      'params',
      'status',
      'executed',
      'durationMs',
      'text',
    ])
    expect(parsed(stdout)[10]).toMatchObject({
      status: 'failed',
      code: 'UNKNOWN_TOOL',
      verdict: 'allow',
    })
  })

  it('exits with 0 when every call completed', async () => {
    const dir = workspace()
    expect((await toolware(['run', '--workspace', 'ws'], dir, call('list_dir'))).code).toBe(0)
  })

  it('with --workspace alone reaches nothing outside and has no shell', async () => {
    const dir = workspace()
    const { stdout, stderr } = await toolware(
      ['run', '--workspace', 'ws'],
      dir,
      call('read_file', { path: '../secret.txt' }) +
        call('shell', { command: 'ls' }) +
        call('read_file', { path: 'a.txt' }),
    )
    // Without an audit file nothing is written beside the report.
    expect(stderr).toBe('')
    expect(parsed(stdout).map(({ rule, status }) => rule ?? status)).toEqual([
      'workspaceOnly',
      'allowShell',
      'completed',
    ])
  })

  it('beside a config, --workspace sets the root only', async () => {
    const dir = workspace()
    const { stdout } = await toolware(
      ['run', '--config', 'c.json5', '--workspace', 'ws/src'],
      dir,
      call('shell', { command: 'pwd' }) + call('read_file', { path: '../a.txt' }),
    )
    expect(parsed(stdout)).toMatchObject([
      { text: `${join(dir, 'ws/src')}\n` },
      { rule: 'workspaceOnly' },
    ])
  })

  it('needs a config or a workspace', async () => {
    expect(await toolware(['run'], workspace(), call('a'))).toEqual({
      code: 2,
      stdout: '',
      stderr: 'toolware: run needs --config FILE or --workspace DIR\n',
    })
  })

  it('validates a file whole before the first call', async () => {
    const dir = workspace()
    writeFileSync(
      join(dir, 'calls.jsonl'),
      `${call('write_file', { path: 'x', content: '' }).repeat(16)}{"toolName"\n`,
    )
    const { code, stdout, stderr } = await toolware(
      ['run', 'calls.jsonl', '--config', 'c.json5'],
      dir,
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^toolware: calls\.jsonl:17: bad JSON: [^\n]+\n$/)
    expect([existsSync(join(dir, 'ws/x')), existsSync(join(dir, 'audit.jsonl'))]).toEqual([
      false,
      false,
    ])
  })

  it('leaves nothing behind for a bad config', async () => {
    const dir = workspace()
    writeFileSync(
      join(dir, 'bad.json5'),
      `{ audit: { file: 'new/audit.jsonl' }, contract: { maxToolCalls: -1 } }`,
    )
    const { code } = await toolware(['run', '--config', 'bad.json5'], dir, call('list_dir'))
    expect([code, existsSync(join(dir, 'new'))]).toEqual([2, false])
  })

  it('on a pipe runs each call when it arrives, and stops at a bad line after the calls before it', async () => {
    const dir = workspace()
    const child = start(['run', '--workspace', 'ws'], dir)
    const ended = end(child)
    child.stdin.write(call('read_file', { path: 'a.txt' }))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.stdin.end(`{"toolName":\n${call('write_file', { path: 'x', content: '' })}`)
    const { code, stdout, stderr } = await ended
    expect([code, parsed(stdout).length]).toEqual([2, 1])
    expect(stderr).toMatch(/^toolware: stdin:2: bad JSON: /)
    expect(existsSync(join(dir, 'ws/x'))).toBe(false)
  })

  it('reads a BOM, CRLF and blank lines', async () => {
    const dir = workspace()
    const input = `\ufeff${call('list_dir').trim()}\r\n\r\n${call('list_dir').trim()}`
    const { stdout } = await toolware(['run', '--workspace', 'ws'], dir, input)
    expect(parsed(stdout).map(({ toolCallId }) => toolCallId)).toEqual(['line-1', 'line-3'])
  })

  it('blocks what a policy asks about, since nobody is at a terminal', async () => {
    const dir = workspace()
    writeFileSync(join(dir, 'ask.json5'), `{ tooling: { autonomyMode: 'supervised' } }`)
    const { stdout } = await toolware(
      ['run', '--config', 'ask.json5', '--workspace', 'ws'],
      dir,
      call('write_file', { path: 'x', content: '' }),
    )
    expect(parsed(stdout)).toMatchObject([
      { verdict: 'ask', status: 'blocked', code: 'APPROVAL_UNAVAILABLE' },
    ])
  })

  it('takes the time from the calls with --recorded-time', async () => {
    const dir = workspace()
    writeFileSync(join(dir, 'rate.json5'), `{ rateLimits: [{ limit: 1 }] }`)
    const input = [1000, 2000, 61_000]
      .map((timestamp) => call('list_dir', {}, { timestamp }))
      .join('')
    const args = ['run', '--config', 'rate.json5', '--workspace', 'ws']
    const codes = async (...more: string[]) =>
      parsed((await toolware([...args, ...more], dir, input)).stdout).map(({ code }) => code)
    expect(await codes('--recorded-time')).toEqual([null, 'RATE_LIMITED', null])
    expect(await codes()).toEqual([null, 'RATE_LIMITED', 'RATE_LIMITED'])
  })

  it('tells what came of the call that it was interrupted in, and ends its processes', async () => {
    const dir = workspace()
    const child = start(['run', '--config', 'c.json5'], dir)
    const ended = end(child)
    child.stdin.write(call('shell', { command: 'echo go > started; sleep 60' }))
    while (!existsSync(join(dir, 'ws/started')))
      await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGINT')
    child.stdin.end()
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(parsed(stdout)).toMatchObject([{ status: 'aborted', executed: true }])
  })

  it('ends when it is interrupted while it waits for calls', async () => {
    const dir = workspace()
    const child = start(['run', '--workspace', 'ws'], dir)
    const ended = end(child)
    child.stdin.on('error', () => undefined)
    child.stdin.write(call('list_dir'))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 143, stderr: '' })
  })

  it('ends quietly when nobody reads any more, and runs no further call', async () => {
    const dir = workspace()
    const child = start(['run', '--workspace', 'ws'], dir)
    const ended = end(child)
    child.stdout.destroy()
    child.stdin.on('error', () => undefined)
    const calls = Array.from({ length: 100 }, (_, i) =>
      call('write_file', { path: `${i}.txt`, content: 'x' }),
    )
    child.stdin.end(calls.join(''))
    expect((await ended).stderr).toBe('')
    expect(existsSync(join(dir, 'ws/99.txt'))).toBe(false)
  })

  it('says so when its output cannot be written', () => {
    const dir = workspace()
    const unwritable = openSync(join(dir, 'secret.txt'), 'r')
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'run', '--workspace', 'ws'], {
      cwd: dir,
      input: call('list_dir').repeat(3),
      stdio: ['pipe', unwritable, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(unwritable)
    expect(status).toBe(2)
    expect(stderr).toMatch(/^toolware: stdout: cannot be written: EBADF.*\n$/)
  })

  it.each([
    [`{ approvals: { mode: 'defer' } }`, 'x.json5: approvals.mode: run cannot defer'],
    [`{ approvals: { store: { sqlite: 'a.db' } } }`, 'x.json5: approvals.store: '],
    [`{ state: { redis: 'redis://127.0.0.1:1' } }`, 'x.json5: state.redis: needs a store'],
    [`{ telemetry: {} }`, 'x.json5: telemetry: is not in this build'],
    [`{ audit: { file: '/dev/null/x' } }`, 'x.json5: audit.file: cannot open'],
    [`{ audit: { chain: true } }`, 'x.json5: audit.chain: works on a file'],
  ])('says what it cannot do: %s', async (text, message) => {
    const dir = workspace()
    writeFileSync(join(dir, 'x.json5'), text)
    const { code, stderr } = await toolware(['run', '--config', 'x.json5'], dir, call('list_dir'))
    expect(code).toBe(2)
    expect(stderr).toContain(`toolware: ${message}`)
  })
})

describe('toolware audit verify', () => {
  it('does not take some other file for a chain', async () => {
    const dir = workspace()
    expect(await toolware(['audit', 'verify', 'ws/a.txt'], dir)).toMatchObject({
      code: 1,
      stdout: 'ws/a.txt: no record is part of a hash chain; write it with audit: { chain: true }\n',
    })
  })

  it('accepts what run wrote, and finds an edit', async () => {
    const dir = workspace()
    await toolware(
      ['run', '--config', 'c.json5'],
      dir,
      call('list_dir') + call('read_file', { path: '/etc/passwd' }),
    )
    const file = join(dir, 'audit.jsonl')
    const good = await toolware(['audit', 'verify', 'audit.jsonl'], dir)
    expect(good).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok: 4 records, none changed/),
    })
    writeFileSync(file, readFileSync(file, 'utf8').replace('"blocked"', '"completed"'))
    const bad = await toolware(['audit', 'verify', 'audit.jsonl'], dir)
    expect(bad).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('audit.jsonl:4: the record does not match its hash'),
    })
    expect(await toolware(['audit', 'verify', 'none.jsonl'], dir)).toMatchObject({ code: 2 })
    expect(await toolware(['audit', 'shred'], dir)).toMatchObject({ code: 2 })
    writeFileSync(file, '{"event":"arrived"}\n')
    expect(await toolware(['audit', 'verify', 'audit.jsonl'], dir)).toMatchObject({
      code: 1,
      stdout:
        'audit.jsonl: no record is part of a hash chain; write it with audit: { chain: true }\n',
    })
  })
})
