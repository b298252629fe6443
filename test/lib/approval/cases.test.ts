import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ApprovalQueue } from '../../../lib/approval/queue.ts'
import { Toolware } from '../../../lib/toolware.ts'
import type { Tool, ToolCall } from '../../../lib/types.ts'
import { ask, deny, rewrite } from '../../../lib/verdict.ts'
import reports from '../../cases/approval-reports.json' with { type: 'json' }
import cases from '../../cases/approvals.json' with { type: 'json' }
import { recordingLog } from '../../helpers/question.ts'
import { makeQueue, put } from '../../helpers/queue.ts'
import { settle } from '../../helpers/timers.ts'

const TTL_MS = 300_000
const log = recordingLog()

/** Approves one call, changes the world, and tells whether another call still goes on under that approval. */
async function approvedThen(
  approved: { tool?: string; params?: object; directory?: string },
  actual: { tool?: string; params?: object; directory?: string },
): Promise<'allow' | 'deny'> {
  let directory = approved.directory ?? '/'
  const { queue } = makeQueue({ mode: 'defer', workingDirectory: () => directory })
  const { question } = await put(queue, {
    toolName: approved.tool ?? 'tool_call',
    params: { ...approved.params },
  })
  await queue.resolve('p1', 'allow-once')
  const held = await queue.claim('p1')
  directory = actual.directory ?? directory
  const ctx = {
    ...question.ctx,
    toolName: actual.tool ?? question.ctx.toolName,
    params: { ...(actual.params ?? approved.params) },
  }
  return held.matches?.({ ctx }) ? 'allow' : 'deny'
}

const scenarios: Record<string, (args: Record<string, unknown>) => Promise<'allow' | 'deny'>> = {
  'approval-001': ({ approvedArgs, actualArgs }) =>
    approvedThen({ params: approvedArgs as object }, { params: actualArgs as object }),
  'benign-approval-001': ({ approvedArgs, actualArgs }) =>
    approvedThen({ params: approvedArgs as object }, { params: actualArgs as object }),
  'approval-002': ({ approvedTool, actualTool }) =>
    approvedThen({ tool: String(approvedTool) }, { tool: String(actualTool) }),
  'approval-003': async ({ use }) => {
    const { queue } = makeQueue({ mode: 'defer' })
    await put(queue)
    await queue.resolve('p1', 'allow-once')
    for (let i = 1; i < Number(use); i++) await queue.claim('p1')
    return queue.claim('p1').then(
      () => 'allow',
      () => 'deny',
    )
  },
  'approval-004': async ({ ageMs }) => {
    const { queue, time } = makeQueue({ mode: 'defer', useWithinMs: TTL_MS })
    await put(queue)
    await queue.resolve('p1', 'allow-once')
    await time.advance(Number(ageMs))
    return queue.claim('p1').then(
      () => 'allow',
      () => 'deny',
    )
  },
  'approval-006': async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolware-cases-')))
    mkdirSync(join(root, 'ws'))
    symlinkSync(join(root, 'ws'), join(root, 'here'))
    symlinkSync('/etc', join(root, 'ws', 'link-out'))
    const [spelled, rebound] = [
      await approvedThen(
        { directory: join(root, 'ws') },
        { directory: join(root, 'ws', 'link-out') },
      ),
      await (async () => {
        const { queue } = makeQueue({ mode: 'defer', workingDirectory: join(root, 'here') })
        const { question } = await put(queue)
        await queue.resolve('p1', 'allow-once')
        unlinkSync(join(root, 'here'))
        symlinkSync('/etc', join(root, 'here'))
        const held = await queue.claim('p1')
        return held.matches?.(question) ? 'allow' : 'deny'
      })(),
    ]
    rmSync(root, { recursive: true })
    expect(spelled).toBe(rebound)
    return spelled === 'allow' ? 'allow' : 'deny'
  },
  'approval-008': async ({ display }) => {
    // What must not happen is that a person allows what was out of sight: head and tail are shown, blanks are counted.
    const { queue } = makeQueue()
    await put(queue, {
      toolName: 'exec',
      params: { command: String(display) },
      askers: { A: { title: String(display), description: String(display) } },
    })
    const { prompt } = (await queue.list())[0] ?? {}
    const shown = [prompt?.params.values[0]?.text, prompt?.title, prompt?.description]
    for (const text of shown) expect(text).toMatch(/^ls⟨\d+ blanks⟩; rm -rf \.$/)
    expect(prompt?.params.values[0]?.escaped).toBe(1)
    await queue.resolve('p1', 'deny')
    return 'deny'
  },
  'approval-009': async ({ args }) => {
    const { queue } = makeQueue()
    await put(queue, { params: args as Record<string, unknown> })
    return (await queue.list()).length === 1 ? 'deny' : 'allow'
  },
}

