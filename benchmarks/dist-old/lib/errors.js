/** Every code an outcome or an error can carry, with what it means. `docs/errors.md` has a heading for each. */
export const ERROR_CODES = {
    DENIED: 'a hook, a middleware or a policy said no',
    HOOK_FAILED: 'a hook or a middleware threw',
    HOOK_TIMEOUT: 'a hook did not answer in time',
    HOOK_BAD_ANSWER: 'a hook answered with something that is no verdict',
    SHORT_CIRCUIT: 'a middleware returned without calling next() and without denying',
    NEXT_TWICE: 'a middleware called next() more than once',
    NEXT_NOT_AWAITED: 'a middleware settled before the inner part had',
    BAD_ARGUMENTS: 'the tool name or the arguments are not acceptable',
    UNKNOWN_TOOL: 'there is no tool of that name',
    LIMIT_EXCEEDED: 'the session has used up its tool calls',
    RATE_LIMITED: 'too many calls in the window',
    STATE_UNAVAILABLE: 'the store of counters or approvals cannot be reached',
    PLUGIN_UNAVAILABLE: 'a plugin is down, cannot be started or stays silent',
    PLUGIN_BAD_ANSWER: 'a plugin answered outside the protocol',
    APPROVAL_DENIED: 'a person said no',
    APPROVAL_TIMEOUT: 'nobody decided in time',
    APPROVAL_CANCELLED: 'the question was withdrawn',
    APPROVAL_UNAVAILABLE: 'there is nobody who could be asked',
    APPROVAL_NOT_FOUND: 'there is no approval of that id',
    APPROVAL_RESOLVED: 'the approval was decided or used before',
    APPROVAL_EXPIRED: 'the approval is too old',
    PARAMS_CHANGED_AFTER_APPROVAL: 'the params are not the ones that were approved',
    TOOL_FAILED: 'the tool threw',
    TOOL_TIMEOUT: 'the tool did not settle in time',
    ABORTED: 'the caller gave the call up',
    CONFIG: 'an option or a configuration file is wrong',
};
const brand = Symbol.for('toolware.error');
/** An error with a stable code. Its JSON form has no stack and no cause, so it may leave the process. */
export class ToolwareError extends Error {
    code;
    details;
    static {
        Object.defineProperty(ToolwareError.prototype, 'name', {
            value: 'ToolwareError',
            writable: true,
        });
        Object.defineProperty(ToolwareError.prototype, brand, { value: true });
    }
    constructor(code, message, options = {}) {
        super(message, 'cause' in options ? { cause: options.cause } : undefined);
        this.code = code;
        this.details = options.details;
    }
    toJSON() {
        const { name, code, message, details } = this;
        return details === undefined ? { name, code, message } : { name, code, message, details };
    }
}
/** Thrown by wrapped tools and blocked streams: the call was blocked, or waits for a person. */
export class ToolDeniedError extends ToolwareError {
    by;
    reason;
    approvalId;
    retryAfterMs;
    static {
        Object.defineProperty(ToolDeniedError.prototype, 'name', {
            value: 'ToolDeniedError',
            writable: true,
        });
    }
    constructor(code, message, options) {
        super(code, message, options);
        this.by = options.by;
        this.reason = options.reason;
        this.approvalId = options.approvalId;
        this.retryAfterMs = options.retryAfterMs;
    }
}
/** True for an error of this package, also of another copy of it; with `code`, for that code only. */
export function isToolwareError(error, code) {
    if (typeof error !== 'object' || error === null || !(brand in error))
        return false;
    return code === undefined || ('code' in error && error.code === code);
}
/** A wrong option or configuration value: says where, quotes the value, and says what would be right. */
export function configError(path, problem, cause) {
    const details = { path };
    return new ToolwareError('CONFIG', `${path}: ${problem}`, cause === undefined ? { details } : { details, cause });
}
