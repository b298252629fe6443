import { getEventListeners } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../../lib/approval/memory-store.ts'
import { ApprovalQueue } from '../../../lib/approval/queue.ts'
import type { ApprovalRecord } from '../../../lib/approval/record.ts'
import type { ApprovalResolution, AskRequest } from '../../../lib/types.ts'
import { makeQuestion, recordingLog } from '../../helpers/question.ts'
import { makeQueue, put } from '../../helpers/queue.ts'
import { settle } from '../../helpers/timers.ts'

const refused = (code: string) => expect.objectContaining({ code })

describe('ApprovalQueue, mode hold', () => {
  it.each(['allow-once', 'allow-always', 'deny'] as const)('answers %s', async (decision) => {
    const { queue } = makeQueue()
    const { answer } = await put(queue)
    const { record, repeated } = await queue.resolve('p1', decision, { by: 'u1' })
    expect(record).toMatchObject({ id: 'p1', status: decision, resolvedBy: 'u1' })
    expect(repeated).toBe(false)
    expect(await answer).toMatchObject({ resolution: decision, approvalId: 'p1' })
  })

  it('hands on why a person said no', async () => {
    const { queue } = makeQueue()
    const { answer } = await put(queue)
    await queue.resolve('p1', 'deny', { reason: 'not on Fridays' })
    expect(await answer).toMatchObject({ resolution: 'deny', reason: 'not on Fridays' })
  })

  it('files what a person needs, as plain frozen data', async () => {
    const { queue, time } = makeQueue()
    await put(queue, {
      toolName: 'deploy',
      sessionId: 's1',
      parentCallId: 'outer',
      policyVersion: 'v1',
    })
    const [record] = await queue.list()
    expect(JSON.parse(JSON.stringify(record))).toMatchObject({
      id: 'p1',
      mode: 'hold',
      status: 'pending',
      call: {
        toolName: 'deploy',
        sessionId: 's1',
        parentCallId: 'outer',
        params: { path: 'a.txt' },
      },
      prompt: { title: 'May Autonomy let it?', decisions: ['allow-once', 'allow-always', 'deny'] },
      policyVersion: 'v1',
      createdAt: time.now(),
      expiresAt: time.now() + 120_000,
    })
    expect(record?.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(Object.isFrozen(record)).toBe(true)
    expect(await queue.get('p1')).toEqual(record)
    expect(await queue.get('p2')).toBeUndefined()
  })

  it('gives ids that cannot be guessed', async () => {
    const queue = new ApprovalQueue()
    const ids = new Set<string>()
    for (let i = 0; i < 20; i++) await put(queue)
    for (const { id } of await queue.list()) ids.add(id)
    expect(ids.size).toBe(20)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await queue.close()
  })

  it('times out as system, not as a person, and says so to a late answer', async () => {
    const { queue, time } = makeQueue()
    const { answer } = await put(queue, { askers: { A: { timeoutMs: 50 } } })
    await time.advance(49)
    expect((await queue.list()).length).toBe(1)
    await time.advance(1)
    expect(await answer).toMatchObject({ resolution: 'timeout', approvalId: 'p1' })
    expect(await queue.get('p1')).toMatchObject({ status: 'timeout', resolvedBy: 'system' })
    await expect(queue.resolve('p1', 'allow-once')).rejects.toEqual(refused('APPROVAL_EXPIRED'))
  })

  it('refuses an answer that comes when time is up but the timer has not fired yet', async () => {
    const { queue, time } = makeQueue({ clock: () => now })
    let now = 0
    const { answer } = await put(queue, { askers: { A: { timeoutMs: 50 } } })
    now = 50
    expect(await queue.list()).toEqual([])
    await expect(queue.resolve('p1', 'allow-once')).rejects.toEqual(refused('APPROVAL_EXPIRED'))
    expect(await answer).toMatchObject({ resolution: 'timeout' })
    await settle()
    expect(time.armed()).toBe(0)
  })

  it('is not poisoned by a question that timed out', async () => {
    const { queue, time } = makeQueue({ timeoutMs: 100 })
    await put(queue)
    await time.advance(100)
    const { answer } = await put(queue)
    await queue.resolve('p2', 'allow-once')
    expect(await answer).toMatchObject({ resolution: 'allow-once', approvalId: 'p2' })
  })

  it('asks again for a second identical call: an answer counts for one', async () => {
    const { queue } = makeQueue()
    const first = await put(queue)
    await queue.resolve('p1', 'allow-once')
    expect(await first.answer).toMatchObject({ resolution: 'allow-once' })
    await put(queue)
    expect((await queue.list()).map(({ id }) => id)).toEqual(['p2'])
  })

  it('takes answers in any order', async () => {
    const { queue } = makeQueue()
    const first = await put(queue)
    const second = await put(queue)
    await queue.resolve('p2', 'deny')
    await queue.resolve('p1', 'allow-once')
    expect((await first.answer).resolution).toBe('allow-once')
    expect((await second.answer).resolution).toBe('deny')
  })

  it('takes an answer from inside the pending event', async () => {
    const { queue } = makeQueue()
    queue.on('pending', ({ id }) => void queue.resolve(id, 'allow-once'))
    const { answer } = await put(queue)
    expect(await answer).toMatchObject({ resolution: 'allow-once' })
  })
})

describe('the first decision', () => {
  it('wins; the same again is fine, another is refused', async () => {
    const { queue } = makeQueue()
    const { answer } = await put(queue)
    await queue.resolve('p1', 'allow-once', { by: 'u1' })
    expect(await queue.resolve('p1', 'allow-once', { by: 'u2' })).toMatchObject({
      repeated: true,
      record: { resolvedBy: 'u1' },
    })
    await expect(queue.resolve('p1', 'deny')).rejects.toEqual(refused('APPROVAL_RESOLVED'))
    await expect(queue.resolve('p1', 'allow-always')).rejects.toEqual(refused('APPROVAL_RESOLVED'))
    expect((await answer).resolution).toBe('allow-once')
    expect(await queue.resolve('p1', 'allow-once')).toMatchObject({ repeated: true })
  })

  it('is one, of many at once', async () => {
    const { queue } = makeQueue()
    const { answer } = await put(queue)
    const tries = await Promise.allSettled(
      Array.from({ length: 40 }, (_, i) => queue.resolve('p1', i % 2 ? 'deny' : 'allow-once')),
    )
    const firsts = tries.filter((t) => t.status === 'fulfilled' && !t.value.repeated)
    expect(firsts).toHaveLength(1)
    const { resolution } = await answer
    const refusals = tries.filter((t) => t.status === 'rejected')
    expect(refusals).toHaveLength(20)
    expect((await queue.get('p1'))?.status).toBe(resolution)
  })

  it('needs an id that exists', async () => {
    const { queue } = makeQueue()
    await expect(queue.resolve('nope\u202e', 'deny')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[ToolwareError: there is no approval "nope⟨U+202E⟩"; it may be mistyped, long settled or asked before this process started (approvals are kept in memory). Nothing was run; the call has to be made again]`,
    )
    await expect(queue.resolve('p', 'deny')).rejects.toEqual(refused('APPROVAL_NOT_FOUND'))
    await expect(queue.resolve('__proto__', 'deny')).rejects.toEqual(refused('APPROVAL_NOT_FOUND'))
    const missing = JSON.parse('{}').id
    await expect(queue.resolve(missing, 'deny')).rejects.toEqual(refused('APPROVAL_NOT_FOUND'))
    await expect(queue.claim(missing)).rejects.toEqual(refused('APPROVAL_NOT_FOUND'))
  })

  it.each(['yes', 'ALLOW-ONCE', '', 'timeout', 'cancelled', '__proto__'])(
    'cannot be %j',
    async (word) => {
      const { queue } = makeQueue()
      await put(queue)
      await expect(queue.resolve('p1', word)).rejects.toEqual(refused('BAD_ARGUMENTS'))
      expect((await queue.get('p1'))?.status).toBe('pending')
    },
  )

  it('must be among those offered', async () => {
    const { queue } = makeQueue()
    await put(queue, { askers: { A: { allowedDecisions: ['allow-once'] } } })
    await expect(queue.resolve('p1', 'allow-always')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[ToolwareError: allow-always is not offered for this approval; use one of allow-once, deny]`,
    )
    await queue.resolve('p1', 'allow-once')
  })
})

describe('an abort while a person is asked', () => {
  it('cancels at once, whatever the reason is', async () => {
    const { queue, time } = makeQueue()
    const told: ApprovalResolution[] = []
    const controller = new AbortController()
    const askers = { A: { onResolution: (r: ApprovalResolution) => told.push(r) } }
    const { answer } = await put(queue, { askers }, controller.signal)
    controller.abort('a text')
    expect(await answer).toMatchObject({ resolution: 'cancelled', approvalId: 'p1' })
    expect(told).toEqual(['cancelled'])
    await expect(queue.resolve('p1', 'allow-once')).rejects.toEqual(refused('APPROVAL_CANCELLED'))
    expect(await queue.list()).toEqual([])
    expect(time.armed()).toBe(0)
  })

  it('before the question is put asks nobody', async () => {
    const { queue } = makeQueue()
    const told: ApprovalResolution[] = []
    const askers = { A: { onResolution: (r: ApprovalResolution) => told.push(r) } }
    const { answer } = await put(queue, { askers }, AbortSignal.abort())
    expect(await answer).toMatchObject({ resolution: 'cancelled' })
    expect(told).toEqual(['cancelled'])
    expect(await queue.list({ status: 'all' })).toEqual([])
  })

  it('while the store is slow withdraws the question as soon as it is in', async () => {
    const store = memoryStore()
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = { ...store, insert: (r: ApprovalRecord) => gate.then(() => store.insert(r)) }
    const { queue } = makeQueue({ store: slow })
    const controller = new AbortController()
    const { answer } = await put(queue, {}, controller.signal)
    controller.abort()
    release()
    expect(await answer).toMatchObject({ resolution: 'cancelled' })
    expect(await queue.list()).toEqual([])
  })

  it('leaves no timer and no listener, nor does any other end', async () => {
    const { queue, time } = makeQueue()
    const { signal } = new AbortController()
    for (let i = 1; i <= 3; i++) await put(queue, { askers: { A: { timeoutMs: 10 * i } } }, signal)
    expect(time.armed()).toBe(3)
    expect(getEventListeners(signal, 'abort')).toHaveLength(3)
    await queue.resolve('p1', 'allow-once')
    await queue.resolve('p2', 'deny')
    await time.advance(30)
    expect(time.armed()).toBe(0)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('onResolution', () => {
  it.each(['allow-once', 'allow-always', 'deny', 'timeout', 'cancelled'] as const)(
    'hears %s once, from every asker',
    async (end) => {
      const { queue, time } = makeQueue()
      const told: Array<[string, ApprovalResolution]> = []
      const note = (name: string): Partial<AskRequest> => ({
        onResolution: (resolution) => told.push([name, resolution]),
      })
      const { answer } = await put(queue, { askers: { A: note('A'), B: note('B') } })
      if (end === 'timeout') await time.advance(120_000)
      else if (end === 'cancelled') await queue.cancel('p1', 'never mind')
      else await queue.resolve('p1', end)
      expect(await answer).toMatchObject({ resolution: end })
      await time.advance(1_000_000)
      expect(told).toEqual([
        ['A', end],
        ['B', end],
      ])
    },
  )

  it('does not hold up the call, whatever it does', async () => {
    const { queue } = makeQueue()
    const log = recordingLog()
    const { answer } = await put(queue, {
      log,
      askers: {
        A: { onResolution: () => new Promise(() => undefined) },
        B: { onResolution: () => Promise.reject(new Error('b')) },
      },
    })
    await queue.resolve('p1', 'allow-once')
    expect(await answer).toMatchObject({ resolution: 'allow-once' })
    await settle()
    expect(log.lines.map(({ fields }) => fields.hook)).toEqual(['B'])
  })
})

/** A folder where `here` leads to `src`, until it is turned to lead to `/etc`. */
function turningLink(): { readonly root: string; readonly turn: () => void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolware-queue-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const here = join(root, 'here')
  mkdirSync(join(root, 'src'))
  symlinkSync(join(root, 'src'), here)
  const turn = (): void => {
    unlinkSync(here)
    symlinkSync('/etc', here)
  }
  return { root, turn }
}

describe('what was approved', () => {
  it('binds to the directory as it really is when the call goes on', async () => {
    const { root, turn } = turningLink()
    const { queue } = makeQueue({ workingDirectory: root })
    const told: ApprovalResolution[] = []
    const askers = { A: { onResolution: (r: ApprovalResolution) => told.push(r) } }
    const { answer } = await put(queue, { params: { cwd: 'here' }, askers })
    turn()
    await queue.resolve('p1', 'allow-once')
    await expect(answer).rejects.toEqual(refused('PARAMS_CHANGED_AFTER_APPROVAL'))
    // The pipeline tells the askers when decide() rejects.
    expect(told).toEqual([])
  })

  it('takes edited params only to the directory that was shown', async () => {
    const { root, turn } = turningLink()
    const { queue } = makeQueue({ workingDirectory: join(root, 'here') })
    const { answer } = await put(queue, { askers: { A: { editable: true } } })
    turn()
    await queue.resolve('p1', 'allow-once', { params: { path: 'b.txt' } })
    await expect(answer).rejects.toEqual(refused('PARAMS_CHANGED_AFTER_APPROVAL'))
  })

  it.each([
    ['as they are', undefined],
    ['edited', { path: 'b.txt' }],
  ])('is not remembered for a directory that nobody was shown, params %s', async (_, params) => {
    const { root, turn } = turningLink()
    const { queue } = makeQueue({ workingDirectory: join(root, 'here') })
    const askers = { A: { editable: true } }
    const { answer } = await put(queue, { askers })
    turn()
    await queue.resolve('p1', 'allow-always', { params })
    await expect(answer).rejects.toEqual(refused('PARAMS_CHANGED_AFTER_APPROVAL'))
    expect(await queue.grants.list()).toEqual([])
    await put(queue, { askers, ...(params && { params }) })
    expect(await queue.list()).toHaveLength(1)
  })

  it('is what it was, though the caller keeps changing its object', async () => {
    const { queue } = makeQueue()
    const params = { path: 'a.txt' }
    const { answer } = await put(queue, { params })
    params.path = '../x'
    expect((await queue.get('p1'))?.params).toEqual({ path: 'a.txt' })
    await queue.resolve('p1', 'allow-once')
    await expect(answer).rejects.toEqual(refused('PARAMS_CHANGED_AFTER_APPROVAL'))
  })

  it('can be nothing but plain data', async () => {
    const { queue } = makeQueue()
    const { answer } = await put(queue, { params: { when: new Date(0) } })
    await expect(answer).rejects.toEqual(refused('BAD_ARGUMENTS'))
    expect(await queue.list()).toEqual([])
  })

  it('is used once, by the call that waited', async () => {
    const { queue } = makeQueue()
    const { answer } = await put(queue)
    await expect(queue.claim('p1')).rejects.toEqual(refused('APPROVAL_RESOLVED'))
    await queue.resolve('p1', 'allow-once')
    await expect(queue.claim('p1')).rejects.toEqual(refused('APPROVAL_RESOLVED'))
    expect((await answer).resolution).toBe('allow-once')
    expect((await queue.get('p1'))?.usedAt).toBeTypeOf('number')
  })
})

describe('a person who edits the params', () => {
  const askers = { A: { editable: true } }

  it('puts others in their place, under a new digest', async () => {
    const { queue } = makeQueue()
    const { answer } = await put(queue, { params: { n: 9 }, askers })
    const before = await queue.get('p1')
    const { record } = await queue.resolve('p1', 'allow-once', { params: { n: 1 } })
    expect(record).toMatchObject({ params: { n: 1 }, edited: true, call: { params: { n: 9 } } })
    expect(record.digest).not.toBe(before?.digest)
    expect(await answer).toEqual({ resolution: 'allow-once', approvalId: 'p1', params: { n: 1 } })
  })

  it('and leaves them as they are has edited nothing', async () => {
    const { queue } = makeQueue()
    const { answer } = await put(queue, { params: { n: 9, m: 1 }, askers })
    const { record } = await queue.resolve('p1', 'allow-once', { params: { m: 1, n: 9 } })
    expect(record.edited).toBe(false)
    expect(await answer).toEqual({ resolution: 'allow-once', approvalId: 'p1' })
  })

  it.each([
    ['where no edit is allowed', {}, 'allow-once', { n: 1 }],
    ['with a deny', { A: { editable: true } }, 'deny', { n: 1 }],
    ['with what is no plain data', { A: { editable: true } }, 'allow-once', { n: 1n }],
  ])('is refused %s', async (_, given, decision, params) => {
    const { queue } = makeQueue()
    await put(queue, Object.keys(given).length === 0 ? {} : { askers: given })
    await expect(queue.resolve('p1', decision, { params })).rejects.toEqual(
      refused('BAD_ARGUMENTS'),
    )
    expect((await queue.get('p1'))?.status).toBe('pending')
  })

  it('cannot come second with other params', async () => {
    const { queue } = makeQueue()
    await put(queue, { params: { n: 9 }, askers })
    await queue.resolve('p1', 'allow-once', { params: { n: 1 } })
    expect((await queue.resolve('p1', 'allow-once', { params: { n: 1 } })).repeated).toBe(true)
    await expect(queue.resolve('p1', 'allow-once', { params: { n: 2 } })).rejects.toEqual(
      refused('APPROVAL_RESOLVED'),
    )
  })
})

describe('a queue that cannot ask', () => {
  it('blocks at once when nobody is reachable', async () => {
    const told: ApprovalResolution[] = []
    const { queue, time } = makeQueue({ reachable: (prompt) => prompt.severity === 'critical' })
    const askers = { A: { onResolution: (r: ApprovalResolution) => told.push(r) } }
    await expect((await put(queue, { askers })).answer).rejects.toEqual(
      refused('APPROVAL_UNAVAILABLE'),
    )
    expect([told, time.armed(), await queue.list({ status: 'all' })]).toEqual([[], 0, []])
    await put(queue, { askers: { A: { severity: 'critical' } } })
    expect(await queue.list()).toHaveLength(1)
  })

  it('blocks when nobody says in time whether anybody is reachable', async () => {
    const { queue, time } = makeQueue({ reachable: () => new Promise(() => undefined) })
    const { answer } = await put(queue, { askers: { A: { timeoutMs: 1000 } } })
    await time.advance(1000)
    await expect(answer).rejects.toEqual(refused('APPROVAL_UNAVAILABLE'))
    expect([time.armed(), await queue.list({ status: 'all' })]).toEqual([0, []])
  })

  it.each(['insert', 'get', 'save', 'getGrant'] as const)(
    'blocks when %s of its store fails',
    async (method) => {
      const store = memoryStore()
      let down = false
      const failing = (...args: unknown[]) => {
        if (down) throw new Error('ECONNREFUSED')
        return Reflect.apply(store[method], store, args)
      }
      const { queue, time } = makeQueue({ store: { ...store, [method]: failing } })
      if (method === 'insert' || method === 'getGrant') down = true
      const { answer } = await put(queue)
      down = true
      await time.advance(120_000)
      await expect(answer).rejects.toEqual(refused('STATE_UNAVAILABLE'))
      expect(time.armed()).toBe(0)
    },
  )

  it('hears at the latest when time is over what another process has decided', async () => {
    const store = memoryStore()
    let down = false
    const get = (id: string) => {
      if (down) throw new Error('ECONNREFUSED')
      return store.get(id)
    }
    const asking = makeQueue({ store: { ...store, get } })
    const deciding = makeQueue({ store })
    const { answer } = await put(asking.queue)
    down = true
    await deciding.queue.resolve('p1', 'allow-once')
    await settle()
    down = false
    await asking.time.advance(120_000)
    expect(await answer).toMatchObject({ resolution: 'allow-once' })
  })

  it('lets a listener that throws harm nobody', async () => {
    const log = recordingLog()
    const { queue } = makeQueue({ log })
    queue.on('pending', () => {
      throw new Error('boom')
    })
    const { answer } = await put(queue)
    await queue.resolve('p1', 'allow-once')
    expect((await answer).resolution).toBe('allow-once')
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'a listener of approvals threw'],
    ])
  })
})

describe('events', () => {
  it('tell of each question once when it is put and once when it is settled', async () => {
    const { queue, time } = makeQueue()
    const heard: string[] = []
    queue.on('pending', ({ id, status }) => heard.push(`pending ${id} ${status}`))
    const stop = queue.on('resolved', ({ id, status }) => heard.push(`resolved ${id} ${status}`))
    await put(queue)
    await put(queue, { askers: { A: { timeoutMs: 5 } } })
    await put(queue)
    await queue.resolve('p1', 'allow-once')
    await time.advance(5)
    await queue.cancel('p3')
    await queue.resolve('p1', 'allow-once')
    await settle()
    expect(heard).toEqual([
      'pending p1 pending',
      'pending p2 pending',
      'pending p3 pending',
      'resolved p1 allow-once',
      'resolved p2 timeout',
      'resolved p3 cancelled',
    ])
    stop()
    await put(queue)
    await queue.resolve('p4', 'deny')
    expect(heard.at(-1)).toBe('pending p4 pending')
  })

  it('have known names only', () => {
    const { queue } = makeQueue()
    expect(() => queue.on('approved' as 'pending', () => undefined)).toThrow(
      new TypeError('there is no event "approved"; use "pending", "resolved" or "refused"'),
    )
  })
})

describe('two processes on one store', () => {
  it('decide for each other', async () => {
    const store = memoryStore()
    const asking = makeQueue({ store })
    const deciding = makeQueue({ store })
    const heard: string[] = []
    deciding.queue.on('pending', ({ id }) => heard.push(`pending ${id}`))
    deciding.queue.on('resolved', ({ id }) => heard.push(`resolved ${id}`))
    const { answer } = await put(asking.queue)
    await deciding.queue.resolve('p1', 'allow-always', { by: 'u2' })
    expect(await answer).toMatchObject({ resolution: 'allow-always' })
    await settle()
    expect(heard).toEqual(['pending p1', 'resolved p1'])
    expect(asking.time.armed()).toBe(0)
    expect(await (await put(asking.queue)).answer).toMatchObject({ resolution: 'allow-always' })
  })
})

describe('close()', () => {
  it('withdraws what is waited for, leaves nothing armed, refuses what comes later', async () => {
    const { queue, time } = makeQueue()
    const { signal } = new AbortController()
    const { answer } = await put(queue, {}, signal)
    await queue.close()
    expect(await answer).toMatchObject({ resolution: 'cancelled' })
    expect([time.armed(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
    await expect((await put(queue)).answer).rejects.toEqual(refused('APPROVAL_UNAVAILABLE'))
    await queue.close()
    await using disposable = makeQueue().queue
    expect(await disposable.list()).toEqual([])
  })

  it('withdraws questions that are on their way into a slow store', async () => {
    const store = memoryStore()
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = { ...store, insert: (r: ApprovalRecord) => gate.then(() => store.insert(r)) }
    const { queue, time } = makeQueue({ store: slow })
    const { answer } = await put(queue)
    await queue.close()
    release()
    await expect(answer).rejects.toEqual(refused('APPROVAL_UNAVAILABLE'))
    expect([time.armed(), (await store.get('p1'))?.status]).toEqual([0, 'cancelled'])
  })
})

describe('the options', () => {
  it.each([
    [{ mode: 'wait' }, 'mode: "wait" is none; use "hold" or "defer"'],
    [{ timeoutMs: 0 }, 'timeoutMs: 0 is no whole number of milliseconds from 1 to 600000'],
    [
      { timeoutMs: 700_000 },
      'timeoutMs: 700000 is no whole number of milliseconds from 1 to 600000',
    ],
    [
      { maxTimeoutMs: Number.NaN },
      'maxTimeoutMs: NaN is no whole number of milliseconds from 1 to 2147483647',
    ],
    [
      { maxTimeoutMs: 2 ** 31 },
      'maxTimeoutMs: 2147483648 is no whole number of milliseconds from 1 to 2147483647',
    ],
    [{ grantScope: 'all' }, 'grantScope: "all" is none; use "params", "tool" or a function'],
    [
      { useWithinMs: '5' },
      'useWithinMs: 5 is no whole number of milliseconds from 1 to 9007199254740991',
    ],
    [{ keepMs: 1 }, 'keepMs: 1 is no whole number of milliseconds from 600000 to 9007199254740991'],
  ])('%j are refused', (options, message) => {
    expect(() => makeQueue(options as object)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message }),
    )
  })

  it('let an operator change the times', async () => {
    const { queue } = makeQueue({ timeoutMs: 1_000_000, maxTimeoutMs: 86_400_000 })
    await put(queue)
    await put(queue, { askers: { A: { timeoutMs: 99_999_999 } } })
    const waits = (await queue.list()).map((r) => r.expiresAt - r.createdAt)
    expect(waits).toEqual([1_000_000, 86_400_000])
  })

  it('forget settled questions after keepMs', async () => {
    const { queue, time } = makeQueue({ keepMs: 600_000 })
    await put(queue)
    await queue.resolve('p1', 'deny')
    await time.advance(600_001)
    await put(queue)
    await expect(queue.resolve('p1', 'deny')).rejects.toEqual(refused('APPROVAL_NOT_FOUND'))
  })
})

it('asks with ids, times and directory of this process unless told otherwise', async () => {
  const queue = new ApprovalQueue()
  const answer = queue.decide(makeQuestion(), new AbortController().signal)
  await settle()
  const [record] = await queue.list()
  expect(record?.prompt.workingDirectory).toBe(realpathSync('.'))
  await queue.resolve(record?.id ?? '', 'allow-once')
  expect((await answer).resolution).toBe('allow-once')
})
