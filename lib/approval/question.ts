import type {
  ApprovalDecision,
  ApprovalQuestion,
  ApprovalResolution,
  AskRequest,
  Severity,
} from '../types.ts'
import type { Binding } from './digest.ts'
import { type SafeText, safeText, showParams } from './prompt.ts'
import type { ApprovalPrompt } from './record.ts'

/** The decisions there are, in the order they are offered. */
export const DECISIONS: readonly ApprovalDecision[] = ['allow-once', 'allow-always', 'deny']

const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical']
const MAX_TITLE = 80
const MAX_DESCRIPTION = 512
const MAX_NAME = 80

/** Default and upper bound of the time a person has, in milliseconds. */
export interface TimeLimits {
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
}

/** One prompt out of everything the askers want: the strictest of each. */
export function makePrompt(
  question: ApprovalQuestion,
  binding: Binding,
  remembered: readonly string[],
): ApprovalPrompt {
  const { ctx, originalParams, askers } = question
  const shown = askers.map(({ name, request }) => ({
    name: safeText(name, MAX_NAME).text,
    title: noted(
      question,
      name,
      'title',
      safeText(titleOf(request, name, ctx.toolName), MAX_TITLE),
    ),
    description:
      typeof request.description === 'string' && request.description !== ''
        ? noted(question, name, 'description', safeText(request.description, MAX_DESCRIPTION))
        : undefined,
  }))
  const rewritten = originalParams !== ctx.params
  const decisions = decisionsOf(askers.map(({ request }) => request))
  const covered = decisions.includes('allow-always') ? remembered : []
  return {
    title: shown[0]?.title ?? '',
    description: shown[0]?.description,
    severity: highest(askers.map(({ request }) => request.severity)),
    askers: shown,
    toolName: safeText(ctx.toolName, MAX_NAME * 2).text,
    params: showParams(ctx.params),
    originalParams: rewritten ? showParams(originalParams) : undefined,
    execEnv: binding.execEnv === null ? undefined : showParams(binding.execEnv),
    workingDirectory: safeText(binding.workingDirectory, MAX_DESCRIPTION).text,
    decisions,
    editable: askers.length > 0 && askers.every(({ request }) => request.editable === true),
    remembered: covered.map((text) => safeText(text, MAX_DESCRIPTION).text),
  }
}

/** What all askers let a person answer. `deny` always is; a list without any known decision counts as none given. */
export function decisionsOf(requests: readonly AskRequest[]): readonly ApprovalDecision[] {
  const lists = requests.map(({ allowedDecisions }) => {
    const known = Array.isArray(allowedDecisions)
      ? DECISIONS.filter((decision) => allowedDecisions.includes(decision))
      : []
    return known.length === 0 ? DECISIONS : known
  })
  return DECISIONS.filter((d) => d === 'deny' || lists.every((list) => list.includes(d)))
}

/** The shortest time an asker grants. What is no positive whole number of milliseconds counts as the default. */
export function timeoutOf(requests: readonly AskRequest[], limits: TimeLimits): number {
  const times = requests.map(({ timeoutMs }) => {
    const whole =
      typeof timeoutMs === 'number' && Number.isFinite(timeoutMs) ? Math.floor(timeoutMs) : 0
    return whole > 0 ? whole : limits.timeoutMs
  })
  return Math.min(limits.maxTimeoutMs, ...times)
}

/**
 * Tells every asker what came of its question: each once, in order, not awaited. What a callback throws or rejects
 * with is logged under the asker's name.
 */
export function tellOnce(question: ApprovalQuestion): (resolution: ApprovalResolution) => void {
  let told = false
  return (resolution) => {
    if (told) return
    told = true
    for (const { name, request } of question.askers) {
      const report = (error: unknown): void =>
        question.ctx.log.error({ hook: name, err: error }, 'onResolution failed')
      try {
        Promise.resolve(request.onResolution?.(resolution)).catch(report)
      } catch (error) {
        report(error)
      }
    }
  }
}

function highest(given: ReadonlyArray<Severity | undefined>): Severity {
  const ranks = given.map((severity) => {
    const rank = SEVERITIES.indexOf(severity ?? 'warning')
    return rank === -1 ? SEVERITIES.indexOf('warning') : rank
  })
  return SEVERITIES[Math.max(...ranks)] ?? 'warning'
}

function titleOf(request: AskRequest, asker: string, toolName: string): string {
  const { title } = request
  return typeof title === 'string' && title.trim() !== ''
    ? title
    : `${asker} asks about ${toolName}`
}

function noted(question: ApprovalQuestion, hook: string, what: string, safe: SafeText): string {
  if (safe.cut) {
    question.ctx.log.warn(
      { hook, shown: safe.text },
      `the ${what} of an ask is too long and was cut`,
    )
  }
  return safe.text
}
