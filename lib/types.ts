/**
 * The words of the pipeline, from what an outcome can carry to what a person is asked. No runtime code.
 *
 * @module
 */

export type * from './types/approval.ts'
export type * from './types/call.ts'
export type * from './types/code.ts'
export type * from './types/context.ts'
export type * from './types/hook.ts'
export type * from './types/outcome.ts'
export type * from './types/verdict.ts'
