import type { Run } from './context.ts'
import { ToolwareError } from './errors.ts'
import { asText, type Fault, messageOf } from './outcome.ts'
import type { OpinionRecord } from './rare.ts'
import { isThenable, whenSettled } from './settled.ts'
import type { AnyHook, FailureCause, HookContext, MaybePromise, Outcome } from './types.ts'
import { isVerdict } from './verdict.ts'

type Handler = (ctx: HookContext) => unknown
type OutHandler = (ctx: HookContext, outcome: Outcome) => unknown
type ExecEnv = Readonly<Record<string, string>>

/** A hook as the pipeline keeps it: both shapes of hooks in one, read once, so that later changes have no effect. */
export interface Entry {
  readonly hook: AnyHook
  readonly name: string
  readonly check: Handler | undefined
  readonly before: Handler | undefined
  readonly after: OutHandler | undefined
  readonly skipped: OutHandler | undefined
  readonly resolveExecEnv: ((ctx: HookContext) => MaybePromise<ExecEnv | undefined>) | undefined
  readonly failOpen: readonly FailureCause[]
  readonly timeoutMs: number | undefined
  readonly detached: boolean
  /** The place in the pipeline's list; hooks inside a middleware function have the function's. */
  readonly position: number
}

/** One handler of the way in. */
export interface Step {
  readonly entry: Entry
  /** The entry's index in its ring. */
  readonly index: number
  readonly phase: 'check' | 'before'
  readonly hook: AnyHook
  readonly handler: Handler
}

/** The handlers of the way in, in the order in which they run. */
export function stepsOf(entries: readonly Entry[], only?: 'check'): readonly Step[] {
  const steps: Step[] = []
  entries.forEach((entry, index) => {
    if (entry.check)
      steps.push({ entry, index, phase: 'check', hook: entry.hook, handler: entry.check })
    if (entry.before && only === undefined) {
      steps.push({ entry, index, phase: 'before', hook: entry.hook, handler: entry.before })
    }
  })
  return steps
}

const ignore = (): void => undefined

/** Lets a promise go: whatever it rejects with later concerns nobody. */
export function abandon(work: PromiseLike<unknown>): void {
  void whenSettled(work, ignore, ignore)
}

/**
 * Way in, from step `s` on, until all have answered, one blocks (`run.outcome` is set), or one is pending
 * (`run.pending` is set). Answers the step it came to.
 */
export function advance(run: Run, steps: readonly Step[], s: number): number {
  return run.settings.timesHooks ? timed(run, steps, s, stepOn) : stepOn(run, steps, s)
}

/** Counts the time that handlers take before they answer or return a promise. */
function timed<T>(
  run: Run,
  list: readonly T[],
  from: number,
  walk: (run: Run, list: readonly T[], from: number) => number,
): number {
  const began = performance.now()
  const at = walk(run, list, from)
  run.rare.hookMs += performance.now() - began
  return at
}

function stepOn(run: Run, steps: readonly Step[], s: number): number {
  for (; s < steps.length; s++) {
    const step = steps[s] as Step
    try {
      const answer = step.handler.call(step.hook, run.view)
      if (!isSilent(answer)) {
        if (isThenable(answer)) {
          // The caller gave up inside the handler: nobody is going to wait for it.
          if (run.outcome !== undefined) abandon(answer)
          run.pending = answer
          return s
        }
        applyAnswer(run, step, answer)
      }
    } catch (error) {
      handlerFailed(run, step, 'error', error)
    }
    // Blocked, or the caller gave up inside the handler.
    if (run.outcome !== undefined) return s
  }
  return s
}

/** No opinion: `true`, `undefined` or `null`. */
function isSilent(answer: unknown): boolean {
  return typeof answer === 'boolean' ? answer : answer === undefined || answer === null
}

/** Takes one answer into account. What is no verdict is a fault of the hook, never an allow. */
export function applyAnswer(run: Run, step: Step, answer: unknown): void {
  if (isSilent(answer)) return
  try {
    judge(run, step, answer)
  } catch (error) {
    // To look at an answer may be to run code of the hook's.
    badAnswer(run, step, `gave an answer that cannot be read (${messageOf(error)})`)
  }
}

