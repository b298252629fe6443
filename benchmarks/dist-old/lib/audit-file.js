import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { AppendFile, lastLines } from './append-file.js';
import { formatHead, GENESIS, parseHead, readLink, seal } from './audit-chain.js';
import { configError } from './errors.js';
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** The same JSON with control, bidi and invisible characters as `\u` escapes, so that no viewer is fooled. */
export function escapeJson(json) {
    return json.replace(UNSAFE, (c) => {
        let out = '';
        for (let i = 0; i < c.length; i++)
            out += `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`;
        return out;
    });
}
/** Where the newest link of an audit file stands. */
export function headFile(file) {
    return `${file}.head`;
}
/** Reads the head beside `file`; undefined when there is none or nothing in it. Throws when it is no head. */
export function readHead(file) {
    const path = headFile(file);
    let text;
    try {
        text = readFileSync(path, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return undefined;
        throw error;
    }
    if (text === '')
        return undefined;
    const head = parseHead(text);
    if (head === undefined)
        throw new Error(`${path} is no head of a chain`);
    return head;
}
/** An open audit file: one JSON text in, one line out. */
export class AuditFile {
    #file;
    #chain;
    /** @throws {ToolwareError} `CONFIG` when the file cannot be opened, or its chain cannot be continued. */
    constructor(options) {
        const { file, chain, fsync } = options;
        try {
            this.#file = new AppendFile(file, { fsync });
            this.#chain = chain ? new Chain(this.#file) : undefined;
        }
        catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            throw configError('audit.file', `cannot open "${file}" (${why}); name a file that can be written`, error);
        }
    }
    /** Throws when the record did not get to the file. */
    write(json) {
        const record = escapeJson(json.endsWith('\n') ? json.slice(0, -1) : json);
        if (this.#chain)
            this.#chain.append(record);
        else
            this.#file.append(record);
    }
    close() {
        this.#chain?.close();
        this.#file.close();
    }
}
class Chain {
    #file;
    #head;
    #last;
    #size;
    constructor(file) {
        this.#file = file;
        this.#last = newest(file.path);
        this.#size = file.size();
        this.#head = openHead(file.path);
    }
    append(record) {
        // Another writer, or a hand, was at the file: go on from what is there now.
        if (this.#file.size() !== this.#size)
            this.#last = newest(this.#file.path);
        const { line, link } = seal(record, this.#last);
        try {
            this.#file.append(line);
            this.#last = link;
        }
        finally {
            this.#size = this.#file.size();
        }
        // After the record, so that a crash between the two leaves a head that is behind, never ahead.
        const head = this.#head ?? openHead(this.#file.path);
        try {
            writeSync(head, formatHead(link), 0);
        }
        finally {
            if (head !== this.#head)
                closeSync(head);
        }
    }
    close() {
        if (this.#head === undefined)
            return;
        closeSync(this.#head);
        this.#head = undefined;
    }
}
function openHead(file) {
    const path = headFile(file);
    try {
        return openSync(path, 'r+');
    }
    catch {
        return openSync(path, 'w', 0o600);
    }
}
/** The link to go on from: the head's when records after it are gone, so that the gap shows. */
function newest(file) {
    const head = readHead(file);
    let last;
    for (const line of lastLines(file)) {
        last = readLink(line);
        if (last)
            break;
    }
    if (head && head.seq > (last?.seq ?? 0))
        return head;
    return last ?? GENESIS;
}
