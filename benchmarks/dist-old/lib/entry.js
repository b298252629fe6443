import { asText } from './outcome.js';
const PHASES = ['check', 'before', 'after', 'skipped'];
const PLAIN_PHASES = ['beforeExecute', 'afterExecute'];
const CAUSES = ['error', 'timeout'];
/** Hooks that run inside a middleware function have no place of their own in the plan. */
export const NO_POSITION = Number.POSITIVE_INFINITY;
/**
 * Reads a hook once and checks its shape.
 *
 * @throws {TypeError} When it has no name or no phase, mixes both shapes, or has a function whose key is within
 * two letters of a phase (`befor`): such a hook would silently guard nothing.
 */
export function entryOf(hook, position) {
    const where = describeHook(hook);
    for (const phase of [...PHASES, ...PLAIN_PHASES]) {
        const value = hook[phase];
        if (value !== undefined && typeof value !== 'function') {
            throw new TypeError(`${where}: ${phase} must be a function, not ${asText(value)}`);
        }
    }
    refuseMisspelt(hook, where);
    const plain = PLAIN_PHASES.filter((phase) => phase in hook);
    const rich = PHASES.filter((phase) => phase in hook);
    if (plain.length > 0 && rich.length > 0) {
        throw new TypeError(`${where} mixes ${plain.join(', ')} with ${rich.join(', ')}: use one shape`);
    }
    if (plain.length === 0 && rich.length === 0) {
        throw new TypeError(`${where} has no phase: give it one of ${[...PHASES, ...PLAIN_PHASES].join(', ')}`);
    }
    return {
        hook,
        name: hook.name,
        failOpen: readFailOpen(hook.failOpen, where),
        timeoutMs: readTimeout(hook.timeoutMs, where),
        detached: hook.detached === true,
        position,
        resolveExecEnv: hook.resolveExecEnv,
        ...(plain.length > 0 ? plainHandlers(hook) : richHandlers(hook)),
    };
}
function richHandlers({ check, before, after, skipped }) {
    return { check, before, after, skipped };
}
/** The first seed's shape has no pure `check`: its whole handler is called again on changed params. */
function plainHandlers({ beforeExecute, afterExecute, once }) {
    const judge = beforeExecute &&
        function (ctx) {
            return beforeExecute.call(this, ctx.toolName, ctx.argumentsJson, ctx.signal);
        };
    const after = afterExecute &&
        function (ctx, outcome) {
            const result = asText(outcome.status === 'completed' ? outcome.result : undefined);
            const { durationMs, failed } = outcome;
            return afterExecute.call(this, ctx.toolName, ctx.argumentsJson, result, durationMs, failed, ctx.signal);
        };
    return {
        check: once ? undefined : judge,
        before: once ? judge : undefined,
        after,
        skipped: undefined,
    };
}
function describeHook(hook) {
    if (typeof hook !== 'object' || hook === null) {
        throw new TypeError(`a hook must be an object with a name and a phase, not ${asText(hook)}`);
    }
    const { name } = hook;
    if (typeof name !== 'string' || name.trim() === '') {
        throw new TypeError(`a hook needs a name, a text that denials and logs can show; got ${asText(name)}`);
    }
    return `hook ${JSON.stringify(name)}`;
}
function refuseMisspelt(hook, where) {
    const known = [...PHASES, ...PLAIN_PHASES];
    for (const key of ownKeys(hook)) {
        if (known.includes(key) || typeof hook[key] !== 'function')
            continue;
        const meant = known.find((phase) => editDistance(key.toLowerCase(), phase.toLowerCase()) <= 2);
        if (meant !== undefined) {
            throw new TypeError(`${where}: ${key} is no phase; did you mean ${meant}?`);
        }
    }
}
/** Keys of the object and of its classes, `Object.prototype` left out. */
function ownKeys(hook) {
    const keys = new Set();
    for (let o = hook; o !== null && o !== Object.prototype; o = Object.getPrototypeOf(o)) {
        for (const key of Object.getOwnPropertyNames(o)) {
            if (!Object.getOwnPropertyDescriptor(o, key)?.get)
                keys.add(key);
        }
    }
    return keys;
}
/** Letters to insert, remove or replace (Levenshtein), by rows. */
function editDistance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++) {
            const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
            next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
        }
        row = next;
    }
    return row[b.length];
}
function readFailOpen(value, where) {
    if (value === undefined)
        return [];
    if (Array.isArray(value) && value.every((cause) => CAUSES.includes(cause)))
        return [...value];
    throw new TypeError(`${where}: failOpen must be a list of 'error' and 'timeout', not ${asText(value)}`);
}
function readTimeout(value, where) {
    if (value === undefined)
        return undefined;
    if (typeof value === 'number' && value >= 0)
        return value;
    throw new TypeError(`${where}: timeoutMs must be milliseconds, or 0 for no deadline; got ${asText(value)}`);
}
