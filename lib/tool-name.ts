const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/

/** Whether a call may name its tool so. */
export function isToolName(value: unknown): boolean {
  return typeof value === 'string' && TOOL_NAME.test(value)
}
