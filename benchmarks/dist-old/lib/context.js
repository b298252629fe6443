import { randomUUID } from 'node:crypto';
import { isToolwareError } from './errors.js';
import { Aborted, Blocked, Completed, Failed, messageOf, Pending, } from './outcome.js';
import { sameParams, takeParams, whatInstead } from './params.js';
import { fixesParams, tellResolution } from './verdict.js';
import { HookView } from './view.js';
/** No hook or middleware has changed the params. */
export const NO_REWRITE = -1;
/** One passage of a call through a pipeline: everything that changes while it lasts. Nobody outside sees it. */
export class Run {
    settings;
    toolName;
    facts;
    tool;
    plan;
    original;
    params;
    /** What became of the call. Set at once when it is decided, so every loop can look at it. */
    outcome;
    /** The tool was called. */
    started = false;
    /** A middleware answered in its place. */
    answered = false;
    /** The tool was called and nobody has taken its answer yet. */
    running = false;
    /** The gate was entered: too late to ask, rewrite or respond. */
    gated = false;
    /** What a middleware threw, or the tool: `next()` rejects with it further out. */
    thrown;
    /** Decided while the tool was running: the outcome when it ends. */
    verdictWhenDone;
    aborted;
    /** How many middleware functions and rings are between entered and settled. */
    depth = 0;
    /** The highest position that changed the params; hooks up to it are checked again at the gate. */
    rewrittenAt = NO_REWRITE;
    /** Params fixed by an approval: changing them without asking again blocks. */
    fixedBy;
    rechecking = false;
    asks;
    /** The approver has taken the question, and tells the askers what comes of it. */
    put = false;
    /** The promise of the handler that is being waited for; set by `advance` and `retreat`. */
    pending;
    /** Ticks of the after-budget that are used up. */
    budgetTicks = 0;
    budgetSpent = false;
    view;
    #began;
    #waiters;
    #views;
    #rare;
    constructor(settings, plan, toolName, facts, params, tool) {
        this.settings = settings;
        this.plan = plan;
        this.plan = plan;
        this.toolName = toolName;
        this.facts = facts;
        this.params = params;
        this.original = params;
        this.tool = tool;
        this.view = new HookView(this);
        this.#began = settings.timing === false ? 0 : performance.now();
    }
    /** True once the tool ran or was answered for: hooks leave through `after`, else through `skipped`. */
    get ran() {
        return this.started || this.answered;
    }
    get rare() {
        this.#rare ??= {
            id: undefined,
            json: undefined,
            jsonOf: undefined,
            state: undefined,
            execEnv: undefined,
            response: undefined,
            transforms: undefined,
            held: undefined,
            inner: undefined,
            judging: undefined,
            hookMs: 0,
            waitMs: 0,
        };
        return this.#rare;
    }
    /** The rare parts, if any were needed. */
    get rareIfAny() {
        return this.#rare;
    }
    get id() {
        this.rare.id ??= randomUUID();
        return this.rare.id;
    }
    get argumentsJson() {
        const { rare } = this;
        if (rare.json === undefined || rare.jsonOf !== this.params) {
            rare.json = JSON.stringify(this.params);
            rare.jsonOf = this.params;
        }
        return rare.json;
    }
    /** The end of a call that the pipeline has finished with. */
    finish() {
        const { signal } = this.facts;
        const outcome = this.outcome;
        if (this.asks !== undefined && !this.put && this.#rare?.judging === undefined) {
            this.#withdrawAsks();
        }
        this.settings.settled(this, outcome, signal);
        return outcome;
    }
    times() {
        const { timing } = this.settings;
        const durationMs = timing === false ? 0 : performance.now() - this.#began;
        if (timing !== 'hooks')
            return { durationMs };
        return { durationMs, hookMs: this.rare.hookMs, waitMs: this.rare.waitMs };
    }
    // Decisions ------------------------------------------------------------------------------------
    /** Ends the way in: the tool will not run. The first block stands. */
    block(fault) {
        this.outcome ??= Object.freeze(new Blocked(fault, this.times()));
    }
    /** A fault of the onion's rules, or a middleware that threw: blocks before the tool, withholds its result after. */
    fail(fault) {
        if (this.aborted !== undefined)
            return;
        if (this.outcome === undefined) {
            if (this.running)
                this.verdictWhenDone ??= fault;
            else
                this.block(fault);
        }
        else if (this.outcome.status === 'completed')
            this.#withhold(fault);
    }
    /** As {@link fail}, and stands over any other failure. */
    deny(fault) {
        if (this.running && this.outcome === undefined)
            this.verdictWhenDone = fault;
        if (this.outcome?.status === 'failed')
            this.#withhold(fault);
        else
            this.fail(fault);
    }
    #withhold(fault) {
        this.thrown = 'error' in fault ? { error: fault.error } : undefined;
        this.outcome = Object.freeze(new Failed(fault, this.started, this.times()));
    }
    /** The tool has answered, or somebody answered for it. */
    complete(value) {
        this.running = false;
        if (this.outcome !== undefined)
            return;
        if (this.verdictWhenDone !== undefined)
            this.#withhold(this.verdictWhenDone);
        else
            this.outcome = Object.freeze(new Completed(value, this.started, this.times()));
    }
    /** The tool threw or timed out. */
    toolFailed(error, fault = faultOf(error)) {
        this.running = false;
        if (this.outcome === undefined)
            this.#withhold(this.verdictWhenDone ?? fault);
    }
    /** A middleware has thrown another error for the tool's: the call keeps its code, and tells of both. */
    rethrown(by, error) {
        const outcome = this.outcome;
        const { code, reason } = outcome;
        const details = { ...outcome.details, rethrownBy: by, rethrown: messageOf(error) };
        const fault = { code, by: outcome.by, reason, details, error: outcome.error };
        this.#withhold(fault);
        this.thrown = { error };
    }
    /** A person has to decide; nothing is reserved anew, nothing given back. */
    suspend(approvalId) {
        this.outcome ??= Object.freeze(new Pending(approvalId, this.times()));
    }
    /** Puts another result in the place of the tool's. */
    replaceResult(value) {
        this.outcome = Object.freeze(new Completed(value, this.started, this.times()));
    }
    /** A middleware has answered for a failed tool. */
    recover(value, by) {
        const toolError = this.outcome?.status === 'failed' ? this.outcome.error : undefined;
        this.thrown = undefined;
        this.outcome = Object.freeze(new Completed(value, this.started, this.times(), by, toolError));
    }
    /** Replaces the params; answers what is wrong with them, if anything. */
    replaceParams(params, position) {
        const { intake } = this.settings;
        const notObject = whatInstead(params);
        if (notObject !== undefined)
            return `params must be an object, not ${notObject}`;
        const taken = intake === undefined ? params : takeParams(params, intake);
        if (typeof taken === 'string')
            return taken;
        if (intake === undefined || !sameParams(taken, this.params)) {
            this.params = taken;
            if (position > this.rewrittenAt)
                this.rewrittenAt = position;
        }
        return undefined;
    }
    /** An ask stands; what a re-check asks replaces what the same `check` asked about the old params. */
    addAsk(hook, phase, request) {
        const { asker: name = hook } = request;
        this.fixedBy ??= fixesParams(request);
        this.asks ??= [];
        const asked = { name, phase, request };
        const old = this.rechecking
            ? this.asks.findIndex((other) => other.name === name && other.phase === 'check')
            : -1;
        if (old < 0)
            this.asks.push(asked);
        else
            this.asks[old] = asked;
    }
    /** A question that was never put to anybody is over. */
    #withdrawAsks() {
        for (const { name, request } of this.asks ?? []) {
            tellResolution(request, 'cancelled', (error) => this.report(name, 'onResolution', error));
        }
    }
    note(record) {
        this.#rare?.judging?.opinions.push(record);
    }
    report(hook, phase, error) {
        this.settings.report({ hook, phase, error, ctx: this.view });
    }
    // Abort ----------------------------------------------------------------------------------------
    /** From now on `who` hears of the caller's abort. */
    wait(who) {
        this.#waiters ??= [];
        this.#waiters.push(who);
    }
    unwait(who) {
        const at = this.#waiters?.lastIndexOf(who) ?? -1;
        if (at >= 0)
            this.#waiters?.splice(at, 1);
    }
    /** The caller gives the call up: tells every handler, then whoever waits, the innermost first. */
    abort(reason) {
        if (this.aborted !== undefined)
            return;
        this.aborted = { reason };
        if (this.outcome === undefined)
            this.settleAborted();
        for (const view of [...(this.#views ?? [])])
            view.void(reason);
        for (const waiter of [...(this.#waiters ?? [])].reverse())
            waiter.abort();
    }
    /** Settles the call as aborted, over a result that has not reached the caller yet. A block stands. */
    settleAborted() {
        this.running = false;
        const status = this.outcome?.status;
        if (status === 'blocked' || status === 'pending' || status === 'aborted')
            return;
        this.thrown = undefined;
        this.outcome = Object.freeze(new Aborted(this.aborted?.reason, this.started, this.times()));
    }
    /** `view` has made a controller: it hears of the abort, unless that has come already. */
    watch(view) {
        if (this.aborted !== undefined)
            view.void(this.aborted.reason);
        this.#views ??= [];
        this.#views.push(view);
    }
    unwatch(view) {
        const at = this.#views?.indexOf(view) ?? -1;
        if (at >= 0)
            this.#views?.splice(at, 1);
    }
    /** Voids the context of a handler that was given up; the call goes on with a new one. */
    renewView(reason) {
        const state = this.#rare?.state;
        this.view.keepState(state ?? new Map());
        if (state !== undefined)
            this.rare.state = new Map(state);
        this.view.void(reason);
        this.view = new HookView(this);
    }
    /** Makes the context of the way out: its signal fires only when the budget ends. */
    turnAround() {
        if (!this.view.touched)
            return;
        this.unwatch(this.view);
        this.view = new HookView(this);
    }
}
/** A host that knows no tool of the name throws `UNKNOWN_TOOL` from it; every other error is the tool's own. */
function faultOf(error) {
    const code = isToolwareError(error, 'UNKNOWN_TOOL') ? 'UNKNOWN_TOOL' : 'TOOL_FAILED';
    return { code, by: 'tool', error };
}
