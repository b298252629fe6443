import { REFUSED_NAMES, REFUSED_PATTERN, REFUSED_PREFIXES, REQUEST_NAMES } from './env-names.ts'

/** Who set the variables: a plugin the operator installed, or the model's own call. */
export type EnvSource = 'plugin' | 'request'

/** A variable that was left out, and why. */
export interface DroppedVariable {
  readonly name: string
  readonly reason: string
}

/** What {@link filterExecEnv} lets through, and what it does not. */
export interface FilteredEnv {
  /** Without a prototype, frozen. */
  readonly env: Readonly<Record<string, string>>
  readonly dropped: readonly DroppedVariable[]
}

/** What {@link filterExecEnv} takes beside the variables. */
export interface EnvFilterOptions {
  readonly source: EnvSource
  /** More names that a request may set. The refused ones stay refused. */
  readonly allow?: readonly string[] | undefined
}

const MAX_VALUE = 32_768

/** Encodings in which a letter never ends in a byte that means something to a shell; in GBK, `\\` may end one. */
const PLAIN_ENCODING = /^(?:utf-?8|(?:us-?)?ascii|iso-?8859-?\d+|euc-?\w*)$/i

function isMisleading(locale: string): boolean {
  const encoding = /\.([^@]*)/.exec(locale)?.[1]
  return encoding === undefined
    ? /^(?:zh|[st]?chinese)/i.test(locale)
    : !PLAIN_ENCODING.test(encoding)
}

function refusal(name: string, value: unknown, options: EnvFilterOptions): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name === '__proto__') {
    return 'this is no name of a variable'
  }
  if (typeof value !== 'string') return 'its value is not text'
  if (value.includes('\0')) return 'its value holds a NUL character'
  if (value.length > MAX_VALUE) return `its value is longer than ${MAX_VALUE} characters`
  const upper = name.toUpperCase()
  if (
    REFUSED_NAMES.has(upper) ||
    REFUSED_PATTERN.test(upper) ||
    REFUSED_PREFIXES.some((prefix) => upper.startsWith(prefix))
  ) {
    return 'it changes what programs load, run, trust or reveal'
  }
  if (options.source === 'plugin') return undefined
  const isListed = REQUEST_NAMES.has(upper) || /^LC_[A-Z]+$/.test(upper)
  if (isListed) {
    if (/^[/:~]|\.\./.test(value)) return 'its value is a path, where a plain setting is expected'
    const isEncoding = upper === 'LANG' || upper.startsWith('LC_')
    return isEncoding && isMisleading(value)
      ? 'its encoding can change what a command means'
      : undefined
  }
  if (options.allow?.includes(name)) return undefined
  return 'a call may set LANG, LC_*, TERM, COLORTERM, NO_COLOR, FORCE_COLOR, TZ and CI only'
}

/**
 * Filters the environment of an exec tool. `plugin` drops what could make programs load, run, trust or reveal
 * something else; `request` lets only a short list through. Names are compared in upper case.
 *
 * @example const { env, dropped } = filterExecEnv({ CI: '1', LD_PRELOAD: './x.so' }, { source: 'plugin' })
 */
export function filterExecEnv(
  env: Readonly<Record<string, unknown>>,
  options: EnvFilterOptions,
): FilteredEnv {
  const kept: Record<string, string> = Object.create(null)
  const dropped: DroppedVariable[] = []
  for (const [name, value] of Object.entries(env)) {
    const reason = refusal(name, value, options)
    if (reason === undefined) kept[name] = value as string
    else dropped.push({ name, reason })
  }
  return { env: Object.freeze(kept), dropped }
}
