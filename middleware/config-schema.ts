import { z } from 'zod'
import { configError } from '../lib/errors.ts'
import { vetObject } from '../lib/known-options.ts'
import { type PluginsConfig, pluginsSection } from '../lib/plugin/config.ts'
import type { ToolDeclarations } from '../lib/policy/catalogue.ts'
import { toolsSection } from '../lib/policy/tool-section.ts'
import { readOptions, type Shape } from '../lib/read-options.ts'
import {
  type ApprovalsSection,
  approvalsSection,
  type LimitsSection,
  limitsSection,
  type StateSection,
  stateSection,
} from './config-sections.ts'
import { type AuditSection, auditSection } from './hooks/audit-log.ts'
import { autonomySection, type ToolingSection } from './hooks/autonomy.ts'
import { type ContractPolicy, contractSection } from './hooks/contract-scope.ts'
import { type RateLimitSection, rateLimitSection } from './hooks/rate-limit.ts'
import {
  type SemanticKernelSection,
  semanticKernelSection,
} from './hooks/semantic-kernel-policy.ts'

/** A configuration. Every section is optional; without one, nothing of its kind is restricted. */
export interface ToolwareConfig {
  /** What the `Autonomy` hook enforces. */
  readonly tooling?: ToolingSection | undefined
  /** What the operator says about tools, by exact name. */
  readonly tools?: ToolDeclarations | undefined
  /** What the `ContractScope` hook enforces, in every session. */
  readonly contract?: ContractPolicy | undefined
  /** By session id; each replaces `contract` for that session. */
  readonly contracts?: Readonly<Record<string, ContractPolicy>> | undefined
  readonly semanticKernel?: SemanticKernelSection | undefined
  readonly rateLimits?: readonly RateLimitSection[] | undefined
  readonly plugins?: PluginsConfig | undefined
  readonly approvals?: ApprovalsSection | undefined
  readonly audit?: AuditSection | undefined
  readonly limits?: LimitsSection | undefined
  readonly state?: StateSection | undefined
  readonly telemetry?: Readonly<Record<string, unknown>> | undefined
  /** Belongs to the host; ignored with a notice. */
  readonly agents?: unknown
  /** Belongs to the host; ignored with a notice. */
  readonly bindings?: unknown
}

/** The schema of a configuration, put together from the hooks' own sections. */
export const configSchema: z.ZodType<ToolwareConfig> = z.strictObject({
  tooling: autonomySection.optional(),
  tools: toolsSection.optional(),
  contract: contractSection.optional(),
  contracts: z.record(z.string(), contractSection).optional(),
  semanticKernel: semanticKernelSection.optional(),
  rateLimits: z.array(rateLimitSection).optional(),
  plugins: pluginsSection.optional(),
  approvals: approvalsSection.optional(),
  audit: auditSection.optional(),
  limits: limitsSection.optional(),
  state: stateSection.optional(),
  telemetry: z.record(z.string(), z.unknown()).optional(),
  agents: z.unknown().optional(),
  bindings: z.unknown().optional(),
} satisfies Shape<ToolwareConfig>)

/** Checks a value against {@link configSchema}. @throws {ToolwareError} `CONFIG` with the path of the key. */
export function parseConfig(value: unknown): ToolwareConfig {
  vetObject(value, 'configuration')
  refuseProto(value, '', 0)
  return readOptions(configSchema, value, '')
}

/** A key that schemas do not see, and that no section has. */
function refuseProto(value: unknown, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > 64) return
  for (const key of Object.keys(value)) {
    const here = path === '' ? key : `${path}.${key}`
    if (key === '__proto__') throw configError(here, 'there is no such key; remove it')
    refuseProto((value as Record<string, unknown>)[key], here, depth + 1)
  }
}

/** What an operator should hear about a configuration that is right but does less than it seems to. */
export function configNotices(config: ToolwareConfig): string[] {
  const ignored = (['agents', 'bindings'] as const).filter((key) => config[key] !== undefined)
  return ignored.map((key) => `the section ${key} belongs to the host and is ignored here`)
}

/** True when any section can deny, ask about or limit a call. */
export function hasPolicy(config: ToolwareConfig): boolean {
  const { tooling, contract, contracts, semanticKernel, rateLimits, plugins } = config
  const contractsOf = [contract, ...Object.values(contracts ?? {})]
  return (
    (tooling?.autonomyMode ?? 'full') !== 'full' ||
    tooling?.workspaceOnly === true ||
    tooling?.allowShell === false ||
    (tooling?.forbiddenPathGlobs ?? []).length > 0 ||
    !(tooling?.allowedShellCommandGlobs ?? ['*']).includes('*') ||
    contractsOf.some((one) => one && Object.keys(one).some((key) => key !== 'examples')) ||
    semanticKernel !== undefined ||
    (rateLimits ?? []).length > 0 ||
    plugins !== undefined
  )
}
