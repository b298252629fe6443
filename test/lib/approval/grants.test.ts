import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../lib/approval/memory-store.ts'
import type { ApprovalQueueOptions } from '../../../lib/approval/options.ts'
import type { ApprovalQueue } from '../../../lib/approval/queue.ts'
import type { ApprovalResolution } from '../../../lib/types.ts'
import type { QuestionOptions } from '../../helpers/question.ts'
import { makeQueue, put } from '../../helpers/queue.ts'

const DAY_MS = 86_400_000

/** A queue where a person said "always" to one question. */
async function granted(question: QuestionOptions, options: ApprovalQueueOptions = {}) {
  const { queue, time } = makeQueue(options)
  await put(queue, question)
  await queue.resolve('p1', 'allow-always', { by: 'u1' })
  return { queue, time }
}

/** Whether a call goes on without asking anybody. */
async function goesOn(queue: ApprovalQueue, question: QuestionOptions): Promise<boolean> {
  await put(queue, question)
  const asked = await queue.list()
  for (const { id } of asked) await queue.cancel(id)
  return asked.length === 0
}

const base: QuestionOptions = {
  toolName: 'deploy',
  agentId: 'a1',
  sessionId: 's1',
  params: { to: 'prod', n: 1 },
}

describe('allow-always', () => {
  it('covers the same call in another session, keys in any order', async () => {
    const { queue } = await granted(base)
    expect(await goesOn(queue, { ...base, sessionId: 's2', params: { n: 1, to: 'prod' } })).toBe(
      true,
    )
  })

  it.each([
    ['other params', { params: { to: 'prod', n: 2 } }],
    ['an added param', { params: { to: 'prod', n: 1, force: true } }],
    ['another tool', { toolName: 'destroy' }],
    ['another kind of tool', { toolKind: 'code_mode' }],
    ['another agent', { agentId: 'a2' }],
    ['an unknown agent', { agentId: undefined }],
    ['another asker', { askers: { Other: {} } }],
    ['a further asker', { askers: { Autonomy: {}, Other: {} } }],
    ['another environment', { execEnv: { MODE: 'x' } }],
    ['another directory', { params: { to: 'prod', n: 1, cwd: '/etc' } }],
    [
      'an asker that offers no allow-always',
      { askers: { Autonomy: { allowedDecisions: ['allow-once'] } } },
    ],
    ['params that claim to be approved', { params: { to: 'prod', n: 1, approved: true } }],
  ] satisfies Array<[string, QuestionOptions]>)('does not cover %s', async (_, change) => {
    const { queue } = await granted(base)
    expect(await goesOn(queue, { ...base, ...change })).toBe(false)
  })

  it('covers a call once every asker of it is covered', async () => {
    const { queue } = await granted({ ...base, askers: { A: {}, B: {} } })
    expect(await goesOn(queue, { ...base, askers: { A: {} } })).toBe(true)
    expect(await goesOn(queue, { ...base, askers: { B: {}, A: {} } })).toBe(true)
    expect(await goesOn(queue, { ...base, askers: { A: {}, C: {} } })).toBe(false)
  })

  it('tells the askers of a covered call, under the approval it comes from', async () => {
    const { queue } = await granted(base)
    const told: ApprovalResolution[] = []
    const { answer } = await put(queue, {
      ...base,
      askers: { Autonomy: { onResolution: (r) => told.push(r) } },
    })
    expect(await answer).toEqual({ resolution: 'allow-always', approvalId: 'p1' })
    expect(told).toEqual(['allow-always'])
  })

  it('is not what allow-once or deny mean', async () => {
    for (const decision of ['allow-once', 'deny']) {
      const { queue } = makeQueue()
      await put(queue, base)
      await queue.resolve('p1', decision)
      expect(await queue.grants.list()).toEqual([])
      expect(await goesOn(queue, base)).toBe(false)
    }
  })

  it('covers the params the person put, not those that were asked about', async () => {
    const { queue } = makeQueue()
    await put(queue, { ...base, askers: { Autonomy: { editable: true } } })
    await queue.resolve('p1', 'allow-always', { params: { to: 'stage' } })
    expect(await goesOn(queue, base)).toBe(false)
    expect(await goesOn(queue, { ...base, params: { to: 'stage' } })).toBe(true)
  })

  it('says on the prompt what it would cover', async () => {
    const { queue } = makeQueue()
    await put(queue, { ...base, askers: { A: {}, B: { scope: 'deploys\u202e' } } })
    expect((await queue.get('p1'))?.prompt.remembered).toEqual([
      'A: deploy with these params',
      'B: scope deploys⟨U+202E⟩',
    ])
  })

  it('says nothing of what is not offered', async () => {
    const { queue } = makeQueue()
    await put(queue, { ...base, askers: { A: {}, B: { allowedDecisions: ['allow-once'] } } })
    const prompt = (await queue.get('p1'))?.prompt
    expect(prompt?.decisions).toEqual(['allow-once', 'deny'])
    expect(prompt?.remembered).toEqual([])
  })

  it('says nothing when grants do not last', async () => {
    const { queue } = makeQueue({ grantTtlMs: 0 })
    await put(queue, base)
    expect((await queue.get('p1'))?.prompt).toMatchObject({
      decisions: expect.arrayContaining(['allow-always']),
      remembered: [],
    })
  })
})

