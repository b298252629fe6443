import { canonicalCopy } from '../canonical.ts'
import type {
  ApprovalQuestion,
  AskRequest,
  Facts,
  HookContext,
  Params,
  ToolCall,
} from '../types.ts'
import { type Binding, digestOf } from './digest.ts'
import type { GrantKey } from './grants.ts'
import { makePrompt, type TimeLimits, timeoutOf } from './question.ts'
import type { ApprovalMode, ApprovalRecord, RecordedAsker } from './record.ts'

/** The facts that survive a store: all that are plain data. */
const FACTS = [
  'toolCallId',
  'runId',
  'parentCallId',
  'sessionId',
  'sessionKey',
  'channelId',
  'senderId',
  'correlationId',
  'agentId',
  'requester',
  'toolKind',
  'toolInputKind',
  'derivedPaths',
  'execHost',
  'messageProvider',
  'isStreaming',
  'timestamp',
] as const satisfies ReadonlyArray<keyof Facts>

/** What the queue adds to a question. */
export interface Filing {
  readonly id: string
  readonly mode: ApprovalMode
  readonly now: number
  readonly limits: TimeLimits
  readonly base: string
}

const MAX_SCOPE = 512

/** What a record keeps of an asker. A scope that is no text, blank, or longer than 512 characters is none. */
export function recordedAsker(asker: {
  readonly name: string
  readonly request: AskRequest
}): RecordedAsker {
  const { scope } = asker.request
  const named = typeof scope === 'string' && scope.length <= MAX_SCOPE && scope.trim() !== ''
  return { name: asker.name, scope: named ? scope : undefined }
}

/**
 * Files a question as plain, frozen data.
 *
 * @throws {ToolwareError} `BAD_ARGUMENTS` when the params are no plain data: such a call cannot be approved.
 */
export function makeRecord(
  question: ApprovalQuestion,
  binding: Binding,
  keys: ReadonlyArray<GrantKey | undefined>,
  filing: Filing,
): ApprovalRecord {
  const { ctx, originalParams, askers } = question
  const { id, mode, now, limits, base } = filing
  const remembered = keys.flatMap((key) => (key === undefined ? [] : [key.covers]))
  return Object.freeze({
    id,
    version: 0,
    mode,
    status: 'pending',
    prompt: makePrompt(question, binding, remembered),
    askers: askers.map(recordedAsker),
    callId: ctx.id,
    call: callOf(ctx, originalParams),
    params: canonicalCopy(ctx.params),
    edited: false,
    execEnv: ctx.execEnv && { ...ctx.execEnv },
    base,
    policyVersion: binding.policyVersion ?? undefined,
    digest: digestOf(binding),
    createdAt: now,
    expiresAt:
      now +
      timeoutOf(
        askers.map(({ request }) => request),
        limits,
      ),
  })
}

/** The call as it arrived, as plain data: without its signal, and without trace data that is no plain data. */
function callOf(ctx: HookContext, originalParams: Params): ToolCall {
  const facts: Record<string, unknown> = {}
  for (const name of FACTS) {
    if (ctx[name] !== undefined) facts[name] = ctx[name]
  }
  return canonicalCopy({
    ...facts,
    ...plainTrace(ctx.trace),
    toolName: ctx.toolName,
    params: originalParams,
  })
}

function plainTrace(trace: unknown): { trace?: unknown } {
  if (trace === undefined) return {}
  try {
    return { trace: canonicalCopy(trace) }
  } catch {
    return {}
  }
}
