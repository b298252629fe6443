import { createHash } from 'node:crypto';
/** What the first record links to. */
export const GENESIS = Object.freeze({ seq: 0, hash: '0'.repeat(64) });
const HASH = /^[0-9a-f]{64}$/;
const TAIL = /,"hash":"([0-9a-f]{64})"\}$/;
function sha256(text) {
    return createHash('sha256').update(text).digest('hex');
}
/** Adds `seq`, `prev` and `hash` to the JSON text of a record with at least one member. */
export function seal(record, previous) {
    const seq = previous.seq + 1;
    const open = `${record.slice(0, -1)},"seq":${seq},"prev":"${previous.hash}"`;
    const hash = sha256(`${open}}`);
    return { line: `${open},"hash":"${hash}"}`, link: { seq, hash } };
}
/** The text of a `.head` file. */
export function formatHead(link) {
    return `${JSON.stringify({ seq: link.seq, hash: link.hash })}\n`;
}
/** Reads a `.head` file; undefined when it is none. */
export function parseHead(text) {
    const value = parseObject(text);
    return value && isLink(value) ? { seq: value.seq, hash: value.hash } : undefined;
}
/** The link of a record, or undefined for a line that is no intact record of a chain. */
export function readLink(line) {
    const record = readSealed(line);
    return record && { seq: record.seq, hash: record.hash };
}
function readSealed(line) {
    const hash = TAIL.exec(line)?.[1];
    if (hash === undefined)
        return undefined;
    if (sha256(`${line.slice(0, TAIL_LENGTH)}}`) !== hash)
        return undefined;
    const value = parseObject(line);
    if (!value || !isLink(value) || typeof value.prev !== 'string')
        return undefined;
    return { ...value, seq: value.seq, hash, prev: value.prev };
}
/** Length of `,"hash":"<64>"}` as a negative offset. */
const TAIL_LENGTH = -(',"hash":""}'.length + 64);
function parseObject(text) {
    try {
        const value = JSON.parse(text);
        return typeof value === 'object' && value !== null && !Array.isArray(value)
            ? value
            : undefined;
    }
    catch {
        return undefined;
    }
}
function isLink(value) {
    const { seq, hash } = value;
    return (Number.isSafeInteger(seq) && seq >= 0 && typeof hash === 'string' && HASH.test(hash));
}
const MAX_LISTED = 100;
/**
 * Checks a chain line by line: finds every edit, removal, insertion and reordering of records. Somebody who
 * can write the file and its head can still replace both whole; keep a copy of the head elsewhere against that.
 *
 * @param head The newest link as it was written beside the file; without it records missing at the end are not seen.
 */
export async function verifyChain(lines, head) {
    const problems = [];
    const torn = [];
    const open = new Map();
    let last = GENESIS;
    let count = 0;
    let records = 0;
    let number = 0;
    const report = (line, problem) => {
        count++;
        if (problems.length < MAX_LISTED)
            problems.push({ line, problem });
    };
    for await (const line of lines) {
        number++;
        if (line === '')
            continue;
        const record = readSealed(line);
        if (record === undefined) {
            if (parseObject(line) === undefined)
                torn.push(number);
            else
                report(number, 'the record does not match its hash: it was edited, or is no part of the chain');
            continue;
        }
        records++;
        const problem = gap(record, last);
        if (problem)
            report(number, problem);
        if (head !== undefined && record.seq === head.seq && record.hash !== head.hash) {
            report(number, `record ${record.seq} is not the one that the head file names`);
        }
        if (record.seq > last.seq || !problem)
            last = { seq: record.seq, hash: record.hash };
        if (record.event === 'arrived')
            open.set(record.id, number);
        else if (record.event === 'ended')
            open.delete(record.id);
    }
    if (head !== undefined && head.seq > last.seq) {
        report(0, `${missing(last.seq + 1, head.seq)} missing at the end of the file`);
    }
    const interrupted = [...open.keys()].map(String);
    return { records, problems, torn, interrupted, last, ok: count === 0 };
}
function gap(record, last) {
    if (record.seq === last.seq + 1) {
        if (record.prev === last.hash)
            return undefined;
        return `record ${record.seq} does not follow the record before it: one of them was replaced`;
    }
    if (record.seq <= last.seq)
        return `record ${record.seq} comes after record ${last.seq}: moved or repeated`;
    return `${missing(last.seq + 1, record.seq - 1)} missing before record ${record.seq}`;
}
function missing(from, to) {
    return from === to ? `record ${from} is` : `records ${from} to ${to} are`;
}
