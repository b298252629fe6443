import { redactText } from './redact.js';
const MAX_TOOL_MESSAGE = 500;
/** A value as text: strings as they are, nothing for undefined, other values as JSON. */
export function asText(value) {
    if (typeof value === 'string')
        return value;
    if (value === undefined)
        return '';
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string')) {
        return value.join('');
    }
    try {
        return JSON.stringify(value) ?? String(value);
    }
    catch {
        return String(value);
    }
}
/** What an error says, in a form that may leave the process: redacted, one bounded text. */
export function messageOf(error) {
    const message = error instanceof Error ? error.message : asText(error);
    const safe = redactText(message);
    return safe.length > MAX_TOOL_MESSAGE ? `${safe.slice(0, MAX_TOOL_MESSAGE - 1)}…` : safe;
}
/** Fields shared by all outcomes. `text` is a getter, since few read the text of a large result. */
class Base {
    executed;
    durationMs;
    constructor(executed, times) {
        this.executed = executed;
        this.durationMs = times.durationMs;
        // What does not apply is left out, so that an outcome prints as what it is.
        if (times.hookMs !== undefined) {
            this.hookMs = times.hookMs;
            this.waitMs = times.waitMs;
        }
    }
    toJSON() {
        const fields = { ...this, text: this.text };
        for (const key of ['error', 'toolError']) {
            if (fields[key] !== undefined)
                fields[key] = messageOf(fields[key]);
        }
        return fields;
    }
}
export class Completed extends Base {
    status = 'completed';
    failed = false;
    result;
    constructor(result, executed, times, recovered, toolError) {
        super(executed, times);
        this.result = result;
        if (recovered !== undefined) {
            this.recovered = recovered;
            this.toolError = toolError;
        }
    }
    get text() {
        return asText(this.result);
    }
}
class Unsuccessful extends Base {
    failed = true;
    code;
    by;
    constructor(fault, executed, times) {
        super(executed, times);
        this.code = fault.code;
        this.by = fault.by;
        if (fault.reason !== undefined)
            this.reason = fault.reason;
        if (fault.rule !== undefined)
            this.rule = fault.rule;
        if (fault.notice !== undefined)
            this.notice = fault.notice;
        if (fault.retryAfterMs !== undefined)
            this.retryAfterMs = fault.retryAfterMs;
        if (fault.details !== undefined)
            this.details = fault.details;
    }
}
export class Blocked extends Unsuccessful {
    status = 'blocked';
    constructor(fault, times) {
        super(fault, false, times);
        if (fault.approvalId !== undefined)
            this.approvalId = fault.approvalId;
    }
    get text() {
        const denied = `Tool execution denied by hook: ${this.by}`;
        return this.reason ? `${denied}\n${this.reason}` : denied;
    }
}
export class Failed extends Unsuccessful {
    status = 'failed';
    error;
    constructor(fault, executed, times) {
        super(fault, executed, times);
        this.error = fault.error;
    }
    get text() {
        if (this.code === 'TOOL_FAILED' || this.code === 'UNKNOWN_TOOL')
            return `Tool failed: ${messageOf(this.error)}`;
        if (this.code === 'TOOL_TIMEOUT')
            return `Tool failed: ${this.reason}`;
        const ran = this.executed ? 'The tool did run, but its result' : 'The result';
        return `${ran} was withheld by: ${this.by}${this.reason ? `\n${this.reason}` : ''}`;
    }
}
export class Aborted extends Unsuccessful {
    status = 'aborted';
    error;
    constructor(error, executed, times) {
        super({ code: 'ABORTED', by: 'toolware', reason: 'The caller gave the call up.' }, executed, times);
        this.error = error;
    }
    get text() {
        return this.executed
            ? 'Tool call aborted. The tool had been started.'
            : 'Tool call aborted before the tool was started.';
    }
}
export class Pending extends Base {
    status = 'pending';
    failed = false;
    approvalId;
    constructor(approvalId, times) {
        super(false, times);
        this.approvalId = approvalId;
    }
    get text() {
        return `Waiting for a person to decide (approval ${this.approvalId}). The tool has not run.`;
    }
}
