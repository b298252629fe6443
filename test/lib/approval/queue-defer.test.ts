import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../lib/approval/memory-store.ts'
import type { ApprovalQueueOptions } from '../../../lib/approval/options.ts'
import type { ApprovalQueue } from '../../../lib/approval/queue.ts'
import type { ApprovalRecord } from '../../../lib/approval/record.ts'
import type { ApprovalResolution } from '../../../lib/types.ts'
import { makeQuestion } from '../../helpers/question.ts'
import { makeQueue, put } from '../../helpers/queue.ts'
import { settle } from '../../helpers/timers.ts'

const refused = (code: string) => expect.objectContaining({ code })
const deferring = (options: ApprovalQueueOptions = {}) => makeQueue({ mode: 'defer', ...options })

describe('ApprovalQueue, mode defer', () => {
  it('answers pending at once and gives the held call when it is allowed', async () => {
    const { queue } = deferring()
    const { answer, question } = await put(queue, {
      id: 'call-7',
      toolName: 'deploy',
      toolCallId: 't7',
      sessionId: 's1',
      requester: { senderId: 'u1', roleIds: ['dev'] },
      trace: { traceparent: '00-ab' },
      params: { to: 'prod' },
      originalParams: { to: 'stage' },
    })
    expect(await answer).toEqual({ resolution: 'pending', approvalId: 'p1' })
    await queue.resolve('p1', 'allow-once')
    const held = await queue.claim('p1')
    expect(held).toMatchObject({
      id: 'call-7',
      approvedParams: { to: 'prod' },
      edited: false,
      call: {
        toolName: 'deploy',
        toolCallId: 't7',
        sessionId: 's1',
        requester: { senderId: 'u1', roleIds: ['dev'] },
        trace: { traceparent: '00-ab' },
        params: { to: 'stage' },
      },
    })
    expect(held.call).not.toHaveProperty('signal')
    expect(held.matches?.({ ctx: question.ctx })).toBe(true)
  })

  it('leaves out trace data that no store could keep', async () => {
    const { queue } = deferring()
    await put(queue, { trace: { span: new Map() } })
    expect((await queue.get('p1'))?.call).not.toHaveProperty('trace')
  })

  it.each([
    ['tool', { toolName: 'other' }],
    ['params', { params: { n: 2 } }],
    ['session', { sessionId: 's2' }],
    ['environment', { execEnv: { A: '1' } }],
  ])('tells that the %s is not what was approved', async (_, change) => {
    const { queue } = deferring()
    await put(queue, { params: { n: 1 }, sessionId: 's1' })
    await queue.resolve('p1', 'allow-once')
    const held = await queue.claim('p1')
    const now = (options: object) =>
      held.matches?.(makeQuestion({ params: { n: 1 }, sessionId: 's1', ...options }))
    expect([now({}), now(change)]).toEqual([true, false])
  })

  it('tells that the policies are not those it was approved under', async () => {
    const { queue } = deferring()
    const { question } = await put(queue, { policyVersion: 'v1' })
    await queue.resolve('p1', 'allow-once')
    const held = await queue.claim('p1')
    const { ctx } = question
    expect(
      ['v1', 'v2', undefined].map((policyVersion) => held.matches?.({ ctx, policyVersion })),
    ).toEqual([true, false, false])
  })

  it('gives edited params', async () => {
    const { queue } = deferring()
    const { question } = await put(queue, {
      params: { n: 9 },
      askers: { A: { editable: true } },
    })
    await queue.resolve('p1', 'allow-once', { params: { n: 1 } })
    const held = await queue.claim('p1')
    expect(held).toMatchObject({
      approvedParams: { n: 1 },
      edited: true,
      call: { params: { n: 9 } },
    })
    expect(held.matches?.({ ctx: question.ctx })).toBe(false)
    expect(held.matches?.({ ctx: { ...question.ctx, params: { n: 1 } } })).toBe(true)
  })

  it('gives the call once, of many claims at once', async () => {
    const { queue } = deferring()
    await put(queue)
    await queue.resolve('p1', 'allow-once')
    const claims = await Promise.allSettled(Array.from({ length: 20 }, () => queue.claim('p1')))
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const claim of claims) {
      if (claim.status === 'rejected') expect(claim.reason).toEqual(refused('APPROVAL_RESOLVED'))
    }
  })

  it('does not care what happens between answer and claim', async () => {
    const { queue } = deferring()
    await put(queue, { toolCallId: 't1' })
    await put(queue, { toolCallId: 't2' })
    await queue.resolve('p1', 'allow-once')
    await queue.resolve('p2', 'deny')
    await put(queue, { toolCallId: 't3' })
    expect((await queue.claim('p1')).call.toolCallId).toBe('t1')
  })

  it('refuses a claim before, and after every other end, each with its code', async () => {
    const { queue, time } = deferring({ useWithinMs: 300_000 })
    for (let i = 0; i < 5; i++) await put(queue)
    await expect(queue.claim('p1')).rejects.toEqual(refused('APPROVAL_UNAVAILABLE'))
    await queue.resolve('p1', 'deny', { reason: 'no' })
    await queue.cancel('p2', 'withdrawn')
    await queue.resolve('p3', 'allow-once')
    await time.advance(120_000)
    await expect(queue.claim('p1')).rejects.toEqual(refused('APPROVAL_DENIED'))
    await expect(queue.claim('p2')).rejects.toEqual(refused('APPROVAL_CANCELLED'))
    await expect(queue.claim('p4')).rejects.toEqual(refused('APPROVAL_TIMEOUT'))
    await expect(queue.claim('nope')).rejects.toEqual(refused('APPROVAL_NOT_FOUND'))
    await time.advance(180_001)
    await expect(queue.claim('p3')).rejects.toEqual(refused('APPROVAL_EXPIRED'))
  })

  it('tells the askers when it is settled, not when it is put', async () => {
    const { queue, time } = deferring()
    const told: ApprovalResolution[] = []
    const askers = { A: { onResolution: (r: ApprovalResolution) => told.push(r) } }
    await put(queue, { askers })
    await put(queue, { askers })
    expect(told).toEqual([])
    await queue.resolve('p1', 'allow-once')
    await time.advance(120_000)
    expect(told).toEqual(['allow-once', 'timeout'])
    await queue.claim('p1')
    expect(time.armed()).toBe(0)
  })

  it('does not end when the caller that got its answer goes away', async () => {
    const { queue } = deferring()
    const controller = new AbortController()
    await put(queue, {}, controller.signal)
    controller.abort()
    await settle()
    expect(await queue.list()).toHaveLength(1)
  })

  it('is withdrawn when its caller goes away before it got its answer', async () => {
    const store = memoryStore()
    const insert = async (record: ApprovalRecord) => {
      controller.abort()
      return store.insert(record)
    }
    const { queue } = deferring({ store: { ...store, insert } })
    const controller = new AbortController()
    const { answer } = await put(queue, {}, controller.signal)
    expect(await answer).toMatchObject({ resolution: 'cancelled' })
    expect(await queue.list()).toEqual([])
  })

  it('keeps no process alive', async () => {
    const timers: NodeJS.Timeout[] = []
    const { queue } = deferring({ timers: undefined })
    const original = globalThis.setTimeout
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      const timer = original(run, ms)
      timers.push(timer)
      return timer
    }) as typeof setTimeout
    await put(queue).finally(() => {
      globalThis.setTimeout = original
    })
    expect(timers.map((timer) => timer.hasRef())).toEqual([false])
    await queue.close()
  })
})

