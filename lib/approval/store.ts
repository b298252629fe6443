import type { MaybePromise } from '../types.ts'
import type { ApprovalRecord, Grant } from './record.ts'

/**
 * Keeps approvals and grants. `test/lib/approval/store-contract.ts` says in tests what each method promises; every
 * store passes it. A store that cannot do its work throws; the call is then blocked (`STATE_UNAVAILABLE`).
 */
export interface ApprovalStore {
  /** Whether what it keeps survives this process. Pending calls are withdrawn on close when it does not. */
  readonly durable: boolean
  /** Adds a record; false when its id is taken. */
  insert(record: ApprovalRecord): MaybePromise<boolean>
  get(id: string): MaybePromise<ApprovalRecord | undefined>
  /** Records of this status (default: all), oldest first. */
  list(status?: ApprovalRecord['status']): MaybePromise<readonly ApprovalRecord[]>
  /** Replaces the record of this id if the stored one has version `record.version - 1`, as one atomic step. */
  save(record: ApprovalRecord): MaybePromise<boolean>
  /** Forgets records that were settled, or ran out unsettled, before `time`; returns how many. */
  prune(time: number): MaybePromise<number>
  /** Adds a grant, in place of one with the same key. */
  putGrant(grant: Grant): MaybePromise<void>
  getGrant(key: string): MaybePromise<Grant | undefined>
  /** Oldest first, expired ones included. */
  listGrants(): MaybePromise<readonly Grant[]>
  /** False when there is none of this id. */
  deleteGrant(id: string): MaybePromise<boolean>
  /** Tells `listener` the id of every record inserted or saved, here or on another machine; returns a stop function. */
  watch(listener: (id: string) => void): () => void
  close?(): MaybePromise<void>
}
