import { describe, expect, it } from 'vitest'
import type { LimitState } from '../../../lib/state/memory.ts'
import { Toolware } from '../../../lib/toolware.ts'
import type { HookContext, Outcome } from '../../../lib/types.ts'
import { type RateLimitOptions, rateLimit } from '../../../middleware/hooks/rate-limit.ts'
import { hookContext, recordingLogger } from '../../helpers/hook-context.ts'

const base = { text: '', durationMs: 0 } as const
const ran: Outcome = { ...base, status: 'completed', failed: false, executed: true, result: '' }
const stopped: Outcome = {
  ...base,
  status: 'blocked',
  failed: true,
  executed: false,
  code: 'DENIED',
  by: 'x',
}

function setup(options: Partial<RateLimitOptions> = {}) {
  const clock = { now: 0 }
  const hook = rateLimit({ limit: 2, windowMs: 1000, clock: () => clock.now, ...options })
  /** `ran`, or the denial. */
  const call = (facts: Partial<HookContext> = {}, outcome: Outcome = ran): unknown => {
    const ctx = hookContext(facts)
    const answer = hook.before(ctx)
    if (answer === undefined) hook.after(ctx, outcome)
    else hook.skipped(ctx, stopped)
    return answer ?? 'ran'
  }
  return { hook, clock, call }
}
const refused = expect.objectContaining({ kind: 'deny', code: 'RATE_LIMITED' })

describe('rateLimit()', () => {
  it('lets a limit of calls start in a window that starts with its first call', () => {
    const { call, clock } = setup()
    clock.now = 700
    expect([call(), call(), call()]).toEqual(['ran', 'ran', refused])
    clock.now = 1699
    expect(call()).toEqual(refused)
    clock.now = 1700
    expect([call(), call(), call()]).toEqual(['ran', 'ran', refused])
  })

  it('says how long to wait, to the model and as a number', () => {
    const { call, clock } = setup({
      limit: 1,
      windowMs: 60_000,
      per: ['sender', 'tool'],
      id: 'rateLimits[0]',
    })
    call()
    clock.now = 48_500
    expect(call()).toMatchObject({
      reason: 'at most one call in 60 s per sender and tool; try again in 12 s',
      retryAfterMs: 11_500,
      rule: 'rateLimits[0]: 1 per 60 s',
    })
  })

  it('lets refused calls consume nothing', () => {
    const { call, clock } = setup()
    for (let i = 0; i < 20; i++) call()
    clock.now = 1000
    expect([call(), call()]).toEqual(['ran', 'ran'])
  })

  it.each([
    ['sender', 'senderId'],
    ['session', 'sessionId'],
    ['agent', 'agentId'],
    ['channel', 'channelId'],
    ['tool', 'toolName'],
  ] as const)('counts per %s', (scope, fact) => {
    const { call } = setup({ limit: 1, per: [scope] })
    expect([call({ [fact]: 'a' }), call({ [fact]: 'b' }), call({ [fact]: 'a' })]).toEqual([
      'ran',
      'ran',
      refused,
    ])
  })

  it('counts all calls without a sender in one window, apart from any sender by name', () => {
    const { call } = setup({ limit: 1, per: ['sender'] })
    expect([call(), call(), call({ senderId: 'null' }), call({ senderId: '' })]).toEqual([
      'ran',
      refused,
      'ran',
      'ran',
    ])
  })

  it('keeps combinations apart whatever characters the facts hold', () => {
    const { call } = setup({ limit: 1, per: ['sender', 'session'] })
    expect(call({ senderId: 'a","b', sessionId: 'c' })).toBe('ran')
    expect(call({ senderId: 'a', sessionId: 'b","c' })).toBe('ran')
    expect(call({ senderId: 'x'.repeat(10_000), sessionId: 'c' })).toBe('ran')
    expect(call({ senderId: 'x'.repeat(10_001), sessionId: 'c' })).toBe('ran')
  })

  it('counts only the tools it names, in any case', () => {
    const { call } = setup({ limit: 1, tools: ['web_*'] })
    expect(['web_a', 'WEB_b', 'read', 'read'].map((toolName) => call({ toolName }))).toEqual([
      'ran',
      refused,
      'ran',
      'ran',
    ])
  })

  it('gives a place back when the call never started', () => {
    const { hook, call } = setup({ limit: 1 })
    const ctx = hookContext()
    expect(hook.before(ctx)).toBeUndefined()
    expect(call()).toEqual(refused)
    hook.skipped(ctx, stopped)
    expect(call()).toBe('ran')
  })

  it('takes no second place for a call that comes back', () => {
    const { hook, call } = setup({ limit: 1 })
    const ctx = hookContext()
    expect(hook.before(ctx)).toBeUndefined()
    expect(hook.before(hookContext({ id: ctx.id, resumed: true }))).toBeUndefined()
    hook.after(ctx, ran)
    expect(call()).toEqual(refused)
  })

  it('takes places before it waits, so parallel calls cannot slip through', async () => {
    const { hook } = setup({ limit: 3 })
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => hook.before(hookContext())),
    )
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(3)
  })

  it('blocks while the state cannot be reached, and tells that apart from a limit', async () => {
    for (const take of [
      () => {
        throw new Error('down')
      },
      () => Promise.reject(new Error('down')),
    ]) {
      const state = { take, giveBack: () => {}, settle: () => {} } as LimitState
      const { log, lines } = recordingLogger()
      const closed = rateLimit({ limit: 1, state })
      expect(await closed.before(hookContext({ log }))).toMatchObject({ code: 'STATE_UNAVAILABLE' })
      const open = rateLimit({ limit: 1, state, failOpen: ['error'] })
      expect(await open.before(hookContext({ log }))).toBeUndefined()
      expect(lines.map(({ level }) => level)).toEqual(['error', 'warn'])
    }
  })

  it('works with a state that answers later', async () => {
    const answers = [{ ok: true }, { ok: false, retryAfterMs: 5 }] as const
    let n = 0
    const state: LimitState = {
      take: async () => answers[n++ % 2] ?? { ok: true },
      giveBack: async () => {},
      settle: async () => {},
    }
    const hook = rateLimit({ limit: 1, state })
    expect(await hook.before(hookContext())).toBeUndefined()
    expect(await hook.before(hookContext())).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 5,
    })
  })

  it.each([
    [
      { limit: 0 },
      'rateLimit.limit: must be a positive whole number; leave it out for no limit; got 0',
    ],
    [{ limit: '3' as unknown as number }, 'rateLimit.limit: must be a number; got "3"'],
    [{ limit: 1, windowMs: Number.NaN }, 'rateLimit.windowMs: must be a number; got NaN'],
    [
      { limit: 1, per: ['user' as 'sender'] },
      'rateLimit.per[0]: must be one of sender, session, agent, channel, tool; got "user"',
    ],
    [
      { limit: 1, tools: ['a b'] },
      'rateLimit.tools[0]: "a b" can match no tool; use letters, digits, _.:/- and *',
    ],
  ])('refuses %j', (options, message) => {
    expect(() => rateLimit(options)).toThrow(expect.objectContaining({ code: 'CONFIG', message }))
  })
})

describe('rateLimit() in a pipeline', () => {
  it('goes by the clock of the pipeline, unless it has one', async () => {
    let now = 0
    const app = new Toolware({ clock: () => now }).use(rateLimit({ limit: 1, windowMs: 1000 }))
    const call = async (): Promise<string> =>
      (await app.execute({ toolName: 'a' }, () => 'ok')).status
    expect([await call(), await call()]).toEqual(['completed', 'blocked'])
    now = 1000
    expect(await call()).toBe('completed')
  })
})
