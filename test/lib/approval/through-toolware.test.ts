import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../lib/approval/memory-store.ts'
import type { ApprovalQueueOptions } from '../../../lib/approval/options.ts'
import { ApprovalQueue } from '../../../lib/approval/queue.ts'
import { fakeApprover } from '../../../lib/testing/fake-approver.ts'
import { Toolware } from '../../../lib/toolware.ts'
import type { AskRequest, Outcome, ToolHook } from '../../../lib/types.ts'
import { ask, deny, rewrite } from '../../../lib/verdict.ts'
import { recordingLog } from '../../helpers/question.ts'
import { settle } from '../../helpers/timers.ts'

const log = recordingLog()

/** A pipeline with a queue, a hook that asks about everything, and a tool that records its params. */
function setUp(options: ApprovalQueueOptions = {}, request: Partial<AskRequest> = {}) {
  let count = 0
  const queue = new ApprovalQueue({ newId: () => `p${++count}`, ...options })
  const app = new Toolware({ approvals: queue, log })
  app.use({ name: 'Autonomy', check: () => ask({ title: 'May it?', ...request }) })
  const ran: unknown[] = []
  const tool = (params: object) => {
    ran.push(params)
    return 'done'
  }
  const call = (facts: object = {}) =>
    app.execute({ toolName: 'deploy', params: { to: 'prod' }, ...facts }, tool)
  return { app, queue, call, tool, ran }
}

/** Gives `first` until it has been asked for twice, then `then`: the directory at the ask, and at the use. */
function alternating(first: string, then: string): () => string {
  let count = 0
  return () => (++count <= 2 ? first : then)
}

/** An outcome without what differs from run to run. */
function brief(outcome: Outcome): Record<string, unknown> {
  const { status, executed } = outcome
  return 'code' in outcome
    ? { status, executed, code: outcome.code, by: outcome.by, reason: outcome.reason }
    : { status, executed }
}

