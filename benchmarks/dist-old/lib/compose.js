import koaCompose from 'koa-compose';
import { hooksOf, passOn, Ring } from './adapt.js';
import { entryOf, NO_POSITION } from './entry.js';
import { Frame } from './frame.js';
import { CallView } from './view.js';
/**
 * Composes the parts of a plan with koa-compose. Published 4.2.0 rejects a second `next()`, but neither
 * notices when that error is swallowed nor when `next()` is not awaited: the {@link Frame} around each
 * function adds that, in every environment.
 */
export function composeParts(parts, gate, outermost) {
    const layers = parts.map((part, i) => {
        const end = i === 0 ? outermost : passOn;
        return part instanceof Ring
            ? (run, next) => part.go(run, next, end)
            : (run, next) => new Frame(run, part, next, end).go();
    });
    const last = parts.at(-1);
    if (last instanceof Ring) {
        // A ring beside the gate takes the tool's answer itself.
        layers[layers.length - 1] = (run) => last.go(run, gate, parts.length === 1 ? outermost : passOn);
    }
    const composed = koaCompose(layers);
    return (run) => composed(run, () => passGate(run, gate));
}
/** The gate on its own, behind a middleware function: takes the tool's answer before `next()` settles. */
function passGate(run, gate) {
    run.depth++;
    const pending = gate(run);
    if (pending === undefined) {
        run.depth--;
        return passOn(run);
    }
    return pending.then((value) => {
        if (run.running)
            run.complete(value);
        run.depth--;
        return passOn(run);
    }, (error) => {
        if (run.running)
            run.toolFailed(error);
        run.depth--;
        return passOn(run);
    });
}
const composed = new WeakMap();
/** What {@link compose} made a middleware of, so that a pipeline can take its parts. */
export function partsOf(middleware) {
    return composed.get(middleware);
}
/**
 * Composes middleware and hooks into one middleware for use inside a pipeline, in list order.
 *
 * @throws {TypeError} When an element is neither.
 */
export function compose(list) {
    const items = [...list];
    const parts = partsFrom(items);
    const middleware = (ctx, next) => {
        const run = CallView.run(ctx);
        const rings = parts.filter((part) => part instanceof Ring);
        run.rare.inner ??= [];
        run.rare.inner.push(...rings.flatMap((ring) => ring.entries));
        return composeParts(parts, next, passOn)(run);
    };
    composed.set(middleware, items);
    return middleware;
}
function partsFrom(items) {
    return fuse(flatten(items).map((item, i) => typeof item === 'function'
        ? { fn: item, name: item.name || `middleware#${i + 1}`, position: NO_POSITION }
        : entryOf(item, NO_POSITION)));
}
/** Middleware that `adapt` and `compose` made is replaced by what it was made of. */
export function flatten(items) {
    return items.flatMap((item) => {
        if (typeof item !== 'function')
            return [item];
        const inside = hooksOf(item) ?? partsOf(item);
        return inside === undefined ? [item] : flatten(inside);
    });
}
/** Joins adjacent hooks into rings. */
export function fuse(list) {
    const parts = [];
    let hooks = [];
    const close = () => {
        if (hooks.length > 0)
            parts.push(new Ring(hooks));
        hooks = [];
    };
    for (const item of list) {
        if ('fn' in item) {
            close();
            parts.push(item);
        }
        else
            hooks.push(item);
    }
    close();
    return parts;
}
/** True for a middleware function; for a hook of the right shape. Throws a TypeError that says what is wrong with a hook. */
export function isUsable(value) {
    if (typeof value === 'function')
        return true;
    if (typeof value !== 'object' || value === null)
        return false;
    entryOf(value, NO_POSITION);
    return true;
}
/** For what is no middleware, hook or pipeline. */
export function notUsable(value) {
    return new TypeError(`use() takes a middleware function, a hook or a Toolware; got ${value === null ? 'null' : typeof value}`);
}
