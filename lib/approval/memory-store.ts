import type { ApprovalRecord, Grant } from './record.ts'
import type { ApprovalStore } from './store.ts'

/**
 * Keeps approvals and grants in this process. Settled records beyond `maxSettled` (default 10 000) are forgotten,
 * oldest first; pending ones never are.
 */
export function memoryStore(options: { readonly maxSettled?: number } = {}): ApprovalStore {
  const { maxSettled = 10_000 } = options
  const records = new Map<string, ApprovalRecord>()
  const settled = new Set<string>()
  const grants = new Map<string, Grant>()
  const listeners = new Set<(id: string) => void>()

  function tell(id: string): void {
    for (const listener of [...listeners]) listener(id)
  }

  function forget(id: string): void {
    records.delete(id)
    settled.delete(id)
  }

  function put(record: ApprovalRecord): void {
    records.set(record.id, record)
    if (record.status !== 'pending') settled.add(record.id)
    for (const oldest of settled) {
      if (settled.size <= maxSettled) break
      forget(oldest)
    }
    tell(record.id)
  }

  return {
    durable: false,
    insert(record) {
      if (records.has(record.id)) return false
      put(record)
      return true
    },
    get: (id) => records.get(id),
    list(status) {
      const all = [...records.values()]
      return status === undefined ? all : all.filter((record) => record.status === status)
    },
    save(record) {
      if (records.get(record.id)?.version !== record.version - 1) return false
      put(record)
      return true
    },
    prune(time) {
      const old = [...records.values()].filter((r) => (r.resolvedAt ?? r.expiresAt) < time)
      for (const { id } of old) forget(id)
      return old.length
    },
    putGrant(grant) {
      grants.delete(grant.key)
      grants.set(grant.key, grant)
    },
    getGrant: (key) => grants.get(key),
    listGrants: () => [...grants.values()],
    deleteGrant(id) {
      for (const [key, grant] of grants) {
        if (grant.id === id) return grants.delete(key)
      }
      return false
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
