export { type AuditLogOptions, auditLog } from './audit-log.ts'
export { type RateLimitOptions, rateLimit } from './rate-limit.ts'
export { type SemanticKernelOptions, semanticKernelPolicy } from './semantic-kernel-policy.ts'