function judge(run: Run, step: Step, answer: unknown): void {
  const { entry, phase } = step
  const { name: hook, position } = entry
  if (answer === false) {
    note(run, step, { opinion: 'deny', code: 'DENIED' })
    run.block({ code: 'DENIED', by: hook })
    return
  }
  if (!isVerdict(answer)) return badAnswer(run, step, `answered ${describe(answer)}`)
  if (answer.kind === 'deny') {
    const { code = 'DENIED', reason, rule, notice, retryAfterMs, details } = answer
    note(run, step, { opinion: 'deny', code, reason, rule })
    run.block({ code, by: hook, reason, rule, notice, retryAfterMs, details })
    return
  }
  if (answer.kind === 'ask') {
    note(run, step, { opinion: 'ask', reason: answer.request.title })
    run.addAsk(hook, entry, phase, answer.request)
    return
  }
  if (phase === 'check') return badAnswer(run, step, 'rewrote the params in check; do it in before')
  if (answer.ask !== undefined && !isVerdict(answer.ask)) {
    return badAnswer(run, step, 'gave rewrite() an ask that ask() did not make')
  }
  const { params } = run
  const problem = run.replaceParams(answer.params, position)
  if (problem !== undefined) {
    // The question goes with the call, and whoever asked is told so.
    if (answer.ask !== undefined) run.addAsk(hook, entry, phase, answer.ask.request)
    return badAnswer(run, step, `rewrote the params: ${problem}`)
  }
  note(run, step, {
    opinion: 'rewrite',
    reason: answer.ask?.request.title,
    params: run.params,
  })
  if (answer.ask !== undefined) run.addAsk(hook, entry, phase, answer.ask.request)
  else if (run.rareIfAny?.fixedBy !== undefined && run.params !== params) {
    run.block({ code: 'PARAMS_CHANGED_AFTER_APPROVAL', by: hook, reason: run.rareIfAny?.fixedBy })
  }
}

/** For `explain`. */
function note(run: Run, { entry, phase }: Step, said: Omit<OpinionRecord, 'hook' | 'phase'>): void {
  const now = run.rechecking ? 'recheck' : phase
  run.note({ hook: entry.name, phase: now, ...said }, entry.position)
}

function badAnswer(run: Run, step: Step, what: string): void {
  const { name } = step.entry
  const reason = `${step.phase} ${what}. Allowed: true, null or nothing; false, deny(), ask(), and rewrite() in before.`
  const error = new ToolwareError('HOOK_BAD_ANSWER', `${name}: ${reason}`)
  run.report(name, step.phase, error)
  note(run, step, { opinion: 'failed', code: 'HOOK_BAD_ANSWER', reason })
  const shown = run.settings.exposeErrors ? reason : 'hook failed'
  run.block({ code: 'HOOK_BAD_ANSWER', by: name, reason: shown, error })
}

function describe(value: unknown): string {
  const text = typeof value === 'function' ? 'a function' : asText(value)
  return `${typeof value} ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
}

/** A handler of the way in threw or gave no answer in time: blocks, unless the hook chose otherwise for that cause. */
export function handlerFailed(run: Run, step: Step, cause: FailureCause, error: unknown): void {
  const { entry, phase } = step
  run.report(entry.name, phase, error)
  const code = cause === 'timeout' ? 'HOOK_TIMEOUT' : 'HOOK_FAILED'
  const open = entry.failOpen.includes(cause)
  const message = messageOf(error)
  note(run, step, { opinion: 'failed', code, reason: message })
  if (open) {
    const fields = { hook: entry.name, phase, tool: run.toolName, cause }
    run.settings.ownLog.warn(
      fields,
      `hook ${entry.name} failed (${message}); the call goes on, as its failOpen says`,
    )
    return
  }
  run.block(hookFault(run, code, entry.name, error))
}

/** The fault of a hook or middleware that threw. Its message reaches the model only with `exposeErrors`. */
export function hookFault(run: Run, code: Fault['code'], by: string, error: unknown): Fault {
  const reason = run.settings.exposeErrors ? `hook failed: ${messageOf(error)}` : 'hook failed'
  return { code, by, reason, error }
}

/**
 * Way out, from the entry at `i` inwards to outwards, until all have been called or one is pending
 * (`run.pending` is set). Answers the index of the pending one, or -1. Nothing a handler does can harm the call.
 */
export function retreat(run: Run, entries: readonly Entry[], i: number): number {
  return run.settings.timesHooks ? timed(run, entries, i, stepBack) : stepBack(run, entries, i)
}

function stepBack(run: Run, entries: readonly Entry[], i: number): number {
  const outcome = run.shown
  // The call is not over: its end is told when it is resumed.
  if (outcome.status === 'pending') return -1
  const { ran } = run
  for (; i >= 0; i--) {
    const entry = entries[i] as Entry
    const handler = ran ? entry.after : entry.skipped
    if (handler === undefined) continue
    try {
      const work = handler.call(entry.hook, run.view, outcome)
      if (!isThenable(work)) continue
      if (entry.detached) run.settings.detach(leaveBehind(run, entry, work))
      else if (run.rareIfAny?.budgetSpent) leaveBehind(run, entry, work)
      else {
        run.pending = work
        return i
      }
    } catch (error) {
      run.report(entry.name, ran ? 'after' : 'skipped', error)
    }
  }
  return -1
}

/** Work of the way out that the call does not wait for. Its faults are reported; the answer never rejects. */
export function leaveBehind(run: Run, entry: Entry, work: PromiseLike<unknown>): Promise<unknown> {
  const phase = run.ran ? 'after' : 'skipped'
  return whenSettled(work, ignore, (error) => run.report(entry.name, phase, error))
}
