import { z } from 'zod'
import type { ToolCall } from '../lib/types.ts'
import type {
  ActionsConfig,
  ApprovalsConfig,
  AuditConfig,
  CapabilityConfig,
  ContractConfig,
  Examples,
  LimitsConfig,
  PluginEntryConfig,
  PluginsConfig,
  RateLimitConfig,
  SemanticKernelConfig,
  ToolConfig,
  ToolingConfig,
  ToolwareConfig,
} from './config-types.ts'
import { AUDIT_BODIES } from './hooks/audit-log.ts'
import { RATE_SCOPES } from './hooks/rate-limit.ts'

const text = z.string().min(1)
const count = z.int().positive()
const texts = z.array(z.string())
const failOpen = z.array(z.enum(['error', 'timeout']))

/** Every key of a section that is written by hand, with a schema of its type: none missing, none more. */
type Shape<T> = { readonly [K in keyof Required<T>]: z.ZodType<T[K]> }

const calls = z.array(
  z.custom<ToolCall>(
    (value) => typeof value === 'object' && value !== null && 'toolName' in value,
    {
      error: 'must be a call such as { toolName: "read_file", params: { path: "a.txt" } }',
    },
  ),
)
const examples = z.strictObject({ allow: calls, deny: calls } satisfies Shape<Examples>).partial()

const tooling = z
  .strictObject({
    autonomyMode: z.enum(['full', 'supervised', 'readonly']),
    workspaceOnly: z.boolean(),
    workspaceRoot: text,
    forbiddenPathGlobs: texts,
    allowShell: z.boolean(),
    allowedShellCommandGlobs: texts,
    caseInsensitivePaths: z.boolean(),
    platform: z.enum(['posix', 'win32']),
    examples,
  } satisfies Shape<ToolingConfig>)
  .partial()

const tool = z.strictObject({
  access: z.enum(['read', 'write', 'exec']),
  paths: texts.optional(),
  command: text.optional(),
  text: texts.optional(),
  actions: z
    .strictObject({
      key: text,
      default: text.optional(),
      read: texts.optional(),
    } satisfies Shape<ActionsConfig>)
    .optional(),
} satisfies Shape<ToolConfig>)

const contract = z
  .strictObject({
    maxToolCalls: count,
    allowedPaths: texts,
    scopedCapabilities: z.array(
      z.strictObject({
        toolName: text,
        allowedPaths: texts.optional(),
      } satisfies Shape<CapabilityConfig>),
    ),
    examples,
  } satisfies Shape<ContractConfig>)
  .partial()

const semanticKernel = z
  .strictObject({
    allowedTools: texts,
    deniedTools: texts,
    perSenderPerToolPerMinute: z.record(z.string(), count),
    examples,
  } satisfies Shape<SemanticKernelConfig>)
  .partial()

const rateLimit = z.strictObject({
  tools: texts.optional(),
  per: z.array(z.enum(RATE_SCOPES)).optional(),
  limit: count,
  windowMs: count.optional(),
  failOpen: failOpen.optional(),
  examples: examples.optional(),
} satisfies Shape<RateLimitConfig>)

const plugins = z
  .strictObject({
    mode: text,
    load: z.strictObject({ paths: z.array(text) }).partial(),
    allow: texts,
    deny: texts,
    strict: z.boolean(),
    watch: z.boolean(),
    entries: z.record(
      z.string(),
      z
        .strictObject({
          enabled: z.boolean(),
          config: z.record(z.string(), z.unknown()),
          failOpen,
          hooks: z.strictObject({ timeouts: z.record(z.string(), count) }).partial(),
          bridge: z.record(z.string(), z.unknown()),
        } satisfies Shape<PluginEntryConfig>)
        .partial(),
    ),
  } satisfies Shape<PluginsConfig>)
  .partial()

const approvals = z
  .strictObject({
    mode: z.enum(['hold', 'defer']),
    timeoutMs: count.max(600_000),
    store: z.union([z.enum(['memory', 'redis']), z.strictObject({ sqlite: text })]),
  } satisfies Shape<ApprovalsConfig>)
  .partial()

const audit = z
  .strictObject({
    file: text,
    chain: z.boolean(),
    fsync: z.boolean(),
    bodies: z.enum(AUDIT_BODIES),
    maxBodyLength: count,
    failOpen,
  } satisfies Shape<AuditConfig>)
  .partial()

const limits = z
  .strictObject({
    beforeTimeoutMs: count,
    afterTimeoutMs: count,
    toolTimeoutMs: z.int().nonnegative(),
    maxDepth: count,
    maxNodes: count,
    maxBytes: count,
  } satisfies Shape<LimitsConfig>)
  .partial()

/**
 * The schema of a configuration; `ToolwareConfig` is its type, written by hand. It knows shapes; what values mean, such as
 * globs and paths, each hook judges when it is made.
 */
export const configSchema: z.ZodType<ToolwareConfig> = z
  .strictObject({
    tooling,
    tools: z.record(z.string(), tool),
    contract,
    contracts: z.record(z.string(), contract),
    semanticKernel,
    rateLimits: z.array(rateLimit),
    plugins,
    approvals,
    audit,
    limits,
    state: z.strictObject({ redis: z.url() }).partial(),
    telemetry: z.record(z.string(), z.unknown()),
    agents: z.unknown(),
    bindings: z.unknown(),
  } satisfies Shape<ToolwareConfig>)
  .partial()
