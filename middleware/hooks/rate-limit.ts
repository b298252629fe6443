import { createHash } from 'node:crypto'
import { z } from 'zod'
import { vetObject } from '../../lib/known-options.ts'
import { toolNames } from '../../lib/policy/tool-names.ts'
import {
  examplesSection,
  holdExamples,
  type PolicyExamples,
} from '../../lib/policy/tool-section.ts'
import { readOptions } from '../../lib/read-options.ts'
import { type LimitState, memoryState, type Taken } from '../../lib/state/memory.ts'
import type {
  Answer,
  DenyVerdict,
  FailureCause,
  HookContext,
  MaybePromise,
  Opinion,
  Outcome,
} from '../../lib/types.ts'
import { deny } from '../../lib/verdict.ts'

/** What calls are counted by. */
export type RateScope = 'sender' | 'session' | 'agent' | 'channel' | 'tool'

/** One of the `rateLimits` of a configuration. */
export interface RateLimitSection {
  /** Globs over tool names, compared without case. Default: every tool. */
  readonly tools?: readonly string[] | undefined
  /** Each combination of these has a window of its own. Default: one window for all calls. */
  readonly per?: readonly RateScope[] | undefined
  /** Calls that may start in a window. */
  readonly limit: number
  /** Default 60 000. */
  readonly windowMs?: number | undefined
  /** `['error']` lets calls pass while the state cannot be reached. Default: they are blocked. */
  readonly failOpen?: readonly FailureCause[] | undefined
  /** Calls that must be judged so when they come one after the other, first the allowed ones. Checked at load. */
  readonly examples?: PolicyExamples | undefined
}

/** A limit in a configuration. */
export const count: z.ZodType<number> = z.int().positive()
export const failOpenSection: z.ZodType<FailureCause[]> = z.array(z.enum(['error', 'timeout']))

/** The schema of one of the `rateLimits`. */
export const rateLimitSection: z.ZodType<RateLimitSection> = z.strictObject({
  tools: z.array(z.string()).optional(),
  per: z.array(z.enum(['sender', 'session', 'agent', 'channel', 'tool'])).optional(),
  limit: count,
  windowMs: count.optional(),
  failOpen: failOpenSection.optional(),
  examples: examplesSection.optional(),
})

/** Options of {@link rateLimit}. */
export interface RateLimitOptions extends RateLimitSection {
  /** Default: memory of this process. */
  readonly state?: LimitState | undefined
  /** Milliseconds since the epoch, for the default state. Default: the pipeline's clock. */
  readonly clock?: (() => number) | undefined
  /** Names the counters and stands in messages. Two limits that share a state need different ones. Default `rateLimit`. */
  readonly id?: string | undefined
}

/** The hook that {@link rateLimit} makes. */
export interface RateLimitHook {
  readonly name: 'RateLimit'
  readonly failOpen: readonly FailureCause[]
  before(ctx: HookContext): MaybePromise<Answer>
  after(ctx: HookContext, outcome: Outcome): unknown
  skipped(ctx: HookContext, outcome: Outcome): unknown
}

/**
 * Lets at most `limit` calls start in a window; the window starts with its first call. Refused calls consume nothing,
 * and a call that never started gives its place back. Calls without a sender (session ...) share one window.
 *
 * The model reads how long to wait; the outcome has it as `retryAfterMs`, with code `RATE_LIMITED`.
 *
 * @throws {ToolwareError} `CONFIG` for a wrong option.
 * @example app.use(rateLimit({ tools: ['web_*'], per: ['sender'], limit: 30, windowMs: 60_000 }))
 */
export function rateLimit(options: RateLimitOptions): RateLimitHook {
  vetObject(options, 'rateLimit')
  const { state, clock, id = 'rateLimit', ...given } = options
  const section = readOptions(rateLimitSection, given, id)
  const { per = [], limit, windowMs = 60_000, failOpen = [], tools } = section
  const names = tools && toolNames(tools, `${id}.tools`)
  const rate = { limit, rule: `${id}: ${limit} per ${span(windowMs)}` }
  const rateFor = ({ toolName }: LimitedCall): Rate | undefined =>
    !names || names.folded(toolName) !== undefined ? rate : undefined
  const limits = { id, per, windowMs, failOpen, rateFor }
  holdExamples(section.examples, `${id}.examples`, exampleJudge(limits))
  return {
    name: 'RateLimit',
    failOpen,
    ...limiter({ ...limits, state: state ?? memoryState({ clock }) }),
  }
}

