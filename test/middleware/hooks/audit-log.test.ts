import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HookContext, Outcome } from '../../../lib/types.ts'
import { type AuditLogOptions, auditLog } from '../../../middleware/hooks/audit-log.ts'
import hostile from '../../cases/hostile-log.json' with { type: 'json' }
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'
import { tempDir } from '../../helpers/temp.ts'

const completed = (result: unknown): Outcome => ({
  status: 'completed',
  failed: false,
  executed: true,
  result,
  text: typeof result === 'string' ? result : JSON.stringify(result),
  durationMs: 1.23456,
})
const blocked: Outcome = {
  status: 'blocked',
  failed: true,
  executed: false,
  code: 'DENIED',
  by: 'Autonomy',
  rule: 'workspaceOnly',
  reason: 'outside the workspace: token=abc',
  text: '',
  durationMs: 0.5,
}
const failed: Outcome = {
  status: 'failed',
  failed: true,
  executed: true,
  code: 'TOOL_FAILED',
  by: 'tool',
  error: new Error('no file /ws/secret-plan.txt'),
  text: '',
  durationMs: 2,
  waitMs: 1500.5,
}

/** Runs one call past an audit hook with a file and gives the records. */
function records(
  options: AuditLogOptions,
  facts: Partial<HookContext>,
  ...outcomes: Outcome[]
): Record<string, unknown>[] {
  const file = join(tempDir(), 'audit.jsonl')
  const hook = auditLog({ ...options, file, clock: () => 1_789_999_980_000 })
  const ctx = hookContext({ id: 'call-1', ...facts })
  hook.before(ctx)
  for (const outcome of outcomes) {
    if (outcome.status === 'blocked') hook.skipped(ctx, outcome)
    else hook.after(ctx, outcome)
  }
  hook.close()
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('auditLog()', () => {
  it('writes one record when the call arrives and one when it ends', () => {
    const facts = {
      toolCallId: 'toolu_1',
      sessionId: 's1',
      channelId: 'web',
      senderId: 'ann',
      correlationId: 'c1',
      params: { path: 'a.txt' },
    }
    expect(records({}, facts, completed('hello'))).toMatchInlineSnapshot(`
      [
        {
          "argumentsLength": 16,
          "channelId": "web",
          "correlationId": "c1",
          "event": "arrived",
          "id": "call-1",
          "level": "info",
          "msg": "tool call arrived",
          "senderId": "ann",
          "sessionId": "s1",
          "time": 1789999980000,
          "toolCallId": "toolu_1",
          "toolName": "read_file",
        },
        {
          "argumentsLength": 16,
          "channelId": "web",
          "correlationId": "c1",
          "durationMs": 1.235,
          "event": "ended",
          "executed": true,
          "id": "call-1",
          "level": "info",
          "msg": "tool call completed",
          "resultLength": 5,
          "senderId": "ann",
          "sessionId": "s1",
          "status": "completed",
          "time": 1789999980000,
          "toolCallId": "toolu_1",
          "toolName": "read_file",
        },
      ]
    `)
  })

  it('says who blocked a call, why and by which rule', () => {
    expect(records({}, {}, blocked)[1]).toMatchInlineSnapshot(`
      {
        "argumentsLength": 2,
        "by": "Autonomy",
        "code": "DENIED",
        "durationMs": 0.5,
        "event": "ended",
        "executed": false,
        "id": "call-1",
        "level": "warn",
        "msg": "tool call blocked",
        "reason": "outside the workspace: token=[redacted]",
        "rule": "workspaceOnly",
        "status": "blocked",
        "time": 1789999980000,
        "toolName": "read_file",
      }
    `)
  })

  it('says that a tool failed and how long people were waited for, not what it said', () => {
    expect(records({}, {}, failed)[1]).toMatchInlineSnapshot(`
      {
        "argumentsLength": 2,
        "by": "tool",
        "code": "TOOL_FAILED",
        "durationMs": 2,
        "event": "ended",
        "executed": true,
        "id": "call-1",
        "level": "warn",
        "msg": "tool call failed",
        "status": "failed",
        "time": 1789999980000,
        "toolName": "read_file",
        "waitMs": 1500.5,
      }
    `)
  })

  it('names the variables of an exec environment, without their values', () => {
    const [, end] = records({}, { execEnv: { NODE_ENV: 'test', KEY: 'k' } }, completed(''))
    expect(end?.execEnv).toEqual(['NODE_ENV', 'KEY'])
  })

  it('has no content of arguments or results unless it is asked for', () => {
    const all = records({}, { params: { path: 'top-secret' } }, completed('the plan'))
    expect(JSON.stringify(all)).not.toMatch(/top-secret|the plan/)
  })

  it.each([
    ['arguments', true, false],
    ['results', false, true],
    ['all', true, true],
  ] as const)('bodies: %s', (bodies, hasArguments, hasResult) => {
    const [arrival, end] = records({ bodies }, { params: { a: 1 } }, completed({ b: 2 }))
    expect(arrival?.arguments).toBe(hasArguments ? '{"a":1}' : undefined)
    expect(end?.result).toBe(hasResult ? '{"b":2}' : undefined)
    const [, failure] = records({ bodies }, {}, failed)
    expect(failure?.error).toBe(hasResult ? 'Error: no file /ws/secret-plan.txt' : undefined)
  })

  it('redacts bodies before it cuts them and names what was cut', () => {
    const params = { text: `${'x'.repeat(80)} AKIAIOSFODNN7EXAMPLE`, password: 'hunter2' }
    const [arrival] = records({ bodies: 'all', maxBodyLength: 95 }, { params })
    expect(arrival?.arguments).toMatch(
      /^\{"text":"x{80} \[reda… \[\d+ characters, sha256 [0-9a-f]{64}\]$/,
    )
  })

  it('leaves the live arguments and result as they are', () => {
    const params = { password: 'hunter2' }
    const result = { token: 'abc' }
    records({ bodies: 'all' }, { params }, completed(result))
    expect([params, result]).toEqual([{ password: 'hunter2' }, { token: 'abc' }])
  })

  it('writes a record with placeholders for a result that JSON does not know', () => {
    const result: Record<string, unknown> = { n: 1n }
    result.self = result
    const outcome = {
      ...completed(''),
      result,
      get text(): string {
        return JSON.stringify(result)
      },
    }
    const [, end] = records({ bodies: 'results' }, {}, outcome as Outcome)
    expect(end).toMatchObject({ status: 'completed', result: '{"n":"1n","self":"[cycle]"}' })
    expect(end).not.toHaveProperty('resultLength')
  })

  it.each(hostile)('keeps one line a record and no secret: $why ($id)', ({ value }) => {
    const file = join(tempDir(), 'audit.jsonl')
    const hook = auditLog({ file, bodies: 'all' })
    const ctx = hookContext({ params: { value }, senderId: value, sessionId: value })
    hook.before(ctx)
    hook.after(ctx, completed(value))
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^[^\n\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+\n[^\n\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+\n$/u)
    const [arrival, end] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([arrival.event, arrival.level, end.event]).toEqual(['arrived', 'info', 'ended'])
    expect(JSON.stringify([arrival.arguments, end.result])).not.toMatch(
      /BEGIN PRIVATE|u:p@|abc\.def/,
    )
  })

  it('writes both records for a call that was refused before any hook ran', () => {
    const file = join(tempDir(), 'audit.jsonl')
    const hook = auditLog({ file })
    const huge = {
      toolName: 'x'.repeat(5000),
      sessionId: { toJSON: () => 'no' } as unknown as string,
    }
    hook.skipped(hookContext(huge), { ...blocked, code: 'BAD_ARGUMENTS', by: 'toolware' })
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { event: 'arrived', sessionId: '[object]' },
      { event: 'ended', code: 'BAD_ARGUMENTS', by: 'toolware' },
    ])
    expect(lines[0].toolName).toHaveLength(257)
  })

  it('has no end record for a call that waits for a person, until it ends', () => {
    const pending: Outcome = {
      status: 'pending',
      failed: false,
      executed: false,
      approvalId: 'a',
      text: '',
      durationMs: 1,
    }
    expect(records({}, {}, pending).map(({ event }) => event)).toEqual(['arrived'])
  })

  it('says that a call was resumed', () => {
    expect(records({}, { resumed: true }, completed(''))).toMatchObject([
      { event: 'arrived', resumed: true },
      { event: 'ended', resumed: true },
    ])
  })

  it('writes nothing while a call is only judged', () => {
    const file = join(tempDir(), 'audit.jsonl')
    const hook = auditLog({ file })
    const ctx = hookContext({ judging: true })
    hook.before(ctx)
    hook.skipped(ctx, blocked)
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it("uses the app's logger without a file: information for success, warnings for the rest", () => {
    const { log, lines } = recordingLogger()
    const hook = auditLog()
    for (const outcome of [completed('x'), blocked]) {
      const ctx = hookContext({ log })
      hook.before(ctx)
      hook.after(ctx, outcome)
    }
    expect(lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'info: tool call arrived',
      'info: tool call completed',
      'info: tool call arrived',
      'warn: tool call blocked',
    ])
  })

  it('throws when an arrival cannot be written, so that the call is blocked', () => {
    const hook = auditLog({ file: '/dev/full' })
    expect(() => hook.before(hookContext())).toThrow(/ENOSPC/)
    expect(hook.failOpen).toEqual([])
    expect(auditLog({ failOpen: ['error'] }).failOpen).toEqual(['error'])
  })

  it('records each call once where two audit hooks stand', () => {
    const files = ['a', 'b'].map((name) => join(tempDir(), name))
    const hooks = files.map((file) => auditLog({ file }))
    const ctx = hookContext()
    hooks[0]?.before(ctx)
    for (const hook of hooks) hook.skipped(ctx, blocked)
    expect(files.map((file) => readFileSync(file, 'utf8').trim().split('\n').length)).toEqual([
      2, 2,
    ])
  })

  it.each([
    [
      { bodies: 'some' as 'all' },
      'audit.bodies: must be one of none, arguments, results, all; got "some"',
    ],
    [{ chain: true }, 'audit.chain: works on a file; name one in audit.file'],
    [{ fsync: true }, 'audit.fsync: works on a file; name one in audit.file'],
    [{ file: '' }, 'audit.file: must not be empty; got ""'],
    [
      { maxBodyLength: 0 },
      'audit.maxBodyLength: must be a positive whole number; leave it out for no limit; got 0',
    ],
  ])('refuses %j', (options: AuditLogOptions, message) => {
    expect(() => auditLog(options)).toThrow(expect.objectContaining({ code: 'CONFIG', message }))
  })

  it('makes the directory of its file', () => {
    const file = join(tempDir(), 'logs/today/audit.jsonl')
    auditLog({ file }).close()
    expect(existsSync(file)).toBe(true)
  })
})
