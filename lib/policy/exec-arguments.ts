import type { BadArgument } from './arguments.ts'
import { finding } from './finding.ts'
import type { PathPolicy } from './paths.ts'
import type { ShellJudge } from './shell/types.ts'

/** What commands of a call are judged with. */
export interface ExecRules {
  readonly shell: ShellJudge
  readonly paths: PathPolicy
  /** The key that restricts commands, for calls whose command cannot be judged at all. */
  readonly rule: string
}

export type Params = Readonly<Record<string, unknown>>

export function own(params: Params, name: string): unknown {
  const value = Object.hasOwn(params, name) ? params[name] : undefined
  return value === null ? undefined : value
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

export function refuse(at: string, reason: string, rule = 'arguments'): BadArgument {
  return { at, found: finding(rule, reason) }
}
