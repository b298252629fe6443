import { entryOf, NO_POSITION } from './entry.js';
import { advance, retreat, stepsOf } from './steps.js';
import { CallView } from './view.js';
import { Walk } from './walk.js';
/**
 * Adjacent hooks, fused into one onion middleware.
 *
 * Way in: every hook's `check`, then its `before`, in list order. The first deny ends it. Way out: `after` or
 * `skipped` of every hook that was entered, in reverse. It stays synchronous until a handler returns a promise;
 * from there on a {@link Walk} goes the same way slowly. The gate starts the tool; whoever is next to it takes
 * the tool's answer, so that N hooks cost one promise in all.
 */
export class Ring {
    entries;
    steps;
    constructor(entries) {
        this.entries = entries;
        this.steps = stepsOf(entries);
    }
    go(run, inner, end) {
        run.depth++;
        const s = advance(run, this.steps, 0);
        if (run.outcome !== undefined)
            return this.leave(run, this.enteredAt(s), end);
        if (s < this.steps.length)
            return new RingWalk(this, run, inner, end).goOnIn(s);
        const pending = inner(run);
        if (pending === undefined)
            return this.leave(run, this.entries.length - 1, end);
        return pending.then((value) => {
            if (run.running)
                run.complete(value);
            return this.leave(run, this.entries.length - 1, end);
        }, (error) => {
            if (run.running)
                run.toolFailed(error);
            return this.leave(run, this.entries.length - 1, end);
        });
    }
    /** The way out of the entries up to `index`. */
    leave(run, index, end) {
        run.turnAround();
        const i = retreat(run, this.entries, index);
        if (i >= 0)
            return new RingWalk(this, run, undefined, end).goOnOut(i);
        run.depth--;
        return end(run);
    }
    /** The last hook entered when the way in ended at step `s`; a hook without steps is entered in passing. */
    enteredAt(s) {
        return this.steps[s].index;
    }
}
/** The slow way through a ring. */
class RingWalk extends Walk {
    #ring;
    #inner;
    #end;
    #resolve;
    constructor(ring, run, inner, end) {
        super(run, ring.entries, ring.steps);
        this.#ring = ring;
        this.#inner = inner;
        this.#end = end;
    }
    goOnIn(s) {
        void this.in(s);
        return this.#promise();
    }
    goOnOut(i) {
        void this.out(i);
        return this.#promise();
    }
    #promise() {
        return new Promise((resolve) => {
            this.#resolve = resolve;
        });
    }
    passed() {
        const { run } = this;
        const last = this.#ring.entries.length - 1;
        const pending = this.#inner?.(run);
        if (pending === undefined)
            return this.stopped(last);
        pending.then((value) => {
            if (run.running)
                run.complete(value);
            this.stopped(last);
        }, (error) => {
            if (run.running)
                run.toolFailed(error);
            this.stopped(last);
        });
    }
    stopped(index) {
        const { run } = this;
        run.turnAround();
        const i = retreat(run, this.#ring.entries, index);
        if (i >= 0)
            void this.out(i);
        else
            this.left();
    }
    left() {
        this.end();
        this.run.depth--;
        try {
            this.#resolve(this.#end(this.run));
        }
        catch (error) {
            this.#resolve(Promise.reject(error));
        }
    }
}
const carried = new WeakMap();
/** The hooks that {@link adapt} made a middleware of, so that a pipeline can fuse them with their neighbours. */
export function hooksOf(middleware) {
    return carried.get(middleware);
}
/**
 * Adapts hooks into one onion middleware for use inside a pipeline. `adapt([a, b])` behaves exactly as
 * `compose([adapt([a]), adapt([b])])`.
 *
 * @throws {TypeError} When one of them is no hook.
 */
export function adapt(hooks) {
    const list = [...hooks];
    const ring = new Ring(list.map((hook) => entryOf(hook, NO_POSITION)));
    const middleware = (ctx, next) => {
        const run = CallView.run(ctx);
        run.rare.inner ??= [];
        run.rare.inner.push(...ring.entries);
        return ring.go(run, next, passOn);
    };
    carried.set(middleware, list);
    return middleware;
}
/** How every part but the outermost ends: what the tool or a middleware threw travels on, as in Koa. */
export function passOn(run) {
    if (run.thrown !== undefined)
        throw run.thrown.error;
    return undefined;
}
