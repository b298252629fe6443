import { approve } from './approve.js';
import { NO_REWRITE } from './context.js';
import { TIMED_OUT, withTimeout } from './deadline.js';
import { ToolwareError } from './errors.js';
import { thaw } from './params.js';
import { recheck, stale } from './recheck.js';
import { abandon, hookFault, isThenable } from './steps.js';
import { CallView } from './view.js';
import { orAbort } from './wait.js';
/**
 * The innermost ring: signal, re-check, approval, signal again (and the policies again, if a person was
 * waited for), then the tool, at most once. Params cannot change after that.
 *
 * @returns The tool's own promise while `run.running`; else a promise that never rejects and settles once the
 * call is; undefined when the call was settled at once.
 */
export function openGate(run) {
    if (run.outcome !== undefined || run.started || run.answered)
        return undefined;
    run.gated = true;
    const rare = run.rareIfAny;
    const plain = run.rewrittenAt === NO_REWRITE &&
        run.asks === undefined &&
        run.plan.resolvers.length === 0 &&
        (rare === undefined || !(rare.response || rare.held || rare.judging));
    return plain ? startTool(run) : passGate(run).catch((error) => closeGate(run, error));
}
/** What looked at the call threw, such as a store of approvals: the tool does not run. */
function closeGate(run, error) {
    run.report('toolware', 'gate', error);
    run.block(hookFault(run, 'HOOK_FAILED', 'toolware', error));
}
/** The gate's longer way, when something has to be looked at once more. */
async function passGate(run) {
    const { rare } = run;
    if (run.rewrittenAt !== NO_REWRITE)
        await recheck(run, stale(run));
    if (run.outcome === undefined && run.plan.resolvers.length > 0)
        await resolveEnv(run);
    if (run.outcome === undefined && rare.judging !== undefined)
        return endJudging(run, rare.judging);
    if (run.outcome === undefined && (run.asks !== undefined || rare.held !== undefined)) {
        await approve(run);
    }
    if (run.outcome !== undefined)
        return;
    if (rare.response !== undefined) {
        run.answered = true;
        run.complete(rare.response.value);
        return;
    }
    const pending = startTool(run);
    if (pending === undefined)
        return;
    try {
        const value = await pending;
        if (run.running)
            run.complete(value);
    }
    catch (error) {
        if (run.running)
            run.toolFailed(error);
    }
}
/** Nothing more is done for `explain` and `check`; the call counts as not run, or keeps what it reserved. */
function endJudging(run, judging) {
    judging.passed = true;
    if (judging.keep)
        run.suspend('');
    else
        run.block({ code: 'ABORTED', by: 'toolware', reason: 'Judged only; nothing was executed.' });
}
async function resolveEnv(run) {
    const env = Object.create(null);
    for (const entry of run.plan.resolvers) {
        try {
            const work = entry.resolveExecEnv?.call(entry.hook, run.view);
            const given = isThenable(work) ? await orAbort(run, work) : work;
            if (run.outcome !== undefined)
                return;
            for (const [name, value] of Object.entries(given ?? {}))
                env[name] = value;
        }
        catch (error) {
            run.report(entry.name, 'resolveExecEnv', error);
            return run.block(hookFault(run, 'HOOK_FAILED', entry.name, error));
        }
    }
    run.rare.execEnv = Object.freeze(env);
}
/** Starts the tool. Answers its promise, or undefined when it was over at once. */
function startTool(run) {
    const { settings } = run;
    const view = new CallView(run);
    // The tool gets params of its own; the host has vouched for its own object under `intake: 'trusted'`.
    const params = settings.intake === undefined ? run.params : thaw(run.params);
    run.started = true;
    run.running = true;
    let pending;
    try {
        const value = run.tool(params, view);
        if (!isThenable(value)) {
            // Aborted by the tool itself, or done.
            if (run.outcome === undefined)
                run.complete(value);
            return undefined;
        }
        pending = Promise.resolve(value);
    }
    catch (error) {
        run.toolFailed(error);
        return undefined;
    }
    if (run.outcome !== undefined) {
        abandon(pending);
        return undefined;
    }
    const bounded = settings.toolTimeoutMs > 0 ? limited(run, view, pending) : pending;
    return run.facts.signal === undefined ? bounded : orAbort(run, bounded);
}
async function limited(run, view, value) {
    const { toolTimeoutMs } = run.settings;
    const result = await withTimeout(value, toolTimeoutMs);
    if (result !== TIMED_OUT)
        return result;
    const reason = `the tool did not settle within ${toolTimeoutMs} ms`;
    const error = new ToolwareError('TOOL_TIMEOUT', reason);
    view.void(error);
    if (run.running)
        run.toolFailed(error, { code: 'TOOL_TIMEOUT', by: 'tool', reason, error });
    return undefined;
}
