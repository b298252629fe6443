/**
 * The sections of a configuration that belong to no hook: plugins, approvals, limits, state.
 *
 * @module
 */
import { z } from 'zod'
import type { BridgeConfig } from '../lib/plugin/bridge/options.ts'
import type { PluginEntryConfig, PluginsConfig } from '../lib/plugin/config.ts'
import { count, failOpenSection } from './hooks/rate-limit.ts'

/** Every key of an interface that is written by hand, with a schema of its type: none missing, none more. */
export type Shape<T> = { readonly [K in keyof Required<T>]: z.ZodType<T[K]> }

const text = z.string().min(1)
const texts = z.array(text)

/** What a bridge takes, its own schema knows. */
const bridge = z.custom<BridgeConfig>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'must be an object' },
)

export const pluginsSection: z.ZodType<PluginsConfig> = z.strictObject({
  mode: z.enum(['full', 'restricted']).optional(),
  load: z.strictObject({ paths: texts.optional() }).optional(),
  allow: texts.optional(),
  deny: texts.optional(),
  strict: z.boolean().optional(),
  watch: z.boolean().optional(),
  entries: z
    .record(
      z.string(),
      z.strictObject({
        enabled: z.boolean().optional(),
        config: z.record(z.string(), z.unknown()).optional(),
        failOpen: failOpenSection.optional(),
        hooks: z
          .strictObject({
            timeoutMs: count.optional(),
            timeouts: z.record(z.string(), count).optional(),
          })
          .optional(),
        bridge: bridge.optional(),
      } satisfies Shape<PluginEntryConfig>),
    )
    .optional(),
} satisfies Shape<PluginsConfig>)

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
  beforeTimeoutMs: count.optional(),
  afterTimeoutMs: count.optional(),
  toolTimeoutMs: z.int().nonnegative('must be 0 or more').optional(),
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
