import { closeSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync, } from 'node:fs';
import { dirname } from 'node:path';
const NEWLINE = 10;
/**
 * A file that only grows, a line at a time. Each line is one synchronous write, so what `append` returned
 * from survives a kill of the process; with `fsync` also a loss of power, at about a thousand times the cost.
 */
export class AppendFile {
    path;
    #fsync;
    #fd;
    /** The file may end within a line: a crash or a full disk cut it. */
    #torn;
    /** Makes missing directories. Throws what the file system says when the file cannot be opened. */
    constructor(path, options = {}) {
        this.path = path;
        this.#fsync = options.fsync ?? false;
        mkdirSync(dirname(path), { recursive: true });
        this.#fd = open(path);
        this.#torn = endsWithinLine(this.#fd, path);
    }
    /** Writes `line` and its line feed. Throws when the bytes did not get there; a cut line is left on a line of its own. */
    append(line) {
        // A record that comes after `close` is still written: a call can outlive its pipeline.
        const fd = this.#fd ?? open(this.path);
        try {
            this.#write(fd, `${line}\n`);
        }
        finally {
            if (fd !== this.#fd)
                closeSync(fd);
        }
    }
    #write(fd, text) {
        const bytes = Buffer.from(this.#torn ? `\n${text}` : text);
        let written = 0;
        try {
            while (written < bytes.length)
                written += writeSync(fd, bytes, written);
        }
        finally {
            if (written > 0)
                this.#torn = written < bytes.length && bytes[written - 1] !== NEWLINE;
        }
        if (this.#fsync)
            fdatasyncSync(fd);
    }
    /** Bytes in the file now; 0 for what is no regular file. */
    size() {
        if (this.#fd === undefined)
            return 0;
        const stat = fstatSync(this.#fd);
        return stat.isFile() ? stat.size : 0;
    }
    close() {
        if (this.#fd === undefined)
            return;
        closeSync(this.#fd);
        this.#fd = undefined;
    }
}
/** Readable by the owner only: who called what is nobody else's business. */
function open(path) {
    return openSync(path, 'a', 0o600);
}
function endsWithinLine(fd, path) {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size === 0)
        return false;
    return tail(path, 1)?.[0] !== NEWLINE;
}
/** The last `bytes` bytes of a regular file. */
function tail(path, bytes) {
    const fd = openSync(path, 'r');
    try {
        const { size } = fstatSync(fd);
        const buffer = Buffer.alloc(Math.min(bytes, size));
        readSync(fd, buffer, 0, buffer.length, size - buffer.length);
        return buffer;
    }
    finally {
        closeSync(fd);
    }
}
/** The lines at the end of a file, last first, as far as they fit in `bytes`. Missing file: none. */
export function lastLines(path, bytes = 1 << 20) {
    let text;
    try {
        text = tail(path, bytes)?.toString() ?? '';
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return [];
        throw error;
    }
    return text.split('\n').filter(Boolean).reverse();
}