describe('hostile and harmless approvals', () => {
  it('all have a scenario', () => {
    expect(Object.keys(scenarios).sort()).toEqual(cases.map(({ id }) => id).sort())
  })

  it.each(cases.map((c) => [c.id, c.why, c] as const))(
    '%s: %s',
    async (id, _, { args, expect: right }) => {
      expect(await scenarios[id]?.(args as Record<string, unknown>)).toBe(right)
    },
  )
})

/** A pipeline that asks about everything, with time that stands still. */
function asking(mode: 'hold' | 'defer' = 'hold') {
  const { queue, time } = makeQueue({ mode })
  const app = new Toolware({ approvals: queue, log })
  app.use({
    name: 'A',
    check: ({ toolName }) =>
      toolName === 'read' ? null : ask({ title: 'May it?', editable: true }),
  })
  const ran: unknown[] = []
  const tool: Tool = (params) => ran.push(params)
  const call = (facts: Partial<ToolCall> = {}) =>
    app.execute({ toolName: 'send', params: { to: 'a' }, ...facts }, tool)
  return { queue, time, app, tool, call, ran }
}

const told: Record<string, () => Promise<void>> = {
  'BR-067': async () => {
    const { queue, app, call, ran } = asking()
    app.use(async (_, next) => {
      await next()
      await next().catch(() => undefined)
    })
    const outcome = call()
    await settle()
    await queue.resolve('p1', 'deny')
    expect((await outcome).status).toBe('blocked')
    expect([ran, await queue.list()]).toEqual([[], []])
  },
  'BR-068': async () => {
    const { queue, call, ran } = asking()
    const [a, b] = [call(), call({ toolName: 'read', params: { b: 1 } })]
    expect((await b).status).toBe('completed')
    await settle()
    await queue.resolve('p1', 'deny')
    expect((await a).status).toBe('blocked')
    expect(ran).toEqual([{ b: 1 }])
  },
  // By design policies are asked again on resume; a hook that throws then blocks. A decision is no function of them: the
  // question itself is not put again.
  'BR-070': async () => {
    const { queue, app, tool, ran } = asking('defer')
    const first = await app.execute({ toolName: 'send', params: { to: 'a' } }, tool)
    expect(first.status).toBe('pending')
    await queue.resolve('p1', 'allow-once')
    expect((await app.resume('p1', tool)).status).toBe('completed')
    expect(await queue.list({ status: 'all' })).toHaveLength(1)
    expect(ran).toEqual([{ to: 'a' }])
  },
  'BR-071': async () => {
    const { queue, app, tool, call, ran } = asking('defer')
    await call({ params: { n: 1 } })
    await queue.resolve('p1', 'allow-once')
    await app.resume('p1', tool)
    await call({ params: { n: 2 } })
    await queue.resolve('p2', 'allow-once')
    await app.resume('p2', tool)
    expect((await app.resume('p1', tool)).status).toBe('blocked')
    expect(ran).toEqual([{ n: 1 }, { n: 2 }])
  },
  'BR-073': async () => {
    const { queue, app, ran } = asking()
    const inner = app.wrap('send', (params: { to: string }) => ran.push(params))
    const outer = new Toolware({ log, asyncContext: true })
    const outcome = outer.execute({ toolName: 'agent', toolCallId: 'outer' }, () =>
      inner({ to: 'b' }),
    )
    await settle()
    expect((await queue.get('p1'))?.call).toMatchObject({ toolName: 'send', parentCallId: 'outer' })
    await queue.resolve('p1', 'allow-once')
    expect((await outcome).status).toBe('completed')
    expect(ran).toEqual([{ to: 'b' }])
  },
  'BR-074': async () => {
    const { queue, app, tool, call, ran } = asking('defer')
    await call({ params: { n: 1 } })
    await queue.resolve('p1', 'allow-once')
    await call({ params: { n: 2 } })
    await call({ toolName: 'read', params: { n: 3 } })
    expect((await app.resume('p1', tool)).status).toBe('completed')
    expect(ran).toEqual([{ n: 3 }, { n: 1 }])
  },
  'BR-076': async () => {
    await asking('defer').call()
    const { queue, app, tool, ran } = asking('defer')
    await expect(queue.resolve('p1', 'allow-once')).rejects.toMatchObject({
      code: 'APPROVAL_NOT_FOUND',
      message: expect.stringContaining('asked before this process started'),
    })
    for (let i = 0; i < 2; i++) {
      expect(await app.resume('p1', tool)).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    }
    expect(ran).toEqual([])
  },
  'BR-077': async () => {
    const { queue, time, call, ran } = asking()
    const outcomes = [call(), call()]
    await settle()
    await queue.resolve('p1', 'deny')
    await time.advance(120_000)
    const codes = await Promise.all(
      ['p1', 'p2', 'p3'].map((id) =>
        queue.resolve(id, 'allow-once').then(
          () => 'fine',
          (error: { code: string }) => error.code,
        ),
      ),
    )
    expect(codes).toEqual(['APPROVAL_RESOLVED', 'APPROVAL_EXPIRED', 'APPROVAL_NOT_FOUND'])
    await Promise.all(outcomes)
    expect(ran).toEqual([])
  },
  'BR-079': async () => {
    const { queue, app, tool, call, ran } = asking('defer')
    await call({ params: { to: 'a' }, toolCallId: 't1' })
    await queue.resolve('p1', 'allow-once')
    const again = await call({ params: { to: 'b' }, toolCallId: 't1' })
    expect(again).toMatchObject({ status: 'pending', approvalId: 'p2' })
    await app.resume('p1', tool)
    expect(ran).toEqual([{ to: 'a' }])
  },
  'BR-080': async () => {
    const { queue, app, call, ran } = asking()
    app.use({ name: 'R', before: ({ params }) => rewrite({ ...params, amount: 1000 }) })
    const outcome = call({ params: { amount: 10 } })
    await settle()
    const { prompt } = (await queue.list())[0] ?? {}
    expect(prompt?.params.values[0]?.text).toBe('1000')
    expect(prompt?.originalParams?.values[0]?.text).toBe('10')
    await queue.resolve('p1', 'allow-once')
    await outcome
    expect(ran).toEqual([{ amount: 1000 }])
  },
  'BR-082': async () => {
    const { queue, time, call } = asking()
    const outcome = call()
    await settle()
    await time.advance(120_000)
    expect(await outcome).toMatchObject({ code: 'APPROVAL_TIMEOUT' })
    expect(await queue.get('p1')).toMatchObject({ status: 'timeout', resolvedBy: 'system' })
    expect(await queue.list({ status: 'deny' })).toEqual([])
  },
  'BR-083': async () => {
    const { queue, call, ran } = asking()
    const first = call()
    await settle()
    await queue.resolve('p1', 'allow-once')
    expect((await first).status).toBe('completed')
    const second = call()
    await settle()
    expect((await queue.list()).map(({ id }) => id)).toEqual(['p2'])
    await queue.resolve('p2', 'deny')
    await second
    expect(ran).toHaveLength(1)
  },
  'BR-085': async () => {
    const { queue, call, ran } = asking()
    const outcomes = [call({ params: { n: 1 } }), call({ params: { n: 2 } })]
    await settle()
    await Promise.all([queue.resolve('p2', 'allow-once'), queue.resolve('p1', 'deny')])
    expect((await Promise.all(outcomes)).map(({ status }) => status)).toEqual([
      'blocked',
      'completed',
    ])
    expect(ran).toEqual([{ n: 2 }])
  },
  'BR-086': async () => {
    const { queue, time, call, ran } = asking()
    const slow = call({ params: { n: 1 } })
    await settle()
    await time.advance(120_000)
    expect((await slow).status).toBe('blocked')
    const second = call({ params: { n: 2 } })
    await settle()
    await queue.resolve('p2', 'allow-once')
    expect((await second).status).toBe('completed')
    expect(ran).toEqual([{ n: 2 }])
  },
  'BR-088': async () => {
    const { queue, app, call, ran } = asking()
    app.use({ name: 'Max', check: ({ params }) => Number(params.n) < 10 || deny('too many') })
    const outcomes = [call({ params: { n: 9 } }), call({ params: { n: 9 } })]
    await settle()
    await queue.resolve('p1', 'allow-once', { params: { n: 1 } })
    await queue.resolve('p2', 'allow-once', { params: { n: 10 } })
    expect((await Promise.all(outcomes)).map(({ status }) => status)).toEqual([
      'completed',
      'blocked',
    ])
    expect(ran).toEqual([{ n: 1 }])
    expect(await queue.get('p1')).toMatchObject({ params: { n: 1 }, call: { params: { n: 9 } } })
  },
}

describe('faults that users of such systems reported', () => {
  it('all have a scenario', () => {
    expect(Object.keys(told).sort()).toEqual(reports.map(({ id }) => id).sort())
  })

  it.each(reports.map(({ id, right_outcome: right }) => [id, right]))('%s: %s', async (id) => {
    await told[id]?.()
  })
})

it('approves nothing by itself: a queue without people lets nothing through', async () => {
  const queue = new ApprovalQueue({ timeoutMs: 1 })
  const app = new Toolware({ approvals: queue, log })
  app.use({ name: 'A', check: () => ask({ title: 'May it?' }) })
  const outcome = await app.execute({ toolName: 'send', params: { approved: true } }, () => 1)
  expect(outcome).toMatchObject({ status: 'blocked', code: 'APPROVAL_TIMEOUT' })
})
