import { advance, stepsOf } from './steps.js';
import { Walk } from './walk.js';
/** The hooks whose `check` answered before the params changed. */
export function stale(run) {
    const entries = run.plan.entries.filter((entry) => entry.position <= run.rewrittenAt);
    return [...entries, ...(run.rare.inner ?? [])];
}
/** Runs their `check` on the params as they are now. */
export async function recheck(run, entries) {
    const steps = stepsOf(entries, 'check');
    run.rechecking = true;
    const s = advance(run, steps, 0);
    if (run.outcome === undefined && s < steps.length) {
        await new Promise((resolve) => void new Recheck(run, entries, steps, resolve).in(s));
    }
    run.rechecking = false;
}
class Recheck extends Walk {
    #resolve;
    constructor(run, entries, steps, resolve) {
        super(run, entries, steps);
        this.#resolve = resolve;
    }
    passed() {
        this.end();
        this.#resolve();
    }
    stopped() {
        this.passed();
    }
    left() { }
}
/** Every hook that judges this call. */
export function everyone(run) {
    return [...run.plan.entries, ...(run.rare.inner ?? [])];
}
