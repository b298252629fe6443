import { isUsable, notUsable } from './compose.js';
import { Run } from './context.js';
import { Deadlines, TIMED_OUT, withTimeout } from './deadline.js';
import { CHANNELS } from './diagnostics.js';
import { isToolwareError, ToolwareError } from './errors.js';
import { explanationOf } from './explain.js';
import { snapshotFacts } from './facts.js';
import { defaultLogger } from './logger.js';
import { asText, Blocked, messageOf } from './outcome.js';
import { parseArguments, takeParams } from './params.js';
import { Plans, toolFilter } from './plan.js';
import { resultOf } from './result.js';
import { ambient, Scope, within, } from './scope.js';
import { Listeners, readIntake, vetOptions } from './settings.js';
import { SignalHub } from './signal.js';
import { openStream } from './stream.js';
/**
 * A pipeline around the tool calls of an agent.
 *
 * @example
 * const app = new Toolware()
 * app.use({ name: 'no-deploys', check: ({ toolName }) => toolName !== 'deploy' || deny('not on Fridays') })
 * const outcome = await app.execute({ toolName: 'deploy', params: {} }, deploy)
 */
export class Toolware {
    log;
    clock;
    #items = [];
    #plans;
    #settings;
    #intake;
    #asyncContext;
    #hub = new SignalHub();
    #detached = new Set();
    /** Ids of calls that wait for `resume`. */
    #suspended = new Set();
    #errors;
    #blocked;
    #settled;
    #wrapped = new WeakMap();
    #wrappedNames = new Set();
    #saidBuffered = false;
    #closing;
    /** @throws {ToolwareError} `CONFIG` for an unknown option or a wrong value. */
    constructor(options = {}) {
        vetOptions(options);
        this.log = options.log ?? defaultLogger();
        this.clock = options.clock ?? Date.now;
        this.#intake = readIntake(options.intake);
        this.#asyncContext = options.asyncContext ?? false;
        this.#errors = new Listeners(this.log);
        this.#blocked = new Listeners(this.log);
        this.#settled = new Listeners(this.log);
        this.#settings = {
            log: this.log,
            deadlines: new Deadlines(),
            beforeTimeoutMs: options.beforeTimeoutMs ?? 15_000,
            afterTimeoutMs: options.afterTimeoutMs ?? 5000,
            toolTimeoutMs: options.toolTimeoutMs ?? 0,
            intake: this.#intake,
            timing: options.timing ?? true,
            exposeErrors: options.exposeErrors ?? false,
            policyVersion: options.policyVersion,
            approver: options.approvals,
            report: (report) => this.#report(report),
            detach: (work) => this.#detach(work),
            settled: (run, outcome, signal) => this.#end(run, outcome, signal),
        };
        options.approvals?.onRefused?.((held) => this.#refused(held));
    }
    /**
     * Adds to the end of the list. Calls that have begun are not affected.
     *
     * @throws {TypeError} When it is none of the things that can be used, or a hook without a phase.
     */
    use(item, options = {}) {
        const filter = toolFilter(options.tools);
        const { name } = options;
        if (item instanceof Toolware) {
            if (filter !== undefined || name !== undefined) {
                throw new TypeError('use(pipeline) inserts its list in place and takes no options');
            }
            this.#items.push(...item.#items);
        }
        else if (isSource(item)) {
            item.onChange?.(() => {
                this.#plans = undefined;
            });
            this.#items.push({ kind: 'source', value: item, name, filter });
        }
        else if (isUsable(item)) {
            this.#items.push({ kind: 'one', value: item, name, filter });
        }
        else {
            throw notUsable(item);
        }
        this.#plans = undefined;
        return this;
    }
    execute(call, tool) {
        return this.#execute(call, tool, undefined);
    }
    stream(call, tool) {
        return this.#stream(call, tool, undefined);
    }
    wrap(toolName, fn, facts) {
        return this.#wrap(toolName, fn, facts);
    }
    scope(facts) {
        return new Scope(facts, {
            execute: (call, tool, own) => this.#execute(call, tool, own),
            stream: (call, tool, own) => this.#stream(call, tool, own),
            wrap: (name, fn, own) => this.#wrap(name, fn, own),
            explain: (call, options, own) => this.#explain(call, options, own),
        });
    }
    explain(call, options = {}) {
        return this.#explain(call, options, undefined);
    }
    /**
     * Carries on a call that waited for a person: `check` and `before` run again on the current hooks, under the
     * same call id, and exactly the approved params run. Never rejects for an id that is unknown, used or refused:
     * the outcome is blocked with its `APPROVAL_*` code.
     */
    async resume(approvalId, tool) {
        if (typeof tool !== 'function')
            throw new TypeError(`resume(id, tool): ${notTool(tool)}`);
        let held;
        try {
            const { approver } = this.#settings;
            if (approver?.claim === undefined) {
                const problem = 'This pipeline keeps no suspended calls: its approvals cannot defer.';
                throw new ToolwareError('APPROVAL_NOT_FOUND', problem);
            }
            held = await approver.claim(approvalId);
        }
        catch (error) {
            const code = isToolwareError(error) ? error.code : 'STATE_UNAVAILABLE';
            const fault = { code, by: 'toolware', reason: messageOf(error), approvalId };
            return Object.freeze(new Blocked(fault, { durationMs: 0 }));
        }
        return this.#go(this.#runHeld(held, tool));
    }
    /** Lists tools that were never wrapped here, and filters that match none of them. */
    coverage(toolNames) {
        const unwrapped = toolNames.filter((name) => !this.#wrappedNames.has(name));
        const deadFilters = this.#items.flatMap(({ filter, name, value }) => filter === undefined || toolNames.some((tool) => filter.matches(tool))
            ? []
            : [{ item: name ?? nameOf(value), tools: filter.patterns }]);
        return { unwrapped, deadFilters };
    }
    /** Listens. @returns A function that ends it. */
    on(event, listener) {
        const groups = { error: this.#errors, blocked: this.#blocked, settled: this.#settled };
        const group = Object.hasOwn(groups, event) ? groups[event] : undefined;
        if (group === undefined || typeof listener !== 'function') {
            throw new TypeError(`on() takes 'error', 'blocked' or 'settled' and a function; got ${asText(event)}`);
        }
        // The table pairs each event with listeners of its own kind.
        return group.add(listener);
    }
    /** Drains detached work, then closes hooks, sources and approvals. Safe to call twice. */
    close() {
        this.#closing ??= this.#close();
        return this.#closing;
    }
    [Symbol.asyncDispose]() {
        return this.close();
    }
    async #close() {
        // Approvals first: what they refuse now still leaves through the hooks.
        await this.#closePart(this.#settings.approver);
        while (this.#detached.size > 0) {
            const drained = await withTimeout(Promise.all(this.#detached), CLOSE_TIMEOUT_MS);
            if (drained !== TIMED_OUT)
                continue;
            const fields = { left: this.#detached.size };
            this.log.error(fields, `close() left detached work behind after ${CLOSE_TIMEOUT_MS} ms`);
            break;
        }
        for (const { value } of this.#items)
            await this.#closePart(value);
    }
    async #closePart(part) {
        const close = part?.close;
        if (typeof close !== 'function')
            return;
        try {
            await close.call(part);
        }
        catch (error) {
            this.log.error({ err: messageOf(error) }, `close() of ${nameOf(part)} failed`);
        }
    }
    // Calls ----------------------------------------------------------------------------------------
    #execute(call, tool, own) {
        try {
            if (typeof tool !== 'function')
                throw new TypeError(`execute(call, tool): ${notTool(tool)}`);
            if (typeof call !== 'object' || call === null) {
                throw new TypeError(`execute(call, tool): call must be an object; got ${asText(call)}`);
            }
            return this.#go(this.#runFor(call, tool, own));
        }
        catch (error) {
            return Promise.reject(error);
        }
    }
    /** What is known of a call when it arrives. A refused one has its outcome already. */
    #runFor(call, tool, own) {
        const around = ambient();
        const trusted = this.#intake === undefined && own === undefined && around === undefined;
        const parent = around?.call;
        const facts = trusted
            ? call
            : snapshotFacts(parent && { parentCallId: parent.toolCallId ?? parent.id }, around?.facts, own, call);
        return this.#arrive(call, tool, facts);
    }
    /** A call that was suspended. Its facts are its own: whoever resumes it adds none. */
    #runHeld(held, tool) {
        const run = this.#arrive(held.call, tool, snapshotFacts(held.call));
        run.rare.held = held;
        run.rare.id = held.id;
        this.#suspended.delete(held.id);
        return run;
    }
    #arrive(call, tool, facts) {
        const { toolName } = call;
        const taken = this.#take(call);
        const plans = this.#currentPlans();
        const isName = typeof toolName === 'string' && TOOL_NAME.test(toolName);
        const plan = plans.for(isName ? toolName : '');
        const params = typeof taken === 'string' ? NO_PARAMS : taken;
        const run = new Run(this.#settings, plan, asText(toolName), facts, params, tool);
        if (!isName) {
            run.block({
                code: 'BAD_ARGUMENTS',
                by: 'toolware',
                reason: 'The tool name must be 1 to 128 characters of A-Z, a-z, 0-9 and _ . : / -',
            });
        }
        else if (typeof taken === 'string') {
            run.block({ code: 'BAD_ARGUMENTS', by: 'toolware', reason: taken });
        }
        return run;
    }
    #take(call) {
        const { params, argumentsJson } = call;
        if (params === undefined) {
            return argumentsJson === undefined ? NO_PARAMS : parseArguments(argumentsJson, this.#intake);
        }
        if (argumentsJson !== undefined)
            return 'give params or argumentsJson, not both';
        return this.#intake === undefined ? params : takeParams(params, this.#intake);
    }
    #currentPlans() {
        this.#plans ??= new Plans(this.#items);
        return this.#plans;
    }
    /** Only scopes and `asyncContext: true` enter async storage: it makes every promise dearer. */
    #go(run) {
        const around = ambient();
        if (around === undefined && !this.#asyncContext)
            return this.#through(run);
        return within({ facts: around?.facts, call: run.view }, () => this.#through(run));
    }
    #through(run) {
        if (CHANNELS.start.hasSubscribers)
            CHANNELS.start.publish({ ctx: run.view });
        const plan = run.plan;
        const { signal } = run.facts;
        if (signal !== undefined) {
            if (signal.aborted)
                run.abort(signal.reason);
            else
                this.#hub.follow(signal, run);
        }
        // Refused at intake, or aborted before it began.
        const end = run.outcome === undefined ? plan.go(run) : plan.skip(run);
        return end instanceof Promise ? end : Promise.resolve(end);
    }
    #stream(call, tool, own) {
        if (typeof tool !== 'function') {
            throw new TypeError(`stream(call, tool): ${notTool(tool)}`);
        }
        const { buffersStreams } = this.#currentPlans().for(asText(call?.toolName));
        if (buffersStreams && !this.#saidBuffered) {
            this.#saidBuffered = true;
            this.log.warn({ tool: call.toolName }, 'a middleware function stands around a stream, so it is buffered; streamSafe(fn) says it need not be');
        }
        const streaming = { ...call, isStreaming: call?.isStreaming ?? true };
        return openStream((opened) => this.#execute(streaming, opened, own), tool, buffersStreams);
    }
    #wrap(toolName, fn, own) {
        if (typeof toolName !== 'string' || !TOOL_NAME.test(toolName)) {
            throw new TypeError(`wrap(toolName, fn): not a tool name: ${asText(toolName)}`);
        }
        if (typeof fn !== 'function') {
            throw new TypeError(`wrap(${JSON.stringify(toolName)}, fn): fn must be a function; got ${asText(fn)}`);
        }
        this.#wrappedNames.add(toolName);
        if (this.#wrapped.get(fn) === toolName)
            return fn;
        const app = this;
        const wrapped = function (params, ...rest) {
            const tool = (own, ctx) => rest.length === 0
                ? fn.call(this, own, ctx)
                : fn.call(this, own, ...rest);
            const call = { toolName, params: params ?? undefined };
            return app.#execute(call, tool, own).then(resultOf);
        };
        Object.defineProperty(wrapped, 'name', { value: fn.name || toolName });
        this.#wrapped.set(wrapped, toolName);
        return wrapped;
    }
    async #explain(call, options, own) {
        const run = this.#runFor(call, () => undefined, own);
        const judging = { opinions: [], keep: options.keepReservations ?? false, passed: false };
        run.rare.judging = judging;
        await this.#go(run);
        return explanationOf(run, judging);
    }
    // Ends -----------------------------------------------------------------------------------------
    #end(run, outcome, signal) {
        if (signal !== undefined)
            this.#hub.unfollow(signal, run);
        if (run.rareIfAny?.judging !== undefined)
            return;
        if (outcome.status === 'pending')
            this.#suspended.add(run.id);
        if (outcome.status === 'blocked' && this.#blocked.size > 0)
            this.#blocked.tell({ ctx: run.view, outcome });
        if (this.#settled.size > 0)
            this.#settled.tell({ ctx: run.view, outcome });
        if (CHANNELS.end.hasSubscribers)
            CHANNELS.end.publish({ ctx: run.view, outcome });
    }
    /** A suspended call of this pipeline that will never run gives back what it had reserved. */
    #refused(held) {
        if (!this.#suspended.has(held.id))
            return;
        const run = this.#runHeld(held, () => undefined);
        const reason = 'The call waited for a person and was denied, withdrawn, or not decided in time.';
        run.block({ code: 'APPROVAL_DENIED', by: 'toolware', reason });
        this.#detach(this.#go(run));
    }
    #report(report) {
        const { hook, phase, error, ctx } = report;
        const fields = {
            hook,
            phase,
            tool: ctx.toolName,
            toolCallId: ctx.toolCallId,
            err: messageOf(error),
        };
        this.log.error(fields, `hook ${hook} failed in ${phase}`);
        this.#errors.tell(report);
        if (CHANNELS.error.hasSubscribers)
            CHANNELS.error.publish(report);
    }
    #detach(work) {
        this.#detached.add(work);
        void work.then(() => this.#detached.delete(work));
    }
}
const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;
const NO_PARAMS = Object.freeze({});
/** How long `close()` waits for detached work. */
const CLOSE_TIMEOUT_MS = 30_000;
function notTool(value) {
    return `tool must be a function; got ${asText(value)}`;
}
function isSource(value) {
    return (typeof value === 'object' && value !== null && typeof value.hooks === 'function');
}
function nameOf(value) {
    return value?.name || 'an unnamed part';
}