describe('a deferred call that will never run', () => {
  const listen = (queue: ApprovalQueue) => {
    const heard: string[] = []
    queue.onRefused(({ id }, resolution) => heard.push(`${id} ${resolution}`))
    return heard
  }

  it('is told of once, however it was refused', async () => {
    const { queue, time } = deferring({ useWithinMs: 300_000 })
    const heard = listen(queue)
    for (const id of ['denied', 'withdrawn', 'ran out', 'lapsed', 'used']) {
      await put(queue, { id, askers: { A: { timeoutMs: id === 'ran out' ? 10 : 1000 } } })
    }
    await queue.resolve('p1', 'deny')
    await queue.resolve('p1', 'deny')
    await queue.cancel('p2')
    await time.advance(10)
    await queue.resolve('p4', 'allow-once')
    await queue.resolve('p5', 'allow-always')
    await queue.claim('p5')
    expect(heard).toEqual(['denied deny', 'withdrawn cancelled', 'ran out timeout'])
    await time.advance(300_000)
    expect(heard.slice(3)).toEqual(['lapsed timeout'])
    await expect(queue.claim('p4')).rejects.toEqual(refused('APPROVAL_EXPIRED'))
    await time.advance(3_000_000)
    expect([heard.length, time.armed()]).toEqual([4, 0])
  })

  it('is told of by a claim that comes too late, when the timer is gone', async () => {
    const store = { ...memoryStore(), durable: true }
    const before = deferring({ store })
    await put(before.queue, { id: 'lapsed' })
    await before.queue.resolve('p1', 'allow-once')
    await before.queue.close()
    const after = deferring({ store })
    const heard = listen(after.queue)
    await after.time.advance(600_001)
    for (let i = 0; i < 2; i++) {
      await expect(after.queue.claim('p1')).rejects.toEqual(refused('APPROVAL_EXPIRED'))
    }
    expect(heard).toEqual(['lapsed timeout'])
  })

  it('is told of in every process on the store, once in each', async () => {
    const store = memoryStore()
    const [asking, deciding] = [deferring({ store }), deferring({ store, useWithinMs: 10 })]
    const heard = [listen(asking.queue), listen(deciding.queue)]
    await put(asking.queue, { id: 'denied' })
    await put(asking.queue, { id: 'lapsed' })
    await deciding.queue.resolve('p1', 'deny')
    await deciding.queue.resolve('p2', 'allow-once')
    await deciding.time.advance(10)
    await settle()
    for (const lines of heard) expect(lines).toEqual(['denied deny', 'lapsed timeout'])
    expect([asking.time.armed(), deciding.time.armed()]).toEqual([0, 0])
  })

  it('is none that was held: its own outcome tells', async () => {
    const { queue } = makeQueue()
    const heard = listen(queue)
    await put(queue)
    await queue.resolve('p1', 'deny')
    expect(heard).toEqual([])
  })
})

