import { escapeJson } from '../lib/audit-file.ts'
import type { Explanation } from '../lib/explain.ts'
import { messageOf } from '../lib/outcome.ts'
import type { Outcome, Params, ToolCall } from '../lib/types.ts'

/** A line of `toolware check`. Keys that do not apply are null. */
export interface VerdictLine {
  readonly toolCallId: string | null
  readonly toolName: string | null
  readonly verdict: 'allow' | 'deny' | 'ask' | null
  readonly by: string | null
  readonly code: string | null
  readonly reason: string | null
  readonly rule: string | null
  readonly params: Params
}

/** A line of `toolware run`: the keys of a verdict, and what became of the call. */
export interface OutcomeLine extends VerdictLine {
  readonly status: Outcome['status']
  readonly executed: boolean
  readonly durationMs: number
  readonly text: string
}

function names(call: ToolCall): Pick<VerdictLine, 'toolCallId' | 'toolName'> {
  return {
    toolCallId: call.toolCallId ?? null,
    // It may be anything: the pipeline has blocked it then.
    toolName: typeof call.toolName === 'string' ? call.toolName : null,
  }
}

export function verdictLine(call: ToolCall, explanation: Explanation): VerdictLine {
  const { verdict, by, code, reason, rule, params } = explanation
  return { ...names(call), verdict, by, code, reason, rule, params }
}

/** @param params As the tool got them, or as they were when the call ended. */
export function outcomeLine(call: ToolCall, outcome: Outcome, params: Params): OutcomeLine {
  const { status, executed, text } = outcome
  const fault = outcome.failed ? outcome : undefined
  return {
    ...names(call),
    verdict: verdictOf(outcome),
    by: fault?.by ?? null,
    code: fault?.code ?? null,
    reason: fault?.reason ?? (outcome.status === 'failed' ? messageOf(outcome.error) : null),
    rule: fault?.rule ?? null,
    params,
    status,
    executed,
    durationMs: Math.round(outcome.durationMs * 1000) / 1000,
    text,
  }
}

/** What the policies said: of a call that nobody could be asked about, `ask`; of an aborted one, nothing. */
function verdictOf(outcome: Outcome): VerdictLine['verdict'] {
  if (outcome.status === 'pending') return 'ask'
  if (outcome.status === 'aborted') return outcome.executed ? 'allow' : null
  if (outcome.status !== 'blocked') return 'allow'
  return outcome.code === 'APPROVAL_UNAVAILABLE' ? 'ask' : 'deny'
}

/** JSON on one line that is harmless on a terminal. */
export function jsonLine(value: object): string {
  return `${escapeJson(JSON.stringify(value))}\n`
}
