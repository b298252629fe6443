export { isToolwareError, ToolDeniedError, ToolwareError } from './errors.ts'
export type * from './types.ts'
export { ask, deny, rewrite } from './verdict.ts'
