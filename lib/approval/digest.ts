import { timingSafeEqual } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { canonicalDigest } from '../canonical.ts'
import type { CallContext, Params } from '../types.ts'

/** What an approval binds to. A person approved this and nothing else. */
export interface Binding {
  /** Name and kind: tools that share a name on purpose stay apart. */
  readonly tool: readonly [name: string, kind: string | null]
  readonly params: Params
  readonly session: readonly [id: string | null, key: string | null]
  readonly workingDirectory: string
  readonly execEnv: Readonly<Record<string, string>> | null
  readonly policyVersion: string | null
}

/** The facts of a call that a {@link Binding} is made of. */
export type BoundFacts = Pick<
  CallContext,
  'toolName' | 'toolKind' | 'sessionId' | 'sessionKey' | 'execEnv'
>

/** Argument names that say where a tool works. */
const DIRECTORY_KEYS: ReadonlySet<string> = new Set([
  'cwd',
  'workdir',
  'workingdir',
  'workingdirectory',
])

/** Binds a call with these params, run under `base`, to what is true on disk now. */
export function bind(
  facts: BoundFacts,
  params: Params,
  base: string,
  policyVersion: string | undefined,
): Binding {
  return {
    tool: [facts.toolName, facts.toolKind ?? null],
    params,
    session: [facts.sessionId ?? null, facts.sessionKey ?? null],
    workingDirectory: realDirectory(params, base),
    execEnv: facts.execEnv ?? null,
    policyVersion: policyVersion ?? null,
  }
}

/** The sha256 of a binding in canonical form. */
export function digestOf(binding: Binding): string {
  return canonicalDigest(binding)
}

/** Compares two digests in constant time. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * The directory a call would work in, links resolved: the one its params name (`cwd`, `workdir`,
 * `working_directory`), relative to `base`. One that does not exist is marked, so that making it is a change.
 */
function realDirectory(params: Params, base: string): string {
  let directory = base
  for (const [key, value] of Object.entries(params)) {
    if (typeof value !== 'string' || value === '') continue
    if (DIRECTORY_KEYS.has(key.toLowerCase().replace(/[_-]/g, ''))) directory = resolve(base, value)
  }
  try {
    return realpathSync(directory)
  } catch {
    return `missing:${directory}`
  }
}
