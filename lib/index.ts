export { adapt } from './adapt.ts'
export type {
  CallEnd,
  Caller,
  Coverage,
  ExplainOptions,
  ToolwareEvents,
  UseOptions,
  WrappedTool,
} from './api.ts'
export { compose } from './compose.ts'
export { isToolwareError, ToolDeniedError, ToolwareError } from './errors.ts'
export type { Explanation } from './explain.ts'
export { streamSafe } from './frame.ts'
export { filterExecEnv } from './policy/env.ts'
export { currentCall, type Scope } from './scope.ts'
export type { ToolwareOptions } from './settings.ts'
export type { ToolStream } from './stream.ts'
export { Toolware, type Usable } from './toolware.ts'
export { boundDetails } from './transcript/bound-details.ts'
export type * from './types.ts'
export { ask, deny, rewrite } from './verdict.ts'
