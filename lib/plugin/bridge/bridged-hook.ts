import { ToolwareError } from '../../errors.ts'
import { asText } from '../../outcome.ts'
import type {
  CallContext,
  DenyVerdict,
  ErrorCode,
  FailureCause,
  HookContext,
  MaybePromise,
  Outcome,
  ToolHook,
} from '../../types.ts'
import { deny } from '../../verdict.ts'
import { readHookAnswer } from './answers.ts'
import type { AfterParams, Answer, Dialect, HookParams } from './protocol.ts'

/** What a bridged hook asks of the plugin behind it. */
export interface HookSource {
  readonly id: string
  readonly failOpen: readonly FailureCause[]
  /** Undefined: the plugin does not listen to calls before they run, so there is nothing to ask. */
  judge(ctx: HookContext): Promise<DenyVerdict | null> | DenyVerdict | undefined
  tell(ctx: HookContext, outcome: Outcome): void
}

// The bridge has its own, more patient rule: it reads the pipe before it calls an answer late.
const NO_DEADLINE_MS = Number.POSITIVE_INFINITY

/**
 * The hook of a plugin in a child process. It only ever denies or says nothing; `check` runs again, with
 * `recheck: true` on the wire, when params changed.
 */
export function bridgedHook(source: HookSource): ToolHook {
  return {
    name: `plugin:${source.id}`,
    // Silence is judged by the bridge; a handler that threw is the engine's to judge.
    failOpen: source.failOpen.filter((cause) => cause === 'error'),
    timeoutMs: NO_DEADLINE_MS,
    check: (ctx): MaybePromise<DenyVerdict | null> => source.judge(ctx) ?? null,
    after: (ctx, outcome) => source.tell(ctx, outcome),
  }
}

/** The facts of a call for `hook_before`. */
export function hookParams(
  ctx: CallContext,
  eventName: string,
  recheck: boolean = false,
): HookParams {
  return {
    eventName,
    toolName: ctx.toolName,
    arguments: ctx.argumentsJson,
    sessionId: ctx.sessionId,
    channelId: ctx.channelId,
    senderId: ctx.senderId,
    correlationId: ctx.correlationId,
    toolCallId: ctx.toolCallId ?? ctx.id,
    recheck: recheck || undefined,
  }
}

/** The facts of a call and what became of it, for `hook_after`. */
export function afterParams(
  ctx: CallContext,
  outcome: Outcome,
  eventName: string,
  maxResult: number,
): AfterParams {
  const text = outcome.status === 'completed' ? asText(outcome.result) : outcome.text
  return {
    ...hookParams(ctx, eventName),
    result: text.length > maxResult ? `${text.slice(0, maxResult - 1)}…` : text,
    durationMs: outcome.durationMs,
    failed: outcome.failed,
  }
}

/** What an answer to `hook_before` means. Silence is for the caller to judge. */
export function verdictOf(
  plugin: string,
  dialect: Dialect,
  answer: Exclude<Answer, { kind: 'silent' }>,
): DenyVerdict | null {
  switch (answer.kind) {
    case 'result': {
      const read = readHookAnswer(dialect, answer.value)
      if ('problem' in read) return refusal('PLUGIN_BAD_ANSWER', plugin, read.problem)
      return read.allow ? null : deny(read.reason, { details: { plugin } })
    }
    case 'error':
      throw new ToolwareError('HOOK_FAILED', `plugin ${plugin} failed: ${answer.message}`, {
        details: { plugin },
      })
    case 'bad':
      return refusal('PLUGIN_BAD_ANSWER', plugin, answer.problem)
    case 'gone':
      return refusal('PLUGIN_UNAVAILABLE', plugin, answer.problem)
    case 'cancelled':
      // The call was given up; nobody reads this.
      return null
  }
}

/** A deny because of the plugin's state, not its opinion. */
export function refusal(
  code: ErrorCode,
  plugin: string,
  problem: string,
  retryAfterMs?: number,
): DenyVerdict {
  return deny(`plugin ${plugin} ${problem}`, { code, retryAfterMs, details: { plugin } })
}