/** A generator of the same numbers every time (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe('a call that is held', () => {
  it('runs when a person allows it', async () => {
    const { queue, call, ran } = setUp()
    const outcome = call()
    await settle()
    expect(ran).toEqual([])
    await queue.resolve('p1', 'allow-once')
    expect(brief(await outcome)).toEqual({ status: 'completed', executed: true })
    expect(ran).toEqual([{ to: 'prod' }])
  })

  it.each([
    ['deny', 'APPROVAL_DENIED'],
    ['cancel', 'APPROVAL_CANCELLED'],
  ])('is blocked after %s', async (end, code) => {
    const { queue, call, ran } = setUp()
    const outcome = call()
    await settle()
    if (end === 'deny') await queue.resolve('p1', 'deny', { reason: 'not today' })
    else await queue.cancel('p1', 'not today')
    expect(await outcome).toMatchObject({
      code,
      reason: 'not today',
      approvalId: 'p1',
      executed: false,
    })
    expect(ran).toEqual([])
  })

  it('is blocked when time runs out, which is no denial by a person', async () => {
    const { queue, call } = setUp({ timeoutMs: 1 })
    expect(await call()).toMatchObject({ status: 'blocked', code: 'APPROVAL_TIMEOUT' })
    expect(await queue.get('p1')).toMatchObject({ status: 'timeout', resolvedBy: 'system' })
  })

  it('is aborted at once when the caller gives up', async () => {
    const { queue, call, ran } = setUp()
    const controller = new AbortController()
    const outcome = call({ signal: controller.signal })
    await settle()
    controller.abort()
    expect(brief(await outcome)).toMatchObject({ status: 'aborted', executed: false })
    await settle()
    expect((await queue.get('p1'))?.status).toBe('cancelled')
    await expect(queue.resolve('p1', 'allow-once')).rejects.toMatchObject({
      code: 'APPROVAL_CANCELLED',
    })
    expect(ran).toEqual([])
  })

  it('is blocked at once when nobody can be asked', async () => {
    const { call } = setUp({ reachable: () => false })
    expect(await call()).toMatchObject({ status: 'blocked', code: 'APPROVAL_UNAVAILABLE' })
    const alone = new Toolware({ log })
    alone.use({ name: 'Autonomy', check: () => ask({ title: 'May it?' }) })
    expect(await alone.execute({ toolName: 'deploy' }, () => 1)).toMatchObject({
      status: 'blocked',
      code: 'APPROVAL_UNAVAILABLE',
    })
  })

  it('is blocked when the store is down', async () => {
    const insert = () => Promise.reject(new Error('ECONNREFUSED'))
    const { call } = setUp({ store: { ...memoryStore(), insert } })
    expect(await call()).toMatchObject({ status: 'blocked', code: 'STATE_UNAVAILABLE' })
  })

  it.each([
    ['nobody can be asked', { reachable: () => false }, 'APPROVAL_UNAVAILABLE'],
    [
      'the store fails',
      {
        store: {
          ...memoryStore(),
          insert: () => {
            throw new Error('disk full')
          },
        },
      },
      'STATE_UNAVAILABLE',
    ],
    [
      'the approved directory is another one now',
      { workingDirectory: alternating('/', '/tmp') },
      'PARAMS_CHANGED_AFTER_APPROVAL',
    ],
  ])('tells its askers once that it was cancelled, when %s', async (_, options, code) => {
    const told: string[] = []
    const { queue, call, ran } = setUp(options, { onResolution: (r) => told.push(r) })
    queue.on('pending', ({ id }) => void queue.resolve(id, 'allow-once'))
    expect(await call()).toMatchObject({ status: 'blocked', code })
    expect([told, ran]).toEqual([['cancelled'], []])
  })

  it('gets one prompt for all askers, about the final params', async () => {
    const { app, queue, call } = setUp({}, { severity: 'info', timeoutMs: 500 })
    app.use({
      name: 'Rewriter',
      before: ({ params }) =>
        rewrite({ ...params, amount: 1000 }, ask({ title: 'So much?', severity: 'critical' })),
    })
    const outcome = call({ params: { amount: 10 } })
    await settle()
    const [record, ...others] = await queue.list()
    expect(others).toEqual([])
    expect(record?.prompt).toMatchObject({
      title: 'May it?',
      severity: 'critical',
      askers: [{ name: 'Autonomy' }, { name: 'Rewriter' }],
      params: { values: [{ path: 'amount', text: '1000' }] },
      originalParams: { values: [{ path: 'amount', text: '10' }] },
    })
    await queue.resolve('p1', 'allow-once')
    expect((await outcome).status).toBe('completed')
  })

  it('gets no prompt when a hook denies it, before or after the ask', async () => {
    const { app, queue, call } = setUp()
    app.use({ name: 'Late', check: () => deny('no') })
    expect(await call()).toMatchObject({ code: 'DENIED', by: 'Late' })
    expect(await queue.list({ status: 'all' })).toEqual([])
  })

  it('is judged again after the wait: a deny that came meanwhile counts', async () => {
    const { app, queue, call, ran } = setUp()
    let closed = false
    app.use({ name: 'Hours', check: () => !closed || deny('closed') })
    const outcome = call()
    await settle()
    closed = true
    await queue.resolve('p1', 'allow-once')
    expect(await outcome).toMatchObject({ status: 'blocked', by: 'Hours' })
    expect(ran).toEqual([])
  })

  it('gets what the person put in, once the policies agree', async () => {
    const { app, queue, call, ran } = setUp({}, { editable: true })
    app.use({ name: 'Limit', check: ({ params }) => params.to !== 'moon' || deny('too far') })
    const near = call()
    const far = call()
    await settle()
    await queue.resolve('p1', 'allow-once', { params: { to: 'stage' } })
    await queue.resolve('p2', 'allow-once', { params: { to: 'moon' } })
    expect((await near).status).toBe('completed')
    expect(await far).toMatchObject({ status: 'blocked', by: 'Limit' })
    expect(ran).toEqual([{ to: 'stage' }])
  })

  it('of a batch is decided alone', async () => {
    const { app, queue, call } = setUp()
    const open = await new Toolware({ log }).execute({ toolName: 'read' }, () => 1)
    const [a, b] = [call(), call()]
    await settle()
    await queue.resolve('p1', 'deny')
    await queue.resolve('p2', 'allow-once')
    expect([open, await a, await b].map(({ status }) => status)).toEqual([
      'completed',
      'blocked',
      'completed',
    ])
    await app.close()
  })

  it('of a nested tool shows which call it is part of', async () => {
    const { app, queue } = setUp()
    const outer = new Toolware({ log, asyncContext: true })
    const result = outer.execute({ toolName: 'agent', toolCallId: 'outer-1' }, () =>
      app.scope({}).execute({ toolName: 'deploy' }, () => 'inner'),
    )
    await settle()
    expect((await queue.get('p1'))?.call.parentCallId).toBe('outer-1')
    await queue.resolve('p1', 'allow-once')
    expect(await result).toMatchObject({ result: { status: 'completed', result: 'inner' } })
  })
})

describe('allow-always', () => {
  it('lets the same call go on without a prompt, in any session, until revoked', async () => {
    const { queue, call, ran } = setUp()
    const first = call({ sessionId: 's1' })
    await settle()
    await queue.resolve('p1', 'allow-always')
    await first
    expect((await call({ sessionId: 's2' })).status).toBe('completed')
    expect(ran).toHaveLength(2)
    for (const { id } of await queue.grants.list()) await queue.grants.revoke(id)
    const again = call()
    await settle()
    const [pending] = await queue.list()
    await queue.resolve(pending?.id ?? '', 'deny')
    expect((await again).status).toBe('blocked')
  })

  it('never lifts a deny', async () => {
    const { app, queue, call } = setUp()
    const first = call()
    await settle()
    await queue.resolve('p1', 'allow-always')
    await first
    app.use({ name: 'Closed', check: () => deny('closed') })
    expect(await call()).toMatchObject({ status: 'blocked', by: 'Closed' })
  })
})

describe('a call that is deferred', () => {
  const deferred = (request: Partial<AskRequest> = {}) => setUp({ mode: 'defer' }, request)

  it('is pending and runs when it is resumed, once', async () => {
    const { app, queue, call, tool, ran } = deferred()
    expect(await call({ toolCallId: 't1' })).toMatchObject({ status: 'pending', approvalId: 'p1' })
    expect(ran).toEqual([])
    await queue.resolve('p1', 'allow-once')
    expect(await app.resume('p1', tool)).toMatchObject({ status: 'completed', result: 'done' })
    expect(await app.resume('p1', tool)).toMatchObject({
      status: 'blocked',
      code: 'APPROVAL_RESOLVED',
    })
    expect(ran).toEqual([{ to: 'prod' }])
  })

  it('stays pending when it is resumed too early', async () => {
    const { app, queue, call, tool } = deferred()
    await call()
    expect(await app.resume('p1', tool)).toMatchObject({ code: 'APPROVAL_UNAVAILABLE' })
    await queue.resolve('p1', 'allow-once')
    expect((await app.resume('p1', tool)).status).toBe('completed')
  })

  it('keeps its id and its facts', async () => {
    const { app, queue, call } = deferred()
    const seen: unknown[] = []
    app.use({
      name: 'Watch',
      before: ({ id, toolCallId, sessionId, resumed }) => {
        seen.push({ id, toolCallId, sessionId, resumed })
      },
    })
    await call({ toolCallId: 't1', sessionId: 's1' })
    await queue.resolve('p1', 'allow-once')
    await app.resume('p1', () => 1)
    const facts = { id: (await queue.get('p1'))?.callId, toolCallId: 't1', sessionId: 's1' }
    expect(seen).toEqual([
      { ...facts, resumed: false },
      { ...facts, resumed: true },
    ])
  })

  it('does not run when hooks make other params of it than were approved', async () => {
    const { app, queue, call, tool, ran } = deferred()
    let amount = 10
    app.use({ name: 'Rewriter', before: ({ params }) => rewrite({ ...params, amount }) })
    await call()
    await queue.resolve('p1', 'allow-once')
    amount = 1000
    expect(await app.resume('p1', tool)).toMatchObject({ code: 'PARAMS_CHANGED_AFTER_APPROVAL' })
    expect(ran).toEqual([])
  })

  it('does not run under other policies', async () => {
    const store = memoryStore()
    const make = (policyVersion: string) => {
      const queue = new ApprovalQueue({ mode: 'defer', store, newId: () => 'p1' })
      const app = new Toolware({ approvals: queue, policyVersion, log })
      const hook: ToolHook = { name: 'A', check: () => ask({ title: 'May it?' }) }
      return { queue, app: app.use(hook) }
    }
    const before = make('v1')
    await before.app.execute({ toolName: 'deploy' }, () => 1)
    const after = make('v2')
    await after.queue.resolve('p1', 'allow-once')
    expect(await after.app.resume('p1', () => 1)).toMatchObject({
      status: 'blocked',
      code: 'PARAMS_CHANGED_AFTER_APPROVAL',
    })
  })

  it('runs with the params the person put, judged by check', async () => {
    const { app, queue, call, tool, ran } = deferred({ editable: true })
    app.use({ name: 'Limit', check: ({ params }) => params.to !== 'moon' || deny('too far') })
    await call()
    await call()
    await queue.resolve('p1', 'allow-once', { params: { to: 'stage' } })
    await queue.resolve('p2', 'allow-once', { params: { to: 'moon' } })
    expect((await app.resume('p1', tool)).status).toBe('completed')
    expect(await app.resume('p2', tool)).toMatchObject({ status: 'blocked', by: 'Limit' })
    expect(ran).toEqual([{ to: 'stage' }])
  })

  it('leaves through skipped once, when it is refused', async () => {
    const { app, queue, call } = deferred()
    const skipped: unknown[] = []
    app.use({
      name: 'Counter',
      before: () => undefined,
      skipped: ({ id }, outcome) => {
        skipped.push([id, outcome.status])
      },
    })
    await call()
    expect(skipped).toEqual([])
    await queue.resolve('p1', 'deny')
    await settle()
    expect(skipped).toEqual([[(await queue.get('p1'))?.callId, 'blocked']])
    expect(await app.resume('p1', () => 1)).toMatchObject({ code: 'APPROVAL_DENIED' })
    expect(skipped).toHaveLength(1)
  })
})

describe('a thousand calls at once', () => {
  it.each(['hold', 'defer'] as const)('get each its own decision, mode %s', async (mode) => {
    const total = 1000
    const queue = new ApprovalQueue({ mode })
    const app = new Toolware({ approvals: queue, log })
    app.use({ name: 'Autonomy', check: () => ask({ title: 'May it?' }) })
    const next = random(4)
    const runs = new Map<string, number>()
    const decided = new Map<string, string>()
    const tool = ({ n }: { n: number }, { toolCallId }: { toolCallId?: string | undefined }) => {
      expect(decided.get(`t${n}`)).toMatch(/^allow/)
      runs.set(`t${n}`, (runs.get(`t${n}`) ?? 0) + 1)
      return toolCallId
    }
    const outcomes = Array.from({ length: total }, (_, n) =>
      app.execute({ toolName: 'deploy', params: { n }, toolCallId: `t${n}` }, tool),
    )
    while ((await queue.list()).length < total) await settle()
    const shuffled = (await queue.list())
      .map((record) => ({ record, at: next() }))
      .sort((a, b) => a.at - b.at)
    for (const { record } of shuffled) {
      const choice = next()
      const decision = choice < 0.4 ? 'allow-once' : choice < 0.5 ? 'allow-always' : 'deny'
      decided.set(record.call.toolCallId ?? '', decision)
      await queue.resolve(record.id, decision)
      if (choice > 0.9) await settle()
    }
    const first = await Promise.all(outcomes)
    const ends = await Promise.all(
      first.map((o) => (o.status === 'pending' ? app.resume(o.approvalId, tool) : o)),
    )
    ends.forEach((outcome, n) => {
      const allowed = decided.get(`t${n}`) !== 'deny'
      expect(outcome.status).toBe(allowed ? 'completed' : 'blocked')
      expect(runs.get(`t${n}`) ?? 0).toBe(allowed ? 1 : 0)
      if (outcome.status === 'completed') expect(outcome.result).toBe(`t${n}`)
    })
    expect(new Set(decided.values()).size).toBe(3)
    expect(decided.size).toBe(total)
    await app.close()
  })

  it('get each its own decision from an approver that answers when it likes', async () => {
    const next = random(7)
    const waiting: Array<() => void> = []
    const decision = (n: unknown) => (Number(n) % 3 === 0 ? 'deny' : 'allow-once')
    const approver = fakeApprover(async ({ ctx }) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return decision(ctx.params.n)
    })
    const app = new Toolware({ approvals: approver, log })
    app.use({ name: 'Autonomy', check: () => ask({ title: 'May it?' }) })
    const runs: number[] = []
    const outcomes = Array.from({ length: 1000 }, (_, n) =>
      app.execute({ toolName: 'deploy', params: { n } }, (p: { n: number }) => runs.push(p.n)),
    )
    while (waiting.length < 1000) await settle()
    while (waiting.length > 0) {
      waiting.splice(Math.floor(next() * waiting.length), 1)[0]?.()
      if (next() < 0.05) await settle()
    }
    const ends = await Promise.all(outcomes)
    expect(approver.questions).toHaveLength(1000)
    ends.forEach(({ status }, n) => {
      expect(status).toBe(decision(n) === 'deny' ? 'blocked' : 'completed')
    })
    expect(runs.sort((a, b) => a - b)).toEqual(
      Array.from({ length: 1000 }, (_, n) => n).filter((n) => n % 3 !== 0),
    )
  })
})
