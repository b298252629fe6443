import { distance } from '../closest.ts'
import { faultText } from '../fault-text.ts'
import type { ApprovalDecision, AskRequest, Severity } from '../types.ts'
import type { ApprovalRequirement } from './types.ts'

/** What a handler's answer comes to. */
export type Decision =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'block'
      readonly reason: string | undefined
      readonly notice: string | undefined
    }
  | {
      readonly kind: 'act'
      readonly params: Record<string, unknown> | undefined
      readonly approval: ApprovalRequirement | undefined
    }
  /** It is no answer. Never an allow. */
  | { readonly kind: 'bad'; readonly problem: string }

const NONE: Decision = { kind: 'none' }
/** Keys that decide: what looks like one of them is a slip. */
const DECIDING = ['params', 'block', 'blockReason', 'requireApproval', 'allow']

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const bad = (problem: string): Decision => ({ kind: 'bad', problem })

/**
 * Reads the answer of a `before_tool_call` handler or a trusted policy. `{ allow: false }` blocks in both.
 *
 * A misspelt key is a fault: a gate that says `blocked: true` must not become one that says nothing.
 */
export function readDecision(answer: unknown): Decision {
  if (answer === undefined || answer === null) return NONE
  if (!isRecord(answer)) return bad(`answered ${describe(answer)} instead of an object or nothing`)
  try {
    return readRecord(answer)
  } catch (error) {
    return bad(`answered with an object that cannot be read: ${faultText(error)}`)
  }
}

function readRecord(answer: Record<string, unknown>): Decision {
  for (const key of Object.keys(answer)) {
    if (DECIDING.includes(key)) continue
    const meant = DECIDING.find((known) => distance(key.toLowerCase(), known.toLowerCase()) <= 2)
    if (meant !== undefined) return bad(`answered with the key '${key}'; it is called ${meant}`)
  }
  const { block, allow, params, requireApproval } = answer
  for (const [key, value] of [
    ['block', block],
    ['allow', allow],
  ] as const) {
    if (value !== undefined && value !== null && typeof value !== 'boolean') {
      return bad(`${key} must be true or false, not ${describe(value)}`)
    }
  }
  if (block === true || allow === false) {
    const { blockReason, reason, notice } = answer
    const said = block === true ? (blockReason ?? reason) : (reason ?? blockReason)
    return { kind: 'block', reason: text(said), notice: text(notice) }
  }
  if (params !== undefined && params !== null && !isRecord(params)) {
    return bad(`params must be an object, not ${describe(params)}`)
  }
  if (requireApproval !== undefined && requireApproval !== null && !isRecord(requireApproval)) {
    return bad(`requireApproval must be an object, not ${describe(requireApproval)}`)
  }
  if (!params && !requireApproval) return NONE
  return {
    kind: 'act',
    params: params ?? undefined,
    // Field by field, `askRequest` takes nothing on trust.
    approval: (requireApproval ?? undefined) as ApprovalRequirement | undefined,
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

const describe = (value: unknown): string =>
  Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : String(value)

const MAX_TIMEOUT_MS = 600_000
const DECISIONS: readonly unknown[] = ['allow-once', 'allow-always', 'deny']
const SEVERITIES: readonly unknown[] = ['info', 'warning', 'critical']

/**
 * The question of a plugin in the pipeline's words. Who asked is what the host says, whatever the plugin says;
 * undefined leaves it to the hook's name.
 */
export function askRequest(asker: string | undefined, asked: ApprovalRequirement): AskRequest {
  const { timeoutMs, severity, scope, onResolution } = asked
  const decisions = Array.isArray(asked.allowedDecisions)
    ? [...new Set<unknown>(asked.allowedDecisions)].filter((it) => DECISIONS.includes(it))
    : []
  return {
    title: asked.title,
    asker,
    description: typeof asked.description === 'string' ? asked.description : undefined,
    severity: SEVERITIES.includes(severity) ? (severity as Severity) : undefined,
    timeoutMs: askTimeout(timeoutMs),
    allowedDecisions: decisions.length > 0 ? (decisions as ApprovalDecision[]) : undefined,
    scope: typeof scope === 'string' ? scope : undefined,
    onResolution:
      typeof onResolution === 'function' ? (resolution) => onResolution(resolution) : undefined,
  }
}

/** Whole milliseconds within the maximum; undefined, which means the default, for what is no duration. */
export function askTimeout(timeoutMs: unknown): number | undefined {
  if (typeof timeoutMs !== 'number' || !Number.isFinite(timeoutMs)) return undefined
  const whole = Math.floor(timeoutMs)
  return whole > 0 ? Math.min(whole, MAX_TIMEOUT_MS) : undefined
}
