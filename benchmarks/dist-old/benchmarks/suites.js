import { deadlines, defaults, dispatch, guards, intake, signal, waiting } from './overhead.js';
import { five, ten } from './peers.js';
/** Every suite, in the order in which they run. */
export const suites = [
    dispatch,
    defaults,
    ten,
    five,
    waiting,
    signal,
    intake,
    deadlines,
    guards,
];
