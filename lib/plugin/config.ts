import { z } from 'zod'
import type { Shape } from '../read-options.ts'
import type { FailureCause } from '../types.ts'
import { type BridgeConfig, bridgeSection, wholeNumber } from './bridge/options.ts'
import { EVENTS, FOREIGN_EVENTS } from './names.ts'

/** `plugins` of the configuration. Every key is optional. */
export interface PluginsConfig {
  /** `restricted` lets only bridged plugins run. Default `full`. */
  readonly mode?: 'full' | 'restricted' | undefined
  /** Files and folders, relative to the host's `baseDir`; `~/` is HOME. */
  readonly load?: { readonly paths?: readonly string[] | undefined } | undefined
  /** When it names anybody, only these ids load. */
  readonly allow?: readonly string[] | undefined
  /** These ids never load, whatever else says so. */
  readonly deny?: readonly string[] | undefined
  /** Makes `load` fail when any plugin has an error. Default false. */
  readonly strict?: boolean | undefined
  /** Reloads a plugin when its files change. Default false. */
  readonly watch?: boolean | undefined
  readonly entries?: Readonly<Record<string, PluginEntryConfig>> | undefined
}

/** `plugins.entries.<id>`. */
export interface PluginEntryConfig {
  /** `false` keeps the plugin out; trusted policies need an explicit `true`. Default: on. */
  readonly enabled?: boolean | undefined
  /** Given to the plugin as `api.pluginConfig`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
  /** Causes on which the call goes on without this plugin's handlers. */
  readonly failOpen?: readonly FailureCause[] | undefined
  readonly hooks?:
    | {
        /** For every event of the plugin, in milliseconds. */
        readonly timeoutMs?: number | undefined
        /** By event name; wins over `timeoutMs`. */
        readonly timeouts?: Readonly<Record<string, number>> | undefined
      }
    | undefined
  /** Runs the plugin behind the bridge, with these settings. */
  readonly bridge?: BridgeConfig | undefined
}

/** The longest time a handler can have, whoever gives it. */
export const MAX_HANDLER_TIMEOUT_MS = 600_000

const text = z.string().min(1)
const texts = z.array(text.regex(/\S/, 'must not be blank'))
const time = wholeNumber(1, MAX_HANDLER_TIMEOUT_MS)
const times = Object.fromEntries(
  [...EVENTS, ...FOREIGN_EVENTS].map((event) => [event, time.optional()]),
)

/** The schema of {@link PluginsConfig}, for the configuration file and for a host that is made in code. */
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
        failOpen: z.array(z.enum(['error', 'timeout'])).optional(),
        hooks: z
          .strictObject({
            timeoutMs: time.optional(),
            // The names of events are no part of its type, so that it need not change with them.
            timeouts: (
              z.strictObject(times) as z.ZodType<unknown> as z.ZodType<
                Readonly<Record<string, number>>
              >
            ).optional(),
          })
          .optional(),
        bridge: bridgeSection.optional(),
      } satisfies Shape<PluginEntryConfig>),
    )
    .optional(),
} satisfies Shape<PluginsConfig>)
