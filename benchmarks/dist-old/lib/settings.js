import { CHANNELS } from './diagnostics.js';
import { configError } from './errors.js';
import { asText } from './outcome.js';
import { DEFAULT_LIMITS } from './params.js';
const KEYS = new Set([
    'log',
    'approvals',
    'beforeTimeoutMs',
    'afterTimeoutMs',
    'toolTimeoutMs',
    'intake',
    'timing',
    'asyncContext',
    'policyVersion',
    'clock',
    'exposeErrors',
]);
const MAX_TIMER_MS = 2_147_483_647;
/**
 * Refuses options that are unknown or of the wrong kind.
 *
 * @throws {ToolwareError} `CONFIG`, with the option's name.
 */
export function vetOptions(options) {
    for (const key of Object.keys(options)) {
        if (!KEYS.has(key)) {
            throw configError(key, `no option of Toolware. There are: ${[...KEYS].join(', ')}`);
        }
    }
    for (const key of ['beforeTimeoutMs', 'afterTimeoutMs', 'toolTimeoutMs']) {
        const value = options[key];
        if (value === undefined || value === Number.POSITIVE_INFINITY)
            continue;
        if (typeof value !== 'number' || !(value >= 0 && value <= MAX_TIMER_MS)) {
            throw configError(key, `must be milliseconds from 0 to ${MAX_TIMER_MS}; got ${asText(value)}`);
        }
    }
    if (options.timing !== undefined && ![true, false, 'hooks'].includes(options.timing)) {
        throw configError('timing', `must be true, false or 'hooks'; got ${asText(options.timing)}`);
    }
    for (const method of ['debug', 'info', 'warn', 'error']) {
        if (options.log !== undefined && typeof options.log?.[method] !== 'function') {
            throw configError('log', `must have the method ${method}(fields, message), as pino has`);
        }
    }
    if (options.approvals !== undefined && typeof options.approvals?.decide !== 'function') {
        throw configError('approvals', 'must have the method decide(question, signal)');
    }
}
/** The bounds of intake; undefined when nothing is to be copied. */
export function readIntake(intake) {
    if (intake === 'trusted')
        return undefined;
    if (intake === undefined || intake === 'copy')
        return DEFAULT_LIMITS;
    if (typeof intake !== 'object') {
        throw configError('intake', `must be 'copy', 'trusted' or bounds; got ${asText(intake)}`);
    }
    for (const [key, value] of Object.entries(intake)) {
        if (!(key in DEFAULT_LIMITS)) {
            throw configError(`intake.${key}`, `no bound; there are: ${Object.keys(DEFAULT_LIMITS).join(', ')}`);
        }
        if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
            throw configError(`intake.${key}`, `must be a positive whole number; got ${asText(value)}`);
        }
    }
    return { ...DEFAULT_LIMITS, ...intake };
}
/** A group of listeners; one that throws harms nothing. */
export class Listeners {
    #listeners = new Set();
    #log;
    constructor(log) {
        this.#log = log;
    }
    get size() {
        return this.#listeners.size;
    }
    add(listener) {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }
    tell(event) {
        for (const listener of this.#listeners) {
            try {
                listener(event);
            }
            catch (error) {
                this.#log.error({ err: asText(error?.message) }, 'a listener threw; the call is not harmed');
            }
        }
    }
}
export { CHANNELS };
