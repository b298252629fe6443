import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bind } from '../../../lib/approval/digest.ts'
import { makeRecord } from '../../../lib/approval/make-record.ts'
import type { ApprovalRecord, Grant } from '../../../lib/approval/record.ts'
import type { ApprovalStore } from '../../../lib/approval/store.ts'
import { makeQuestion } from '../../helpers/question.ts'

/** A store under test: two handles onto the same data, as two processes have them. */
export interface StoreUnderTest {
  readonly store: ApprovalStore
  readonly other: ApprovalStore
  readonly close?: () => void | Promise<void>
}

export function makeStoredRecord(id: string, createdAt = 1000): ApprovalRecord {
  const question = makeQuestion({
    toolName: 'deploy',
    sessionId: 's1',
    agentId: 'a1',
    requester: { senderId: 'u1', roleIds: ['dev'] },
    params: { to: 'prod', n: -0, text: 'löschen 削除 "\u2028' },
    execEnv: { MODE: 'x' },
    policyVersion: 'v1',
  })
  const binding = bind(question.ctx, question.ctx.params, '/', 'v1')
  return makeRecord(question, binding, [], {
    id,
    mode: 'defer',
    now: createdAt,
    limits: { timeoutMs: 500, maxTimeoutMs: 500 },
    base: '/',
  })
}

function makeGrant(id: string, key: string, createdAt = 1000): Grant {
  return {
    id,
    key,
    asker: 'A',
    agentId: undefined,
    toolName: 'deploy',
    covers: 'A: deploy with these params',
    approvalId: 'p1',
    grantedBy: 'u1',
    createdAt,
    expiresAt: createdAt + 500,
  }
}

/** What every store of approvals promises. */
export function storeContract(
  name: string,
  open: () => StoreUnderTest | Promise<StoreUnderTest>,
): void {
  describe(`${name} keeps approvals`, () => {
    let under: StoreUnderTest
    let store: ApprovalStore
    let other: ApprovalStore
    beforeEach(async () => {
      under = await open()
      store = under.store
      other = under.other
    })
    afterEach(() => under.close?.())

    const settled = (record: ApprovalRecord, resolvedAt = 2000): ApprovalRecord => ({
      ...record,
      version: record.version + 1,
      status: 'allow-once',
      resolvedAt,
      resolvedBy: 'u1',
    })

    it('gives back what was put in, to every handle', async () => {
      const record = makeStoredRecord('p1')
      expect(await store.insert(record)).toBe(true)
      expect(await store.get('p1')).toEqual(record)
      expect(await other.get('p1')).toEqual(record)
      expect(await store.get('p2')).toBeUndefined()
    })

    it('refuses an id that is taken', async () => {
      const record = makeStoredRecord('p1')
      await store.insert(record)
      expect(await other.insert(makeStoredRecord('p1', 9999))).toBe(false)
      expect((await store.get('p1'))?.createdAt).toBe(1000)
    })

    it('knows no ids by way of prototypes', async () => {
      expect(await store.get('__proto__')).toBeUndefined()
      expect(await store.get('constructor')).toBeUndefined()
      await store.insert(makeStoredRecord('__proto__'))
      expect((await store.get('__proto__'))?.id).toBe('__proto__')
    })

    it('lists oldest first, by status or all', async () => {
      const first = makeStoredRecord('p1', 1000)
      await store.insert(first)
      await store.insert(makeStoredRecord('p2', 1001))
      await store.insert(makeStoredRecord('p3', 1002))
      await store.save(settled(first))
      const ids = async (status?: ApprovalRecord['status']) =>
        (await other.list(status)).map(({ id }) => id)
      expect(await ids()).toEqual(['p1', 'p2', 'p3'])
      expect(await ids('pending')).toEqual(['p2', 'p3'])
      expect(await ids('allow-once')).toEqual(['p1'])
      expect(await ids('deny')).toEqual([])
    })

    it('saves over the version before, only once', async () => {
      const record = makeStoredRecord('p1')
      await store.insert(record)
      expect(await store.save(settled(record))).toBe(true)
      expect(await other.save({ ...settled(record), status: 'deny' })).toBe(false)
      expect(await other.get('p1')).toEqual(settled(record))
    })

    it('saves nothing over what is not there or two versions old', async () => {
      const record = makeStoredRecord('p1')
      expect(await store.save(settled(record))).toBe(false)
      await store.insert(record)
      expect(await store.save({ ...settled(record), version: 2 })).toBe(false)
      expect(await store.get('p1')).toEqual(record)
    })

    it('lets one of many racing saves win', async () => {
      const record = makeStoredRecord('p1')
      await store.insert(record)
      const won = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          (i % 2 === 0 ? store : other).save({ ...settled(record), resolvedBy: `u${i}` }),
        ),
      )
      expect(won.filter(Boolean)).toHaveLength(1)
      expect((await store.get('p1'))?.resolvedBy).toBe(`u${won.indexOf(true)}`)
    })

    it('prunes what was settled, or ran out, before a time', async () => {
      const [old, young] = [makeStoredRecord('old'), makeStoredRecord('young')]
      await store.insert(old)
      await store.insert(young)
      await store.insert(makeStoredRecord('ran-out', 1000))
      await store.insert(makeStoredRecord('pending', 3000))
      await store.save(settled(old, 1999))
      await store.save(settled(young, 2000))
      expect(await store.prune(2000)).toBe(2)
      expect((await other.list()).map(({ id }) => id).sort()).toEqual(['pending', 'young'])
    })

    it('tells every handle of inserts and saves, until stopped', async () => {
      const heard: string[] = []
      const waiting = new Map<string, () => void>()
      const hear = (who: string) => (id: string) => {
        heard.push(`${who} ${id}`)
        waiting.get(`${who} ${id}`)?.()
      }
      const until = (what: string) =>
        heard.includes(what)
          ? Promise.resolve()
          : new Promise<void>((resolve) => waiting.set(what, resolve))
      const stops = [store.watch(hear('store')), other.watch(hear('other'))]
      const record = makeStoredRecord('p1')
      await store.insert(record)
      await Promise.all([until('store p1'), until('other p1')])
      heard.length = 0
      await store.save(settled(record))
      await Promise.all([until('store p1'), until('other p1')])
      stops[0]?.()
      heard.length = 0
      await store.insert(makeStoredRecord('p2'))
      await until('other p2')
      expect(heard).toEqual(['other p2'])
      stops[1]?.()
    })

    it('keeps one grant a key, lists oldest first, deletes by id', async () => {
      await store.putGrant(makeGrant('g1', 'k1', 1000))
      await store.putGrant(makeGrant('g2', 'k2', 1001))
      await other.putGrant(makeGrant('g3', 'k1', 1002))
      expect(await store.getGrant('k1')).toEqual(makeGrant('g3', 'k1', 1002))
      expect((await store.listGrants()).map(({ id }) => id)).toEqual(['g2', 'g3'])
      expect(await store.deleteGrant('g1')).toBe(false)
      expect(await store.deleteGrant('g3')).toBe(true)
      expect(await other.getGrant('k1')).toBeUndefined()
      expect(await other.getGrant('__proto__')).toBeUndefined()
    })
  })
}