describe('an id that is no text', () => {
  it.each([
    [undefined, 'there is no approval undefined;'],
    [null, 'there is no approval null;'],
    [{}, 'there is no approval an object;'],
    [7, 'there is no approval a number;'],
  ])('is refused by name: %j', async (id, said) => {
    const { queue } = deferring()
    await expect(queue.claim(id as never)).rejects.toMatchObject({
      code: 'APPROVAL_NOT_FOUND',
      message: expect.stringContaining(said),
    })
  })
})

describe('a restart', () => {
  it('with a store that forgets leaves a clear refusal and nothing to run', async () => {
    const before = deferring()
    await put(before.queue)
    const after = deferring()
    await expect(
      after.queue.resolve('p1', 'allow-once'),
    ).rejects.toThrowErrorMatchingInlineSnapshot(
      `[ToolwareError: there is no approval "p1"; it may be mistyped, long settled or asked before this process started (approvals are kept in memory). Nothing was run; the call has to be made again]`,
    )
    await expect(after.queue.claim('p1')).rejects.toEqual(refused('APPROVAL_NOT_FOUND'))
  })

  it('with a durable store goes on where it was', async () => {
    const store = { ...memoryStore(), durable: true }
    const told: ApprovalResolution[] = []
    const before = deferring({ store })
    const askers = { A: { onResolution: (r: ApprovalResolution) => told.push(r) } }
    const { question } = await put(before.queue, { askers })
    await before.queue.close()
    expect([before.time.armed(), told]).toEqual([0, []])
    const after = deferring({ store })
    await after.queue.resolve('p1', 'allow-once')
    const held = await after.queue.claim('p1')
    expect(held.matches?.({ ctx: question.ctx })).toBe(true)
    await expect(before.queue.claim('p1')).rejects.toEqual(refused('APPROVAL_RESOLVED'))
  })

  it('does not bring back time: what ran out meanwhile has run out', async () => {
    const store = { ...memoryStore(), durable: true }
    const before = deferring({ store })
    await put(before.queue)
    await before.queue.close()
    const after = deferring({ store })
    await after.time.advance(120_000)
    expect(await after.queue.list()).toEqual([])
    await expect(after.queue.claim('p1')).rejects.toEqual(refused('APPROVAL_TIMEOUT'))
    await expect(after.queue.resolve('p1', 'allow-once')).rejects.toEqual(
      refused('APPROVAL_EXPIRED'),
    )
  })
})

describe('close()', () => {
  it('withdraws deferred questions that the store forgets anyway', async () => {
    const { queue } = deferring()
    const told: ApprovalResolution[] = []
    await put(queue, { askers: { A: { onResolution: (r) => told.push(r) } } })
    await queue.close()
    await settle()
    expect(told).toEqual(['cancelled'])
  })
})
