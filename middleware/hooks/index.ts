export { createHooks } from '../create-hooks.ts'
export { type AuditLogHook, type AuditLogOptions, auditLog } from './audit-log.ts'
export { type AutonomyHook, type AutonomyOptions, autonomy } from './autonomy.ts'
export {
  type ContractPolicy,
  type ContractScopeHook,
  type ContractScopeOptions,
  contractScope,
} from './contract-scope.ts'
export { type RateLimitHook, type RateLimitOptions, rateLimit } from './rate-limit.ts'
export {
  type SemanticKernelHook,
  type SemanticKernelOptions,
  semanticKernelPolicy,
} from './semantic-kernel-policy.ts'
