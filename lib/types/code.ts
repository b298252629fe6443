/**
 * The words of the pipeline: call, context, hook, middleware, verdict, outcome. No runtime code.
 *
 * @module
 */
/** Every code an outcome or an error can carry; `errors.ts` says what each means. */
export type ErrorCode =
  | 'DENIED'
  | 'HOOK_FAILED'
  | 'HOOK_TIMEOUT'
  | 'HOOK_BAD_ANSWER'
  | 'SHORT_CIRCUIT'
  | 'NEXT_TWICE'
  | 'NEXT_NOT_AWAITED'
  | 'BAD_ARGUMENTS'
  | 'UNKNOWN_TOOL'
  | 'LIMIT_EXCEEDED'
  | 'RATE_LIMITED'
  | 'STATE_UNAVAILABLE'
  | 'PLUGIN_UNAVAILABLE'
  | 'PLUGIN_BAD_ANSWER'
  | 'APPROVAL_DENIED'
  | 'APPROVAL_TIMEOUT'
  | 'APPROVAL_CANCELLED'
  | 'APPROVAL_UNAVAILABLE'
  | 'APPROVAL_NOT_FOUND'
  | 'APPROVAL_RESOLVED'
  | 'APPROVAL_EXPIRED'
  | 'PARAMS_CHANGED_AFTER_APPROVAL'
  | 'TOOL_FAILED'
  | 'TOOL_TIMEOUT'
  | 'ABORTED'
  | 'CONFIG'
