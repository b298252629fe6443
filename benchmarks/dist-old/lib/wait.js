import { abandon } from './steps.js';
/** Waits, but not longer than the caller does. */
export function orAbort(run, work) {
    if (run.facts.signal === undefined)
        return Promise.resolve(work);
    if (run.aborted !== undefined) {
        abandon(Promise.resolve(work));
        return Promise.resolve(undefined);
    }
    return new Promise((resolve, reject) => {
        const waiter = { abort: () => resolve(undefined) };
        run.wait(waiter);
        Promise.resolve(work).then((value) => {
            run.unwait(waiter);
            resolve(value);
        }, (error) => {
            run.unwait(waiter);
            reject(error);
        });
    });
}
