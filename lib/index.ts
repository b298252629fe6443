export { adapt } from './adapt.ts'
export { compose } from './compose.ts'
export { isToolwareError, ToolDeniedError, ToolwareError } from './errors.ts'
export type { Explanation } from './explain.ts'
export { streamSafe } from './frame.ts'
export { filterExecEnv } from './policy/env.ts'
export {
  type Caller,
  currentCall,
  type ExplainOptions,
  type Scope,
  type WrappedTool,
} from './scope.ts'
export type { ToolwareOptions } from './settings.ts'
export type { ToolStream } from './stream.ts'
export {
  type CallEnd,
  type Coverage,
  Toolware,
  type ToolwareEvents,
  type Usable,
  type UseOptions,
} from './toolware.ts'
export { boundDetails } from './transcript/bound-details.ts'
export type * from './types.ts'
export { ask, deny, rewrite } from './verdict.ts'
