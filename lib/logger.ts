import { destination, type LoggerOptions, pino } from 'pino'
import { AuditFile, type AuditFileOptions } from './audit-file.ts'
import { redactText, redactValue } from './redact.ts'
import type { Logger } from './types.ts'

const base: LoggerOptions = {
  base: null,
  formatters: { level: (label) => ({ level: label }) },
}

/**
 * The logger of a pipeline that was given none: JSON lines of warnings and worse on stderr, redacted, never
 * on stdout, where tools and protocols talk. Synchronous, so that nothing is lost when the process exits.
 */
export function defaultLogger(): Logger {
  const formatters = {
    ...base.formatters,
    log: (fields: object) => redactValue(fields) as Record<string, unknown>,
  }
  // Errors are copied by the redaction, with their stack; pino's own serializer would undo it.
  const options: LoggerOptions = {
    ...base,
    level: 'warn',
    formatters,
    serializers: {},
    hooks: {
      logMethod(args, method) {
        const [fields, message] = args as [object, string | undefined]
        method.call(this, fields, message === undefined ? message : redactText(message))
      },
    },
  }
  return pino(options, destination({ dest: 2, sync: true }))
}

/** Where audit records go. */
export interface AuditLogger {
  readonly log: Logger
  close(): void
}

/**
 * A logger whose every record is in the file when the call returns, and that throws when it is not.
 *
 * @param clock Milliseconds since the epoch; the time of records.
 * @throws {ToolwareError} `CONFIG` when the file cannot be opened.
 */
export function auditLogger(
  options: AuditFileOptions & { readonly clock?: (() => number) | undefined },
): AuditLogger {
  const file = new AuditFile(options)
  const clock = options.clock ?? Date.now
  const log = pino({ ...base, level: 'debug', timestamp: () => `,"time":${clock()}` }, file)
  return { log, close: () => file.close() }
}
