import { randomUUID } from 'node:crypto'
import { canonicalDigest } from '../canonical.ts'
import type { Params } from '../types.ts'
import type { Binding } from './digest.ts'
import type { ApprovalRecord, Grant, RecordedAsker } from './record.ts'
import type { ApprovalStore } from './store.ts'

/** What a `grantScope` function is told. */
export interface GrantRequest {
  readonly asker: string
  readonly agentId: string | undefined
  readonly toolName: string
  readonly params: Params
  /** The scope the asker names, if it does. */
  readonly scope: string | undefined
}

/**
 * What `allow-always` covers, always within one asker and one agent:
 * - `params` (default): the same tool with the same params, working directory and environment, or the scope the asker names;
 * - `tool`: any params of the tool, or the scope the asker names;
 * - a function: the plain data it returns, such as a few of the params; `undefined` remembers nothing.
 */
export type GrantScope = 'params' | 'tool' | ((request: GrantRequest) => unknown)

/** What a question is remembered under. */
export interface GrantKey {
  readonly asker: string
  readonly key: string
  /** In words, for the person. */
  readonly covers: string
}

/** The remembered `allow-always` decisions. */
export interface Grants {
  /** The ones that still count, oldest first. */
  list(): Promise<readonly Grant[]>
  /** Takes one back, for every call that asks from now on; false when there is none of this id. */
  revoke(id: string): Promise<boolean>
}

/** The keys of one question, one an asker; undefined for an asker whose answer is never remembered. */
export function grantKeys(
  askers: readonly RecordedAsker[],
  agentId: string | undefined,
  binding: Binding,
  grantScope: GrantScope,
): ReadonlyArray<GrantKey | undefined> {
  const { tool, params, workingDirectory, execEnv } = binding
  const [toolName] = tool
  return askers.map(({ name, scope }) => {
    const within = { asker: name, agent: agentId ?? null }
    const make = (covered: unknown, covers: string): GrantKey => ({
      asker: name,
      covers: `${name}: ${covers}`,
      key: canonicalDigest({ ...within, covered }),
    })
    if (typeof grantScope === 'function') {
      const chosen = grantScope({ asker: name, agentId, toolName, params, scope })
      if (chosen === undefined) return undefined
      return make({ chosen }, `${toolName}, as the operator has it remembered`)
    }
    if (grantScope === 'tool' && scope === undefined)
      return make({ tool }, `any use of ${toolName}`)
    if (scope !== undefined && (grantScope === 'tool' || fold(scope) !== fold(toolName))) {
      return make({ scope }, `scope ${scope}`)
    }
    return make({ tool, params, workingDirectory, execEnv }, `${toolName} with these params`)
  })
}

/** Finds, makes and lists grants in a store. */
export class GrantBook implements Grants {
  readonly #store: ApprovalStore
  readonly #now: () => number
  readonly #ttlMs: number

  constructor(store: ApprovalStore, now: () => number, ttlMs: number) {
    this.#store = store
    this.#now = now
    this.#ttlMs = ttlMs
  }

  /** A grant, if every asker is covered by one that still counts. */
  async covering(keys: ReadonlyArray<GrantKey | undefined>): Promise<Grant | undefined> {
    let last: Grant | undefined
    for (const key of keys) {
      if (key === undefined) return undefined
      last = await this.#store.getGrant(key.key)
      if (last === undefined || last.expiresAt <= this.#now()) return undefined
    }
    return last
  }

  async remember(record: ApprovalRecord, keys: ReadonlyArray<GrantKey | undefined>): Promise<void> {
    const now = this.#now()
    for (const found of keys) {
      if (found === undefined || this.#ttlMs === 0) continue
      await this.#store.putGrant(
        Object.freeze({
          id: randomUUID(),
          key: found.key,
          asker: found.asker,
          agentId: record.call.agentId,
          toolName: record.call.toolName,
          covers: found.covers,
          approvalId: record.id,
          grantedBy: record.resolvedBy,
          createdAt: now,
          expiresAt: now + this.#ttlMs,
        }),
      )
    }
  }

  async forgetExpired(): Promise<void> {
    for (const { id, expiresAt } of await this.#store.listGrants()) {
      if (expiresAt <= this.#now()) await this.#store.deleteGrant(id)
    }
  }

  async list(): Promise<readonly Grant[]> {
    const all = await this.#store.listGrants()
    return all.filter((grant) => grant.expiresAt > this.#now())
  }

  async revoke(id: string): Promise<boolean> {
    return await this.#store.deleteGrant(id)
  }
}

function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase()
}
