import { hooksOf, Ring } from './adapt.js';
import { composeParts, flatten, fuse, partsOf } from './compose.js';
import { entryOf } from './entry.js';
import { configError } from './errors.js';
import { isStreamSafe } from './frame.js';
import { openGate } from './gate.js';
import { foldName } from './policy/fold.js';
import { nameGlob, textGlob } from './policy/glob.js';
/**
 * Compiles the `tools` option of `use`.
 *
 * @throws {ToolwareError} `CONFIG` for an empty list or a pattern that can match no tool.
 */
export function toolFilter(tools) {
    if (tools === undefined)
        return undefined;
    if (!Array.isArray(tools) || tools.length === 0) {
        throw configError('tools', 'must be a list of tool name globs; leave it out for all tools');
    }
    const patterns = tools.map((pattern, i) => nameGlob(pattern, `tools[${i}]`).source);
    const globs = patterns.map((pattern) => textGlob(foldName(pattern)));
    return {
        patterns,
        matches: (toolName) => {
            const folded = foldName(toolName);
            return globs.some((glob) => glob.matches(folded));
        },
    };
}
/** What a call goes through: made once for a version of the list and a set of matching filters, then immutable. */
export class Plan {
    entries;
    resolvers;
    /** Nothing stands around the tool. */
    isEmpty;
    /** A middleware function may want the whole of a stream, so it has to be buffered. */
    buffersStreams;
    #parts;
    #start;
    #everyone;
    constructor(items) {
        const list = number(items);
        const parts = fuse(list);
        this.#parts = parts;
        this.entries = list.filter((item) => !('fn' in item));
        this.resolvers = this.entries.filter((entry) => entry.resolveExecEnv !== undefined);
        this.isEmpty = parts.length === 0;
        this.buffersStreams = list.some((item) => 'fn' in item && !isStreamSafe(item.fn));
        this.#everyone = new Ring(this.entries);
        this.#start = starter(parts);
    }
    /** Takes the call through. */
    go(run) {
        return this.#start(run);
    }
    /** The way out only, of every hook: for a call that was refused before it began. */
    skip(run) {
        run.depth++;
        return this.#everyone.leave(run, this.entries.length - 1, finish);
    }
    /** Names, in order, for tests and `explain`. */
    get names() {
        return this.#parts.flatMap((part) => part instanceof Ring ? part.entries.map((entry) => entry.name) : [part.name]);
    }
}
/** How the outermost part ends: with the outcome, whatever was thrown inside. */
const finish = (run) => run.finish();
/** koa-compose composes; one ring alone, or nothing at all, needs no composing. */
function starter(parts) {
    const [only] = parts;
    if (only === undefined)
        return (run) => alone(run, openGate);
    if (parts.length === 1 && only instanceof Ring)
        return (run) => only.go(run, openGate, finish);
    return composeParts(parts, openGate, finish);
}
function alone(run, gate) {
    const pending = gate(run);
    if (pending === undefined)
        return finish(run);
    return pending.then((value) => {
        if (run.running)
            run.complete(value);
        return finish(run);
    }, (error) => {
        if (run.running)
            run.toolFailed(error);
        return finish(run);
    });
}
/** Gives everything its place and every unnamed function its number. */
function number(items) {
    const list = [];
    let functions = 0;
    for (const item of items) {
        const values = item.kind === 'source' ? item.value.hooks() : flatten([item.value]);
        for (const value of values) {
            const position = list.length;
            if (typeof value !== 'function')
                list.push(entryOf(value, position));
            else {
                functions++;
                const given = isCarrier(item.value) ? undefined : item.name;
                list.push({ fn: value, name: given ?? (value.name || `middleware#${functions}`), position });
            }
        }
    }
    return list;
}
function isCarrier(value) {
    return (typeof value === 'function' &&
        (hooksOf(value) ?? partsOf(value)) !== undefined);
}
const MAX_NAMES = 1000;
/** The plans of one version of a list, by which filters match; tool names only remember their plan. */
export class Plans {
    #items;
    #plans = new Map();
    #byName = new Map();
    #filtered;
    constructor(items) {
        this.#items = [...items];
        this.#filtered = items.some((item) => item.filter !== undefined);
    }
    for(toolName) {
        const name = this.#filtered ? toolName : '';
        const known = this.#byName.get(name);
        if (known !== undefined)
            return known;
        const chosen = this.#items.filter((item) => item.filter?.matches(toolName) ?? true);
        const key = this.#items.map((item) => (chosen.includes(item) ? '1' : '0')).join('');
        const plan = this.#plans.get(key) ?? new Plan(chosen);
        this.#plans.set(key, plan);
        // Tool names come from outside: forget, rather than grow.
        if (this.#byName.size >= MAX_NAMES)
            this.#byName.clear();
        this.#byName.set(name, plan);
        return plan;
    }
}
