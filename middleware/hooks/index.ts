export { openInside } from '../../lib/policy/open-inside.ts'
export { shellPresets } from '../../lib/policy/shell/presets.ts'
export { type CreateHooksOptions, createHooks } from '../create-hooks.ts'
export {
  type AuditBodies,
  type AuditLogHook,
  type AuditLogOptions,
  type AuditSection,
  auditLog,
} from './audit-log.ts'
export {
  type AutonomyHook,
  type AutonomyOptions,
  autonomy,
  type ToolingSection,
} from './autonomy.ts'
export {
  type ContractPolicy,
  type ContractScopeHook,
  type ContractScopeOptions,
  contractScope,
} from './contract-scope.ts'
export {
  type RateLimitHook,
  type RateLimitOptions,
  type RateLimitSection,
  type RateScope,
  rateLimit,
} from './rate-limit.ts'
export {
  type SemanticKernelHook,
  type SemanticKernelOptions,
  type SemanticKernelSection,
  semanticKernelPolicy,
} from './semantic-kernel-policy.ts'
