import { Toolware } from '../lib/index.js';
import { ownFunction } from './runner.js';
/** The pipeline as the dispatch rows want it: no copies, no clock. */
export const DISPATCH_ONLY = { intake: 'trusted', timing: false };
export function syncHooks(count) {
    return Array.from({ length: count }, (_, i) => ({
        name: `sync-${i}`,
        before: ownFunction(`(ctx) => ctx.toolName !== 'x${i}'`),
        after: ownFunction(`(ctx, outcome) => outcome.failed`),
    }));
}
export function asyncHooks(count) {
    return Array.from({ length: count }, (_, i) => ({
        name: `async-${i}`,
        before: ownFunction(`async (ctx) => ctx.toolName !== 'x${i}'`),
        after: ownFunction(`async (ctx, outcome) => outcome.failed`),
    }));
}
/** A tool that keeps its context in a ring, so that the engine cannot optimise the context away. */
export function keepingTool() {
    return ownFunction(`((ring, at) => async (params, ctx) => { ring[at++ & 63] = ctx; return params })(new Array(64).fill(null), 0)`);
}
export const PARAMS = { path: 'notes/today.txt' };
/** What everything is compared with: the tool called by hand. */
export function bare(params = PARAMS) {
    const tool = keepingTool();
    return ownFunction(`(tool, params) => () => tool(params, { toolName: 'read_file', params })`)(tool, params);
}
/** One call through `execute`, with a call object made for it as a host would. */
export function execute(hooks, options = DISPATCH_ONLY, facts = {}) {
    const app = new Toolware(options);
    for (const hook of hooks)
        app.use(hook);
    const { signal, params = PARAMS } = facts;
    const make = ownFunction(signal === undefined
        ? `(app, tool, params) => () => app.execute({ toolName: 'read_file', params }, tool)`
        : `(app, tool, params, signal) => () => app.execute({ toolName: 'read_file', params, signal }, tool)`);
    return make(app, keepingTool(), params, signal);
}
/** One call through `wrap`. */
export function wrapped(hooks, options = DISPATCH_ONLY) {
    const app = new Toolware(options);
    for (const hook of hooks)
        app.use(hook);
    const tool = app.wrap('read_file', keepingTool());
    return ownFunction(`(tool, params) => () => tool(params)`)(tool, PARAMS);
}
/** What people write by hand: a loop that awaits every hook. */
export function awaitLoop(hooks) {
    return ownFunction(`(hooks, tool, params) => async () => {
      const ctx = { toolName: 'read_file', params }
      for (let i = 0; i < hooks.length; i++) {
        if ((await hooks[i].before(ctx)) !== true) throw new Error('denied')
      }
      const result = await tool(params, ctx)
      const outcome = { status: 'completed', failed: false, result }
      for (let i = hooks.length - 1; i >= 0; i--) await hooks[i].after(ctx, outcome)
      return outcome
    }`)(hooks, keepingTool(), PARAMS);
}
