import { types } from 'node:util';
const MASK = '[redacted]';
const MAX_DEPTH = 64;
const MAX_NODES = 100_000;
/** Keys whose values are secrets. `author` and `authority` are none; `authorization` is. */
const SECRET_KEY = /passw|passphrase|secret|token|api[-_ ]?key|access[-_ ]?key|private|credential|cookie|auth(?!or(?!i[sz]))|bearer|jwt|(?<![a-z])pwd(?![a-z])/i;
const TOKEN_COUNT = /tokens?(?:[-_]?(?:count|limit|used|budget))?$/i;
const KEYWORD = 'passw(?:or)?d|passphrase|secret|token(?!s)|api[-_]?key|access[-_]?key|private[-_]?key|credential|pwd';
/** A quoted value up to its closing quote (in JSON inside JSON the quotes are escaped), or a bare word. */
const VALUE = [
    String.raw `"(?:[^"\\]|\\[\s\S]){0,65536}`,
    String.raw `\\"(?:[^"\\]|\\\\(?:\\")?|\\[^"\\]){0,65536}`,
    String.raw `\\{2,3}"[^"\\]{0,65536}`,
    "'[^'\\r\\n]*",
    '`[^`\\r\\n]*',
    '[^\\s"\'`&;,|<>(){}\\[\\]\\\\]+',
].join('|');
const OPEN = /^\\{0,3}["'`]?/;
/**
 * Shapes of secrets in text. Every quantifier is bounded or ends its match, and every start is anchored to
 * a literal, so that no text is scanned more than a few times.
 */
const SHAPES = [
    // Provider keys with a prefix of their own.
    /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
    /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,})/g,
    /(?<![A-Za-z0-9])(?:xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,})/g,
    /(?<![A-Za-z0-9])AIza[\w-]{30,}/g,
    /(?<![A-Za-z0-9])(?:sk-[\w-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,})/g,
    /(?<![A-Za-z0-9])(?:npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|hf_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{32,})/g,
    // JSON Web Tokens: a header that is JSON, a payload, a signature that may be empty.
    /(?<![\w-])eyJ[\w-]{5,4096}\.[\w-]{2,16384}\.[\w-]*/g,
];
const URL_LOGIN = /(:\/\/)[^\s/@:]{0,256}:[^\s/]{1,1024}@/g;
/** The first group stays, what follows it is the secret. */
const LABELLED = [
    /(\b(?:proxy-)?authorization\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?)[^\r\n"'\\]+/gi,
    /(\b(?:set-)?cookie\\{0,3}["']?\s{0,3}:\s{0,3}\\{0,3}["']?)[^\r\n"'\\]+/gi,
    /(\bbearer[ \t]{1,4})[\w.~+/=-]{8,}/gi,
    /((?:\s|^)(?:-u|--user)[ =]{0,2}["']?[^\s:"']{1,128}:)(?!\d{1,9}\b)[^\s"']+/g,
];
const ASSIGNED = [
    new RegExp(`((?:${KEYWORD})[\\w-]{0,32}\\\\{0,3}["']?\\s{0,3}(?:=>|[:=])\\s{0,3})(${VALUE})`, 'gi'),
    new RegExp(`(--[\\w-]{0,32}(?:${KEYWORD})[\\w-]{0,32}[ \\t]{1,3})(?!-)(${VALUE})`, 'gi'),
];
const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----/g;
const PEM_END = /-----END [A-Z0-9 ]{0,60}-----/g;
const UNSAFE = /\r(?!\n)|[^\P{Cc}\r\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Masks from `BEGIN` to `END`; a key without an end is masked to the end of the text. */
function maskPem(text) {
    let out = '';
    let from = 0;
    PEM_BEGIN.lastIndex = 0;
    for (let begin = PEM_BEGIN.exec(text); begin; begin = PEM_BEGIN.exec(text)) {
        PEM_END.lastIndex = PEM_BEGIN.lastIndex;
        const end = PEM_END.exec(text);
        out += text.slice(from, begin.index) + MASK;
        from = end ? PEM_END.lastIndex : text.length;
        PEM_BEGIN.lastIndex = from;
    }
    return out + text.slice(from);
}
/** Control, bidi and invisible characters as `\u001b`; line feeds and tabs stay. */
export function escapeText(text) {
    return text.replace(UNSAFE, (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
/**
 * Text with everything that looks like a secret masked, then control, bidi and invisible characters
 * escaped. Call it before any truncation, since half a key is no longer recognised. Idempotent; linear.
 */
export function redactText(text) {
    let out = text.includes('-----BEGIN ') ? maskPem(text) : text;
    for (const shape of SHAPES)
        out = out.replace(shape, MASK);
    out = out.replace(URL_LOGIN, `$1${MASK}@`);
    for (const shape of LABELLED)
        out = out.replace(shape, `$1${MASK}`);
    for (const shape of ASSIGNED) {
        out = out.replace(shape, (_, label, value) => {
            const open = OPEN.exec(value)?.[0] ?? '';
            return value.length > open.length ? label + open + MASK : label + open;
        });
    }
    return escapeText(out);
}
/** True when a value under this key is a secret: `apiKey`, `DB_PASSWORD`, `Authorization`. */
export function isSecretKey(key) {
    return SECRET_KEY.test(key);
}
function maskValue(key, value) {
    if (value === undefined || value === null || typeof value === 'boolean' || value === '') {
        return value;
    }
    return typeof value === 'number' && TOKEN_COUNT.test(key) ? value : MASK;
}
/** What stands for a value that JSON does not know, or undefined for one that has members to walk. */
function leaf(value) {
    if (types.isProxy(value))
        return '[proxy]';
    if (types.isDate(value)) {
        const time = Date.prototype.getTime.call(value);
        return Number.isNaN(time) ? '[invalid date]' : new Date(time).toISOString();
    }
    if (ArrayBuffer.isView(value))
        return `[${value.byteLength} bytes]`;
    if (types.isAnyArrayBuffer(value))
        return `[${value.byteLength} bytes]`;
    if (types.isMap(value))
        return `[map of ${value.size}]`;
    if (types.isSet(value))
        return `[set of ${value.size}]`;
    if (types.isPromise(value))
        return '[promise]';
    return undefined;
}
function redactMember(value, depth, walk) {
    if (typeof value === 'string')
        return redactText(value);
    if (typeof value === 'bigint')
        return `${value}n`;
    if (typeof value === 'number')
        return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'function' || typeof value === 'symbol')
        return `[${typeof value}]`;
    if (typeof value !== 'object' || value === null)
        return value;
    const known = leaf(value);
    if (known !== undefined)
        return known;
    if (walk.ancestors.has(value))
        return '[cycle]';
    if (depth >= MAX_DEPTH)
        return '[too deep]';
    walk.ancestors.add(value);
    const copy = Array.isArray(value)
        ? redactArray(value, depth, walk)
        : redactObject(value, depth, walk);
    walk.ancestors.delete(value);
    return copy;
}
/** An own data property; a getter is named, never called. */
function read(holder, key) {
    const property = Object.getOwnPropertyDescriptor(holder, key);
    if (property === undefined)
        return undefined;
    return 'value' in property ? property.value : '[getter]';
}
function redactArray(value, depth, walk) {
    const copy = [];
    // A list of words may be a command line, and a pair may be a header: the word before names the value.
    let secret;
    for (let i = 0; i < value.length; i++) {
        if (++walk.nodes > MAX_NODES) {
            copy.push(`[${value.length - i} more]`);
            break;
        }
        const item = read(value, String(i));
        copy.push(secret !== undefined && typeof item === 'string' && !item.startsWith('-')
            ? maskValue(secret, item)
            : redactMember(item, depth + 1, walk));
        secret =
            typeof item === 'string' && names(item, value.length === 2 && i === 0) ? item : undefined;
    }
    return copy;
}
/** True for `--password`, and for the first of two such as `['Authorization', 'Basic ...']`. */
function names(word, isPair) {
    return word.length < 64 && (word.startsWith('--') || isPair) && /^[\w-]+$/.test(word)
        ? isSecretKey(word)
        : false;
}
function redactObject(value, depth, walk) {
    const copy = Object.create(null);
    if (types.isNativeError(value)) {
        for (const key of ['name', 'message', 'stack', 'cause']) {
            const member = read(value, key) ?? (key === 'name' ? 'Error' : undefined);
            if (member !== undefined)
                copy[key] = redactMember(member, depth + 1, walk);
        }
    }
    const label = ['name', 'key', 'header'].map((key) => read(value, key)).find(isSecretLabel);
    for (const key of Object.keys(value)) {
        if (++walk.nodes > MAX_NODES) {
            copy['[more]'] = true;
            break;
        }
        const member = read(value, key);
        let shown = redactText(key);
        while (shown !== key && shown in copy)
            shown += '+';
        if (isSecretKey(key))
            copy[shown] = maskValue(key, member);
        else if (key === 'value' && label !== undefined)
            copy[shown] = maskValue(label, member);
        else
            copy[shown] = redactMember(member, depth + 1, walk);
    }
    return copy;
}
function isSecretLabel(value) {
    return typeof value === 'string' && value.length < 64 && isSecretKey(value);
}
/**
 * A JSON-safe copy with secrets masked: by key at any depth, and by shape in every text. Getters are not
 * called, proxies not touched, cycles and what JSON does not know become placeholders, and the original stays as it is.
 */
export function redactValue(value) {
    return redactMember(value, 0, { nodes: 0, ancestors: new Set() });
}
