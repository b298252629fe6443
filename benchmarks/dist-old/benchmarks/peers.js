import { createHooks } from 'hookable';
import koaCompose from 'koa-compose';
import { AsyncSeriesBailHook, AsyncSeriesHook } from 'tapable';
import { awaitLoop, bare, execute, keepingTool, PARAMS, syncHooks, } from './fixtures.js';
import { ownFunction } from './runner.js';
/** Functions that only pass on, as the least that an onion of that depth costs. */
function koaNoOps(count) {
    const layers = Array.from({ length: count }, () => ownFunction(`async (ctx, next) => { await next() }`));
    const tool = keepingTool();
    const composed = koaCompose(layers);
    return () => {
        const ctx = { toolName: 'read_file', params: PARAMS };
        return composed(ctx, () => tool(PARAMS, ctx));
    };
}
/** `callHook` before and after the tool. It does less: nothing can be denied, no fault is contained. */
function hookablePair(hooks) {
    const hookable = createHooks();
    for (const hook of hooks) {
        hookable.hook('before', (ctx) => void hook.before(ctx));
        hookable.hook('after', (ctx, outcome) => void hook.after(ctx, outcome));
    }
    const tool = keepingTool();
    return async () => {
        const ctx = { toolName: 'read_file', params: PARAMS };
        await hookable.callHook('before', ctx);
        const result = await tool(PARAMS, ctx);
        const outcome = { status: 'completed', failed: false, result };
        await hookable.callHook('after', ctx, outcome);
        return outcome;
    };
}
/** A bail hook before and a series after the tool. */
function tapablePair(hooks) {
    const before = new AsyncSeriesBailHook(['ctx']);
    const after = new AsyncSeriesHook(['ctx', 'outcome']);
    for (const hook of hooks) {
        // A tap that answers undefined lets the next one speak; tapable's types do not know that.
        before.tap(hook.name, (ctx) => (hook.before(ctx) === true ? undefined : hook.name));
        after.tap(hook.name, (ctx, outcome) => void hook.after(ctx, outcome));
    }
    const tool = keepingTool();
    return async () => {
        const ctx = { toolName: 'read_file', params: PARAMS };
        if ((await before.promise(ctx)) !== undefined)
            throw new Error('denied');
        const result = await tool(PARAMS, ctx);
        const outcome = { status: 'completed', failed: false, result };
        await after.promise(ctx, outcome);
        return outcome;
    };
}
/** Ten of ours beside ten of theirs. */
export const ten = {
    name: 'ten',
    contenders: () => [
        { name: 'bare', call: bare() },
        { name: '10 sync hooks', call: execute(syncHooks(10)) },
        { name: 'koa-compose, 10 no-ops', call: koaNoOps(10) },
        { name: 'await loop, 10 sync hooks', call: awaitLoop(syncHooks(10)) },
        { name: 'tapable, 10 sync taps', call: tapablePair(syncHooks(10)) },
    ],
};
export const five = {
    name: 'five',
    contenders: () => [
        { name: 'bare', call: bare() },
        { name: '5 sync hooks', call: execute(syncHooks(5)) },
        { name: 'hookable, 5 sync hooks', call: hookablePair(syncHooks(5)) },
    ],
};