describe('a grant', () => {
  it('is listed with who gave it, for what and until when', async () => {
    const { queue, time } = await granted(base)
    expect(await queue.grants.list()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        asker: 'Autonomy',
        agentId: 'a1',
        toolName: 'deploy',
        covers: 'Autonomy: deploy with these params',
        approvalId: 'p1',
        grantedBy: 'u1',
        createdAt: time.now(),
        expiresAt: time.now() + 30 * DAY_MS,
      },
    ])
  })

  it('can be taken back, at once', async () => {
    const { queue } = await granted(base)
    const [grant] = await queue.grants.list()
    expect(await queue.grants.revoke(grant?.id ?? '')).toBe(true)
    expect(await queue.grants.revoke(grant?.id ?? '')).toBe(false)
    expect(await goesOn(queue, base)).toBe(false)
  })

  it('expires', async () => {
    const { queue, time } = await granted(base, { grantTtlMs: 1000, store: memoryStore() })
    await time.advance(999)
    expect(await goesOn(queue, base)).toBe(true)
    await time.advance(1)
    expect(await queue.grants.list()).toEqual([])
    expect(await goesOn(queue, base)).toBe(false)
  })

  it('is forgotten by the store after it expired', async () => {
    const store = memoryStore()
    const { queue, time } = await granted(base, { grantTtlMs: 1000, store })
    await time.advance(60_000)
    await put(queue, { ...base, toolName: 'other' })
    expect(await store.listGrants()).toEqual([])
  })

  it('is not made when the operator wants none', async () => {
    const { queue } = await granted(base, { grantTtlMs: 0 })
    expect(await queue.grants.list()).toEqual([])
  })

  it('that cannot be kept fails loudly, while the answer counts', async () => {
    const store = memoryStore()
    const putGrant = () => {
      throw new Error('disk full')
    }
    const { queue } = makeQueue({ store: { ...store, putGrant } })
    const { answer } = await put(queue, base)
    await expect(queue.resolve('p1', 'allow-always')).rejects.toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        message: 'approval p1 counts for its call, but could not be remembered',
      }),
    )
    expect((await answer).resolution).toBe('allow-always')
    expect(await goesOn(queue, base)).toBe(false)
  })
})

describe('what is remembered', () => {
  const other = { ...base, params: { to: 'stage' } }

  it('may be a scope the asker names, for this asker and agent only', async () => {
    const scoped = (name: string, scope: string) => ({ askers: { [name]: { scope } } })
    const { queue } = await granted({ ...base, ...scoped('A', 'deploys') })
    expect(await goesOn(queue, { ...other, ...scoped('A', 'deploys') })).toBe(true)
    expect(await goesOn(queue, { ...other, ...scoped('A', 'deletes') })).toBe(false)
    expect(await goesOn(queue, { ...other, ...scoped('B', 'deploys') })).toBe(false)
    expect(await goesOn(queue, { ...other, ...scoped('A', 'deploys'), agentId: 'a2' })).toBe(false)
    expect(await goesOn(queue, { ...base, askers: { A: {} } })).toBe(false)
  })

  it.each(['deploy', ' Deploy ', 'ｄｅｐｌｏｙ', ''])(
    'is never a tool name alone, though an asker names the scope %j',
    async (scope) => {
      const askers = { Autonomy: { scope } }
      const { queue } = await granted({ ...base, askers })
      expect(await goesOn(queue, { ...base, askers })).toBe(true)
      expect(await goesOn(queue, { ...other, askers })).toBe(false)
    },
  )

  it('is no scope that is longer than a person would read', async () => {
    const scoped = (length: number) => ({ askers: { A: { scope: 's'.repeat(length) } } })
    const long = await granted({ ...base, ...scoped(513) })
    expect(await goesOn(long.queue, { ...other, ...scoped(513) })).toBe(false)
    const fits = await granted({ ...base, ...scoped(512) })
    expect(await goesOn(fits.queue, { ...other, ...scoped(512) })).toBe(true)
  })

  it('is the tool when the operator says so', async () => {
    const { queue } = await granted(base, { grantScope: 'tool' })
    expect(await goesOn(queue, other)).toBe(true)
    expect(await goesOn(queue, { ...other, toolName: 'destroy' })).toBe(false)
    expect(await goesOn(queue, { ...other, agentId: 'a2' })).toBe(false)
    expect((await queue.grants.list())[0]?.covers).toBe('Autonomy: any use of deploy')
  })

  it('is what the operator chooses from the call', async () => {
    const { queue } = await granted(base, { grantScope: ({ params }) => ({ to: params.to }) })
    expect(await goesOn(queue, { ...base, params: { to: 'prod', n: 99 } })).toBe(true)
    expect(await goesOn(queue, other)).toBe(false)
  })

  it('is nothing when the operator returns undefined', async () => {
    const { queue } = await granted(base, { grantScope: () => undefined })
    expect(await queue.grants.list()).toEqual([])
    expect(await goesOn(queue, base)).toBe(false)
  })
})
