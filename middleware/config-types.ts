/**
 * The configuration file, as it is written. Every section is optional; without a section nothing of its kind is restricted.
 *
 * @module
 */
import type { FailureCause, ToolCall } from '../lib/types.ts'
import type { AuditBodies } from './hooks/audit-log.ts'
import type { RateScope } from './hooks/rate-limit.ts'

/** Calls that a section must judge so when it loads, or the configuration is refused. */
export interface Examples {
  readonly allow?: readonly ToolCall[] | undefined
  /** Calls that the section denies, or asks about. */
  readonly deny?: readonly ToolCall[] | undefined
}

/** What the `Autonomy` hook enforces. */
export interface ToolingConfig {
  /** Default `full`. */
  readonly autonomyMode?: 'full' | 'supervised' | 'readonly' | undefined
  /** Paths must lead into `workspaceRoot`. Default false. */
  readonly workspaceOnly?: boolean | undefined
  /** Relative to the configuration file's folder. */
  readonly workspaceRoot?: string | undefined
  /** Globs of paths that no tool may touch, relative to `workspaceRoot`. */
  readonly forbiddenPathGlobs?: readonly string[] | undefined
  /** Default true. */
  readonly allowShell?: boolean | undefined
  /** Unset: all commands. `[]`: none. */
  readonly allowedShellCommandGlobs?: readonly string[] | undefined
  /** Default: as the platform does. */
  readonly caseInsensitivePaths?: boolean | undefined
  /** Whose paths are judged. Default: this machine's. */
  readonly platform?: 'posix' | 'win32' | undefined
  readonly examples?: Examples | undefined
}

/** Which of a tool's actions do what; those not listed write. */
export interface ActionsConfig {
  /** The argument that names the action. */
  readonly key: string
  /** The action when the argument is missing. */
  readonly default?: string | undefined
  readonly read?: readonly string[] | undefined
}

/** What a tool does with its arguments. */
export interface ToolConfig {
  readonly access: 'read' | 'write' | 'exec'
  /** Arguments that hold paths, such as `file` or `edits[].path`. */
  readonly paths?: readonly string[] | undefined
  /** The argument that holds a command. */
  readonly command?: string | undefined
  /** Arguments that hold plain text, whatever their name. */
  readonly text?: readonly string[] | undefined
  readonly actions?: ActionsConfig | undefined
}

/** What one tool may do under a contract. Without `allowedPaths` it is unrestricted. */
export interface CapabilityConfig {
  /** Exact name. Several entries for one tool add up. */
  readonly toolName: string
  readonly allowedPaths?: readonly string[] | undefined
}

/** What the `ContractScope` hook enforces. */
export interface ContractConfig {
  /** Calls per session. */
  readonly maxToolCalls?: number | undefined
  /** Paths, not globs, for every file tool without an entry of its own; relative to `workspaceRoot`. */
  readonly allowedPaths?: readonly string[] | undefined
  readonly scopedCapabilities?: readonly CapabilityConfig[] | undefined
  readonly examples?: Examples | undefined
}

/** What the `SemanticKernelPolicy` hook enforces. */
export interface SemanticKernelConfig {
  readonly allowedTools?: readonly string[] | undefined
  readonly deniedTools?: readonly string[] | undefined
  readonly perSenderPerToolPerMinute?: Readonly<Record<string, number>> | undefined
  readonly examples?: Examples | undefined
}

/** One limit of the `RateLimit` hook. */
export interface RateLimitConfig {
  readonly tools?: readonly string[] | undefined
  readonly per?: readonly RateScope[] | undefined
  readonly limit: number
  /** Default 60 000. */
  readonly windowMs?: number | undefined
  readonly failOpen?: readonly FailureCause[] | undefined
  readonly examples?: Examples | undefined
}

/** One plugin. */
export interface PluginEntryConfig {
  /** Default true. */
  readonly enabled?: boolean | undefined
  /** The plugin's own configuration. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
  readonly failOpen?: readonly FailureCause[] | undefined
  readonly hooks?: { readonly timeouts?: Readonly<Record<string, number>> | undefined } | undefined
  readonly bridge?: Readonly<Record<string, unknown>> | undefined
}

/** Which plugins are found and loaded. */
export interface PluginsConfig {
  readonly mode?: string | undefined
  /** Files or directories, relative to the configuration file's folder. */
  readonly load?: { readonly paths?: readonly string[] | undefined } | undefined
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  readonly strict?: boolean | undefined
  readonly watch?: boolean | undefined
  readonly entries?: Readonly<Record<string, PluginEntryConfig>> | undefined
}

/** How people are asked. */
export interface ApprovalsConfig {
  /** `hold`: the call waits. `defer`: the outcome is `pending`, and `app.resume` carries on. */
  readonly mode?: 'hold' | 'defer' | undefined
  readonly timeoutMs?: number | undefined
  /** `sqlite` is relative to the configuration file's folder. */
  readonly store?: 'memory' | 'redis' | { readonly sqlite: string } | undefined
}

/** What the `AuditLog` hook writes. */
export interface AuditConfig {
  /** Relative to the configuration file's folder. Without it records go to the app's logger. */
  readonly file?: string | undefined
  readonly chain?: boolean | undefined
  readonly fsync?: boolean | undefined
  readonly bodies?: AuditBodies | undefined
  readonly maxBodyLength?: number | undefined
  readonly failOpen?: readonly FailureCause[] | undefined
}

/** Deadlines in milliseconds and bounds of arguments. */
export interface LimitsConfig {
  readonly beforeTimeoutMs?: number | undefined
  readonly afterTimeoutMs?: number | undefined
  /** 0: none. */
  readonly toolTimeoutMs?: number | undefined
  readonly maxDepth?: number | undefined
  readonly maxNodes?: number | undefined
  readonly maxBytes?: number | undefined
}

/** A whole configuration. */
export interface ToolwareConfig {
  readonly tooling?: ToolingConfig | undefined
  readonly tools?: Readonly<Record<string, ToolConfig>> | undefined
  readonly contract?: ContractConfig | undefined
  /** By session id; each replaces `contract` for that session. */
  readonly contracts?: Readonly<Record<string, ContractConfig>> | undefined
  readonly semanticKernel?: SemanticKernelConfig | undefined
  readonly rateLimits?: readonly RateLimitConfig[] | undefined
  readonly plugins?: PluginsConfig | undefined
  readonly approvals?: ApprovalsConfig | undefined
  readonly audit?: AuditConfig | undefined
  readonly limits?: LimitsConfig | undefined
  /** Where counters live. Default: memory. */
  readonly state?: { readonly redis?: string | undefined } | undefined
  readonly telemetry?: Readonly<Record<string, unknown>> | undefined
  /** Belongs to the host; ignored with a notice. */
  readonly agents?: unknown
  /** Belongs to the host; ignored with a notice. */
  readonly bindings?: unknown
}
