import type { Logger } from './types.ts'

/**
 * A logger for the pipeline's own lines: one that throws harms no call. What it could not write is lost, and the
 * process is warned of the first such line.
 */
export function sturdyLog(log: Logger): Logger {
  let hasWarned = false
  const write =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        log[level](fields, message)
      } catch (error) {
        if (hasWarned) return
        hasWarned = true
        process.emitWarning(`the log threw (${String(error)}); lost: ${message}`, 'ToolwareWarning')
      }
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
}
