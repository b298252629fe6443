import { deny } from '../verdict.js';
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}"\\]/gu;
const MAX_VALUE = 80;
/** Text that is safe to show: control, bidi and invisible characters escaped, the middle cut out. */
export function shorten(text, max = MAX_VALUE) {
    const half = Math.floor((max - 1) / 2);
    const cut = text.length > max ? `${text.slice(0, half)}…${text.slice(-half)}` : text;
    return cut.replace(UNSAFE, (c) => c === '"' || c === '\\'
        ? `\\${c}`
        : `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
export function finding(rule, reason, value) {
    return value === undefined ? { rule, reason } : { rule, reason, value: shorten(value) };
}
/** The deny for a finding about one argument, such as `edits[0].path`. */
export function denyFor(found, argument) {
    const { rule, reason, value } = found;
    const details = { rule, ...(argument && { argument }), ...(value !== undefined && { value }) };
    return deny(argument ? `${argument}: ${reason}` : reason, { rule, details });
}
