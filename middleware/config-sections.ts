/**
 * The sections of a configuration that belong to no hook and no plugin: approvals, limits, state.
 *
 * @module
 */
import { z } from 'zod'
import type { Shape } from '../lib/read-options.ts'
import { count } from './hooks/rate-limit.ts'

const text = z.string().min(1)
// What a timer of Node can wait; it fires at once for more.
const MAX_TIMER_MS = 2_147_483_647
const time = z.int().positive().max(MAX_TIMER_MS)

/** How people are asked. */
export interface ApprovalsSection {
  /** `hold` (default): the call waits. `defer`: the outcome is `pending`, and `app.resume` carries on. */
  readonly mode?: 'hold' | 'defer' | undefined
  /** Default 120 000, at most 600 000. */
  readonly timeoutMs?: number | undefined
  /** Default `memory`. The file of `sqlite` is relative to the configuration file's folder. */
  readonly store?: 'memory' | 'redis' | { readonly sqlite: string } | undefined
}

export const approvalsSection: z.ZodType<ApprovalsSection> = z.strictObject({
  mode: z.enum(['hold', 'defer']).optional(),
  timeoutMs: z.int().positive().max(600_000).optional(),
  store: z
    .union([z.enum(['memory', 'redis']), z.strictObject({ sqlite: text })], {
      error: 'must be memory, redis or { sqlite: FILE }',
    })
    .optional(),
} satisfies Shape<ApprovalsSection>)

/** Deadlines of the pipeline in milliseconds, and bounds of arguments. */
export interface LimitsSection {
  readonly beforeTimeoutMs?: number | undefined
  readonly afterTimeoutMs?: number | undefined
  /** 0, the default, is no deadline. */
  readonly toolTimeoutMs?: number | undefined
  readonly maxDepth?: number | undefined
  readonly maxNodes?: number | undefined
  readonly maxBytes?: number | undefined
}

export const limitsSection: z.ZodType<LimitsSection> = z.strictObject({
  beforeTimeoutMs: time.optional(),
  afterTimeoutMs: time.optional(),
  toolTimeoutMs: z.int().nonnegative('must be 0 or more').max(MAX_TIMER_MS).optional(),
  maxDepth: count.optional(),
  maxNodes: count.optional(),
  maxBytes: count.optional(),
} satisfies Shape<LimitsSection>)

/** Where counters live. Default: in memory. */
export interface StateSection {
  readonly redis?: string | undefined
}

export const stateSection: z.ZodType<StateSection> = z.strictObject({
  redis: z
    .url({ protocol: /^rediss?$/, error: 'must be a URL such as redis://127.0.0.1:6379' })
    .optional(),
} satisfies Shape<StateSection>)
