import { isToolwareError, ToolwareError } from '../errors.ts'
import type { MaybePromise } from '../types.ts'
import type { ApprovalRecord } from './record.ts'
import { notFound } from './refusals.ts'
import type { ApprovalStore } from './store.ts'

/** What a change sets; the version is counted by the ledger. */
export type Change = Partial<Omit<ApprovalRecord, 'id' | 'version'>>

/** The records of a store, changed one step at a time: of two changes to one record, the second sees the first. */
export class Ledger {
  readonly #store: ApprovalStore
  readonly #changed: (record: ApprovalRecord) => void

  /** `changed` hears of every record this ledger adds or changes. */
  constructor(store: ApprovalStore, changed: (record: ApprovalRecord) => void) {
    this.#store = store
    this.#changed = changed
  }

  /** @throws {ToolwareError} `APPROVAL_NOT_FOUND`, `STATE_UNAVAILABLE`. */
  async find(id: string): Promise<ApprovalRecord> {
    const record = await reach(() => this.#store.get(id))
    if (record === undefined) throw notFound(id, this.#store.durable)
    return record
  }

  async list(status: ApprovalRecord['status'] | undefined): Promise<readonly ApprovalRecord[]> {
    return await reach(() => this.#store.list(status))
  }

  async add(record: ApprovalRecord): Promise<void> {
    if (!(await reach(() => this.#store.insert(record)))) {
      throw new ToolwareError('STATE_UNAVAILABLE', `approval id ${record.id} is taken`)
    }
    this.#changed(record)
  }

  /** Applies what `change` makes of the current record; undefined leaves it. Resolves with what is in the store then. */
  async change(
    id: string,
    change: (record: ApprovalRecord) => Change | undefined,
  ): Promise<ApprovalRecord> {
    for (;;) {
      const record = await this.find(id)
      const changes = change(record)
      if (changes === undefined) return record
      const next = Object.freeze({ ...record, ...changes, version: record.version + 1 })
      if (await reach(() => this.#store.save(next))) {
        this.#changed(next)
        return next
      }
    }
  }
}

/** Runs a step of a store; its failure is `STATE_UNAVAILABLE`. */
export async function reach<T>(
  step: () => MaybePromise<T>,
  problem = 'the store of approvals cannot be reached',
): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    if (isToolwareError(cause)) throw cause
    throw new ToolwareError('STATE_UNAVAILABLE', problem, { cause })
  }
}
