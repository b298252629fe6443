import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../lib/approval/memory-store.ts'
import { makeStoredRecord, storeContract } from './store-contract.ts'

storeContract('memoryStore()', () => {
  const store = memoryStore()
  return { store, other: store }
})

describe('memoryStore()', () => {
  it('says that it forgets with the process', () => {
    expect(memoryStore().durable).toBe(false)
  })

  it('forgets the oldest settled records beyond maxSettled, pending ones never', async () => {
    const store = memoryStore({ maxSettled: 2 })
    const records = ['a', 'b', 'c', 'd'].map((id) => makeStoredRecord(id))
    for (const record of records) await store.insert(record)
    for (const record of records.slice(1)) {
      await store.save({ ...record, version: 1, status: 'deny', resolvedAt: 2000 })
    }
    expect((await store.list()).map(({ id }) => id)).toEqual(['a', 'c', 'd'])
  })
})
