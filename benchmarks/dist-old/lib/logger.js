import { destination, pino } from 'pino';
import { AuditFile } from './audit-file.js';
import { redactText, redactValue } from './redact.js';
const base = {
    base: null,
    formatters: { level: (label) => ({ level: label }) },
};
/**
 * The logger of a pipeline that was given none: JSON lines of warnings and worse on stderr, redacted, never
 * on stdout, where tools and protocols talk. Synchronous, so that nothing is lost when the process exits.
 */
export function defaultLogger() {
    const formatters = {
        ...base.formatters,
        log: (fields) => redactValue(fields),
    };
    // Errors are copied by the redaction, with their stack; pino's own serializer would undo it.
    const options = {
        ...base,
        level: 'warn',
        formatters,
        serializers: {},
        hooks: {
            logMethod(args, method) {
                const [fields, message] = args;
                method.call(this, fields, message === undefined ? message : redactText(message));
            },
        },
    };
    return pino(options, destination({ dest: 2, sync: true }));
}
/**
 * A logger whose every record is in the file when the call returns, and that throws when it is not.
 *
 * @param clock Milliseconds since the epoch; the time of records.
 * @throws {ToolwareError} `CONFIG` when the file cannot be opened.
 */
export function auditLogger(options) {
    const file = new AuditFile(options);
    const clock = options.clock ?? Date.now;
    const log = pino({ ...base, level: 'debug', timestamp: () => `,"time":${clock()}` }, file);
    return { log, close: () => file.close() };
}
