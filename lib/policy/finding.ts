import type { DenyVerdict } from '../types.ts'
import { deny } from '../verdict.ts'

/** Why a policy says no: the rule, words for the model that say what to do, and the value in safe, short form. */
export interface Finding {
  /** The rule that spoke, as the operator would look it up: `workspaceOnly`, `forbiddenPathGlobs: **\/.env`. */
  readonly rule: string
  readonly reason: string
  /** The offending text, escaped and at most 80 characters. */
  readonly value?: string | undefined
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}"\\]/gu
const MAX_VALUE = 80

/** Text that is safe to show: control, bidi and invisible characters escaped, the middle cut out. */
export function shorten(text: string, max: number = MAX_VALUE): string {
  const half = Math.floor((max - 1) / 2)
  const cut = text.length > max ? `${text.slice(0, half)}…${text.slice(-half)}` : text
  return cut.replace(UNSAFE, (c) =>
    c === '"' || c === '\\'
      ? `\\${c}`
      : `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

export function finding(rule: string, reason: string, value?: string): Finding {
  return value === undefined ? { rule, reason } : { rule, reason, value: shorten(value) }
}

/** The deny for a finding about one argument, such as `edits[0].path`. Its name comes from the model's side, too. */
export function denyFor(found: Finding, at?: string): DenyVerdict {
  const { rule, reason, value } = found
  const argument = at && shorten(at)
  const details = { rule, ...(argument && { argument }), ...(value !== undefined && { value }) }
  return deny(argument ? `${argument}: ${reason}` : reason, { rule, details })
}
