import { AsyncLocalStorage } from 'node:async_hooks';
import { snapshotFacts } from './facts.js';
const storage = new AsyncLocalStorage();
/** The facts and the call around the running code, if a scope or `asyncContext: true` put them there. */
export function ambient() {
    return storage.getStore();
}
/** Runs `work` with something new around it. */
export function within(around, work) {
    return storage.run(around, work);
}
/**
 * The call whose tool or hooks are running now; undefined outside of one, or when neither a scope nor
 * `asyncContext: true` follows asynchronous work.
 */
export function currentCall() {
    return storage.getStore()?.call;
}
/** A pipeline's methods bound to facts, which also flow along with asynchronous work. */
export class Scope {
    facts;
    #bound;
    constructor(facts, bound) {
        this.facts = snapshotFacts(facts);
        this.#bound = bound;
    }
    /** Runs `work` so that tools wrapped elsewhere find these facts. */
    run(work) {
        return within({ facts: this.#around(), call: ambient()?.call }, work);
    }
    execute(call, tool) {
        return this.run(() => this.#bound.execute(call, tool, this.facts));
    }
    stream(call, tool) {
        return this.run(() => this.#bound.stream(call, tool, this.facts));
    }
    wrap(toolName, fn, facts) {
        return this.#bound.wrap(toolName, fn, snapshotFacts(this.facts, facts));
    }
    explain(call, options = {}) {
        return this.run(() => this.#bound.explain(call, options, this.facts));
    }
    scope(facts) {
        return new Scope(snapshotFacts(this.facts, facts), this.#bound);
    }
    #around() {
        return snapshotFacts(ambient()?.facts, this.facts);
    }
}
