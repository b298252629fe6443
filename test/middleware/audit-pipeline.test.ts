import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Toolware } from '../../lib/toolware.ts'
import { ask, deny, rewrite } from '../../lib/verdict.ts'
import { type AuditLogOptions, auditLog } from '../../middleware/hooks/audit-log.ts'
import { recordingLogger } from '../helpers/hook-context.ts'
import { tempDir } from '../helpers/temp.ts'

function setup(options: AuditLogOptions = {}) {
  const file = join(tempDir(), 'audit.jsonl')
  const { log, lines } = recordingLogger()
  const app = new Toolware({ log }).use(auditLog({ file, ...options }))
  const records = (): Record<string, unknown>[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return { app, lines, records }
}
const told = (records: Record<string, unknown>[]): unknown[] =>
  records.map(({ event, status, code, by }) => [event, status, code, by].filter(Boolean).join(' '))

describe('auditLog() in a pipeline', () => {
  it('has two records for a call, however it ends', async () => {
    const { app, records } = setup()
    app.use({ name: 'no', check: ({ toolName }) => toolName !== 'b' || deny('no') })
    app.use({
      name: 'broken',
      check: ({ toolName }) => {
        if (toolName === 'c') throw new Error('x')
        return null
      },
    })
    const controller = new AbortController()
    controller.abort()
    await app.execute({ toolName: 'a' }, () => 'ok')
    await app.execute({ toolName: 'b' }, () => 'ok')
    await app.execute({ toolName: 'c' }, () => 'ok')
    await app.execute({ toolName: 'd' }, () => {
      throw new Error('x')
    })
    await app.execute({ toolName: 'e', argumentsJson: '{' }, () => 'ok')
    await app.execute({ toolName: 'f', signal: controller.signal }, () => 'ok')
    await app.execute({ toolName: 'not a name' }, () => 'ok')
    const all = records()
    expect(told(all)).toEqual([
      'arrived',
      'ended completed',
      'arrived',
      'ended blocked DENIED no',
      'arrived',
      'ended blocked HOOK_FAILED broken',
      'arrived',
      'ended failed TOOL_FAILED tool',
      'arrived',
      'ended blocked BAD_ARGUMENTS toolware',
      'arrived',
      'ended aborted ABORTED toolware',
      'arrived',
      'ended blocked BAD_ARGUMENTS toolware',
    ])
    expect(new Set(all.map(({ id }) => id)).size).toBe(7)
  })

  it('keeps apart the records of calls that run at once', async () => {
    const { app, records } = setup()
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => app.execute({ toolName: `t${i}` }, async () => i)),
    )
    const all = records()
    expect(all).toHaveLength(100)
    expect(new Set(all.map(({ id, toolName }) => `${id} ${toolName}`)).size).toBe(50)
  })

  it('blocks a call whose arrival cannot be written', async () => {
    const { log, lines } = recordingLogger()
    const app = new Toolware({ log }).use(auditLog({ file: '/dev/full' }))
    let ran = false
    const outcome = await app.execute({ toolName: 'a' }, () => {
      ran = true
    })
    expect(outcome).toMatchObject({ status: 'blocked', by: 'AuditLog', code: 'HOOK_FAILED' })
    expect(ran).toBe(false)
    expect(lines.some(({ level }) => level === 'error')).toBe(true)
  })

  it("lets it go on with failOpen: ['error'], and says so", async () => {
    const { log, lines } = recordingLogger()
    const app = new Toolware({ log }).use(auditLog({ file: '/dev/full', failOpen: ['error'] }))
    expect(await app.execute({ toolName: 'a' }, () => 'ok')).toMatchObject({
      status: 'completed',
      result: 'ok',
    })
    expect(
      lines.filter(({ level }) => level === 'warn' || level === 'error').length,
    ).toBeGreaterThan(0)
  })

  it('records the arguments as they arrived, and leaves them whole for the tool', async () => {
    const { app, records } = setup({ bodies: 'all' })
    app.use({ name: 'r', before: ({ params }) => rewrite({ ...params, more: 1 }) })
    const outcome = await app.execute(
      { toolName: 'a', params: { password: 'hunter2' } },
      (params) => ({ ...params }),
    )
    expect(outcome).toMatchObject({ result: { password: 'hunter2', more: 1 } })
    expect(records()).toMatchObject([
      { arguments: '{"password":"[redacted]"}' },
      { result: '{"password":"[redacted]","more":1}' },
    ])
  })

  it('writes nothing for explain', async () => {
    const { app, records } = setup()
    await app.explain({ toolName: 'a' })
    await app.explain({ toolName: 'a' }, { keepReservations: true })
    expect(records()).toEqual([])
  })

  it('closes its file with the pipeline, and still records a call that ends later', async () => {
    const { app, records } = setup()
    let finish = (_: string): void => {}
    const running = app.execute(
      { toolName: 'a' },
      () =>
        new Promise<string>((resolve) => {
          finish = resolve
        }),
    )
    await app.close()
    finish('late')
    await running
    expect(told(records())).toEqual(['arrived', 'ended completed'])
  })

  it('says how long people were waited for', async () => {
    const file = join(tempDir(), 'audit.jsonl')
    const { log } = recordingLogger()
    const approvals = {
      decide: async () => {
        await new Promise((resolve) => setImmediate(resolve))
        return { resolution: 'allow-once', approvalId: 'x' } as const
      },
    }
    const app = new Toolware({ log, approvals }).use(auditLog({ file }))
    app.use({ name: 'asks', check: () => ask({ title: 'May I?' }) })
    await app.execute({ toolName: 'a' }, () => 'ok')
    const [, end] = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(end.waitMs).toBeGreaterThan(0)
  })
})