/** The limit that holds for one call. */
export interface Rate {
  readonly limit: number
  /** As the operator would look it up. */
  readonly rule: string
}

/** What {@link limiter} needs. */
export interface LimiterOptions {
  readonly id: string
  readonly per: readonly RateScope[]
  readonly windowMs: number
  readonly state: LimitState
  readonly failOpen: readonly FailureCause[]
  /** Undefined: the call is not limited. Must answer the same for one call each time. */
  rateFor(ctx: LimitedCall): Rate | undefined
}

/** What a limit looks at. */
export type LimitedCall = Pick<
  HookContext,
  'id' | 'toolName' | 'senderId' | 'sessionId' | 'agentId' | 'channelId' | 'log' | 'clock'
>

/** Judges examples with counters of their own: all of them come at once, from nobody. */
export function exampleJudge(
  options: Omit<LimiterOptions, 'state'>,
): (call: { readonly toolName: string }) => Opinion {
  const { before } = limiter({ ...options, state: memoryState() })
  let n = 0
  // Memory answers at once and never fails, so there is nothing to wait for or to log.
  return ({ toolName }) =>
    before({ toolName, id: `example-${n++}`, clock: () => 0 } as HookContext) as Opinion
}

/** The three phases of a limit: take a slot, keep it when the tool started, give it back when not. */
export function limiter(options: LimiterOptions): Omit<RateLimitHook, 'name' | 'failOpen'> {
  const { id, per, windowMs, state, failOpen } = options

  function down(ctx: HookContext, error: unknown): Answer {
    if (failOpen.includes('error')) {
      ctx.log.warn({ err: error, limit: id }, 'the state of limits cannot be reached; not limited')
      return undefined
    }
    ctx.log.error({ err: error, limit: id }, 'the state of limits cannot be reached; blocked')
    return deny('the state of limits cannot be reached; try again later', {
      code: 'STATE_UNAVAILABLE',
      rule: id,
    })
  }

  function answer(taken: Taken, rate: Rate): DenyVerdict | undefined {
    return taken.ok ? undefined : refusal(rate, per, windowMs, taken.retryAfterMs)
  }

  function release(ctx: HookContext, outcome: Outcome): unknown {
    if (options.rateFor(ctx) === undefined) return undefined
    const key = keyOf(id, per, ctx)
    return outcome.executed ? state.settle(key, ctx.id) : state.giveBack(key, ctx.id)
  }

  return {
    before(ctx) {
      const rate = options.rateFor(ctx)
      if (rate === undefined) return undefined
      try {
        const taken = state.take(keyOf(id, per, ctx), ctx.id, {
          limit: rate.limit,
          windowMs,
          now: ctx.clock(),
        })
        if (!isPromise(taken)) return answer(taken, rate)
        return taken.then(
          (settled) => answer(settled, rate),
          (error) => down(ctx, error),
        )
      } catch (error) {
        return down(ctx, error)
      }
    },
    after: release,
    skipped: release,
  }
}

function isPromise<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value
}

function refusal(
  { limit, rule }: Rate,
  per: readonly RateScope[],
  windowMs: number,
  retryAfterMs: number | undefined,
): DenyVerdict {
  const calls = limit === 1 ? 'one call' : `${limit} calls`
  const whose = per.length === 0 ? '' : ` per ${per.join(' and ')}`
  const wait = retryAfterMs === undefined ? '' : `; try again in ${span(retryAfterMs)}`
  return deny(`at most ${calls} in ${span(windowMs)}${whose}${wait}`, {
    code: 'RATE_LIMITED',
    rule,
    retryAfterMs,
  })
}

/** 1500 as `2 s`: a text that tells how long to wait may be late, not early. */
function span(ms: number): string {
  if (ms >= 120_000) return `${Math.ceil(ms / 60_000)} min`
  return ms >= 1000 ? `${Math.ceil(ms / 1000)} s` : `${ms} ms`
}

const FACTS: Readonly<Record<RateScope, (ctx: LimitedCall) => string | undefined>> = {
  sender: (ctx) => ctx.senderId,
  session: (ctx) => ctx.sessionId,
  agent: (ctx) => ctx.agentId,
  channel: (ctx) => ctx.channelId,
  tool: (ctx) => ctx.toolName.toLowerCase(),
}

function keyOf(id: string, per: readonly RateScope[], ctx: LimitedCall): string {
  const key = JSON.stringify([id, ...per.map((scope) => FACTS[scope](ctx) ?? null)])
  return key.length <= 256 ? key : createHash('sha256').update(key).digest('base64')
}
