import { createHash } from 'node:crypto'

/**
 * The hash chain of an audit file. Each record carries `seq`, counted from 1, `prev`, the hash of the
 * record before, and as its last member `hash`: SHA-256 over the line without that member. Because the file's last
 * records could be cut off unseen, the newest link also stands in a file of its own, `<file>.head`.
 *
 * @module
 */

/** Where a chain stands: the number and the hash of a record. */
export interface Link {
  readonly seq: number
  readonly hash: string
}

/** What the first record links to. */
export const GENESIS: Link = Object.freeze({ seq: 0, hash: '0'.repeat(64) })

const HASH = /^[0-9a-f]{64}$/
/** How a line begins that a crash cut short: as records do, or with what a disk puts in place of lost text. */
const TORN = /^[{\0]/
const TAIL = /,"hash":"([0-9a-f]{64})"\}$/

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Adds `seq`, `prev` and `hash` to the JSON text of a record with at least one member. */
export function seal(
  record: string,
  previous: Link,
): { readonly line: string; readonly link: Link } {
  const seq = previous.seq + 1
  const open = `${record.slice(0, -1)},"seq":${seq},"prev":"${previous.hash}"`
  const hash = sha256(`${open}}`)
  return { line: `${open},"hash":"${hash}"}`, link: { seq, hash } }
}

/** The text of a `.head` file. */
export function formatHead(link: Link): string {
  return `${JSON.stringify({ seq: link.seq, hash: link.hash })}\n`
}

/** Reads a `.head` file; undefined when it is none. */
export function parseHead(text: string): Link | undefined {
  const value = parseObject(text)
  return value && isLink(value) ? { seq: value.seq, hash: value.hash } : undefined
}

/** The link of a record, or undefined for a line that is no intact record of a chain. */
export function readLink(line: string): Link | undefined {
  const record = readSealed(line)
  return record && { seq: record.seq, hash: record.hash }
}

interface Sealed extends Link {
  readonly prev: string
  readonly event?: unknown
  readonly id?: unknown
}

function readSealed(line: string): Sealed | undefined {
  const hash = TAIL.exec(line)?.[1]
  if (hash === undefined) return undefined
  if (sha256(`${line.slice(0, TAIL_LENGTH)}}`) !== hash) return undefined
  const value = parseObject(line)
  if (!value || !isLink(value) || typeof value.prev !== 'string') return undefined
  return { ...value, seq: value.seq, hash, prev: value.prev }
}

/** Length of `,"hash":"<64>"}` as a negative offset. */
const TAIL_LENGTH: number = -(',"hash":""}'.length + 64)

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function isLink(value: Record<string, unknown>): value is Record<string, unknown> & Link {
  const { seq, hash } = value
  return (
    Number.isSafeInteger(seq) && (seq as number) >= 0 && typeof hash === 'string' && HASH.test(hash)
  )
}

/** Something that is not as it was written. `line` counts from 1; 0 is the end of the file. */
export interface ChainProblem {
  readonly line: number
  readonly problem: string
}

/** What {@link verifyChain} found. */
export interface ChainReport {
  /** Records that are intact. */
  readonly records: number
  /** At most 100; `ok` counts them all. */
  readonly problems: readonly ChainProblem[]
  /** Lines that a crash cut short. No record is missing for them. */
  readonly torn: readonly number[]
  /** Calls that arrived and have no end record: interrupted, or still running. */
  readonly interrupted: readonly string[]
  /** The last intact record. */
  readonly last: Link
  readonly ok: boolean
}

const MAX_LISTED = 100

/**
 * Checks a chain line by line: finds every edit, removal, insertion and reordering of records. Somebody who
 * can write the file and its head can still replace both whole; keep a copy of the head elsewhere against that.
 *
 * @param head The newest link as it was written beside the file; without it records missing at the end are not seen.
 */
export async function verifyChain(
  lines: AsyncIterable<string> | Iterable<string>,
  head?: Link,
): Promise<ChainReport> {
  const problems: ChainProblem[] = []
  const torn: number[] = []
  const open = new Map<unknown, number>()
  let last = GENESIS
  let count = 0
  let records = 0
  let number = 0
  const report = (line: number, problem: string): void => {
    count++
    if (problems.length < MAX_LISTED) problems.push({ line, problem })
  }
  for await (const line of lines) {
    number++
    if (line === '') continue
    const record = readSealed(line)
    if (record === undefined) {
      if (parseObject(line) !== undefined) {
        report(
          number,
          'the record does not match its hash: it was edited, or is no part of the chain',
        )
      } else if (TORN.test(line)) torn.push(number)
      else report(number, 'the line is no record, nor the beginning of one')
      continue
    }
    records++
    const problem = gap(record, last)
    if (problem) report(number, problem)
    if (head !== undefined && record.seq === head.seq && record.hash !== head.hash) {
      report(number, `record ${record.seq} is not the one that the head file names`)
    }
    if (record.seq > last.seq || !problem) last = { seq: record.seq, hash: record.hash }
    if (record.event === 'arrived') open.set(record.id, number)
    else if (record.event === 'ended') open.delete(record.id)
  }
  if (head !== undefined && head.seq > last.seq) {
    report(0, `${missing(last.seq + 1, head.seq)} missing at the end of the file`)
  }
  const interrupted = [...open.keys()].map(String)
  return { records, problems, torn, interrupted, last, ok: count === 0 }
}

function gap(record: Sealed, last: Link): string | undefined {
  if (record.seq === last.seq + 1) {
    if (record.prev === last.hash) return undefined
    return `record ${record.seq} does not follow the record before it: one of them was replaced`
  }
  if (record.seq <= last.seq)
    return `record ${record.seq} comes after record ${last.seq}: moved or repeated`
  return `${missing(last.seq + 1, record.seq - 1)} missing before record ${record.seq}`
}

function missing(from: number, to: number): string {
  return from === to ? `record ${from} is` : `records ${from} to ${to} are`
}
