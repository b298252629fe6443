/**
 * `toolware/approval`: put questions to people, and keep what they decide.
 *
 * @module
 */
export type { Timers } from '../deadline.ts'
export type { ApprovalEvent, ApprovalListener } from './announcer.ts'
export type { Resolved, ResolveOptions } from './decision.ts'
export type { GrantRequest, GrantScope, Grants } from './grants.ts'
export { memoryStore } from './memory-store.ts'
export type { ApprovalQueueOptions, ApprovalSettings } from './options.ts'
export type { SafeText, ShownParams, ShownValue } from './prompt.ts'
export { ApprovalQueue } from './queue.ts'
export type {
  ApprovalMode,
  ApprovalPrompt,
  ApprovalRecord,
  Grant,
  RecordedAsker,
} from './record.ts'
export type { ApprovalStore } from './store.ts'
