import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  type Approver,
  ask,
  deny,
  type HeldCall,
  type HookContext,
  rewrite,
  type ToolHook,
  ToolwareError,
} from '../../lib/index.ts'
import { call, deferred, echo, quietApp } from '../helpers/call.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** An approver that answers as it is told, and remembers what it was asked. */
function approver(
  answer: (q: ApprovalQuestion) => ApprovalAnswer | Promise<ApprovalAnswer>,
  over: Partial<Approver> = {},
): Approver & { asked: ApprovalQuestion[] } {
  const asked: ApprovalQuestion[] = []
  return {
    asked,
    decide: (q) => {
      asked.push(q)
      return answer(q)
    },
    ...over,
  }
}
const allow = (): ApprovalAnswer => ({ resolution: 'allow-once', approvalId: 'a1' })

describe('O11, rewriting', () => {
  it('shows the new params to everybody further in and to the tool', async () => {
    const seen: unknown[] = []
    const app = quietApp()
      .use({ name: 'rw', before: () => rewrite({ text: 'new' }) })
      .use({
        name: 'inner',
        check: (ctx) => {
          seen.push(ctx.params, ctx.argumentsJson)
          return true
        },
      })
    const outcome = await app.execute(call(), echo)
    expect(outcome).toMatchObject({ result: { text: 'new' } })
    expect(seen).toEqual([{ text: 'new' }, '{"text":"new"}'])
  })

  it('checks again, at the gate, what had answered before the change', async () => {
    const log: string[] = []
    const checker = (name: string): ToolHook => ({
      name,
      check: (ctx) => {
        log.push(`${name} ${ctx.recheck ? 'again ' : ''}${String(ctx.params['text'])}`)
        return true
      },
    })
    const app = quietApp()
      .use(checker('outer'))
      .use({ name: 'rw', before: () => rewrite({ text: 'new' }) })
      .use(checker('inner'))
    await app.execute(call(), echo)
    expect(log).toEqual(['outer hi', 'inner new', 'outer again new'])
  })

  it("checks the rewriting hook's own check again", async () => {
    const app = quietApp().use({
      name: 'rw',
      check: (ctx) => ctx.params['path'] !== '/etc',
      before: () => rewrite({ path: '/etc' }),
    })
    expect(await app.execute(call(), echo)).toMatchObject({ status: 'blocked', by: 'rw' })
  })

  it('denies through a hook further out that the rewritten params offend', async () => {
    const tool = vi.fn(echo)
    for (const mode of ['sync', 'async'] as const) {
      const judge = (ctx: HookContext) => ctx.params['path'] !== '/etc/passwd' || deny('outside')
      const app = quietApp()
        .use({ name: 'policy', check: mode === 'sync' ? judge : async (ctx) => judge(ctx) })
        .use(async (ctx, next) => {
          ctx.rewrite({ path: '/etc/passwd' })
          await next()
        })
      expect(await app.execute(call(), tool)).toMatchObject({
        status: 'blocked',
        by: 'policy',
        reason: 'outside',
        executed: false,
      })
    }
    expect(tool).not.toHaveBeenCalled()
  })

  it('calls before only once', async () => {
    const before = vi.fn()
    const app = quietApp()
      .use({ name: 'count', before })
      .use({ name: 'rw', before: () => rewrite({ a: 1 }) })
    await app.execute(call(), echo)
    expect(before).toHaveBeenCalledTimes(1)
  })

  it("calls a plain hook's whole handler again, unless it says once", async () => {
    const seen: string[] = []
    const app = quietApp()
      .use({
        name: 'p',
        beforeExecute: (_n, json) => {
          seen.push(`p ${json}`)
          return true
        },
      })
      .use({
        name: 'o',
        once: true,
        beforeExecute: (_n, json) => {
          seen.push(`o ${json}`)
          return true
        },
      })
      .use({ name: 'rw', before: () => rewrite({ a: 1 }) })
    await app.execute(call(), echo)
    expect(seen).toEqual(['p {"text":"hi"}', 'o {"text":"hi"}', 'p {"a":1}'])
  })

  it('takes equal params for no change, whatever the order of keys', async () => {
    let checks = 0
    const app = quietApp()
      .use({
        name: 'c',
        check: () => {
          checks++
          return true
        },
      })
      .use({ name: 'rw', before: () => rewrite({ b: { c: [1] }, a: 1 }) })
    await app.execute(call({ params: { a: 1, b: { c: [1] } } }), echo)
    expect(checks).toBe(1)
  })

  it('blocks params that would not pass intake', async () => {
    for (const params of [{ a: 1n }, { f: () => 1 }, null, 'x', []] as unknown[]) {
      const app = quietApp().use({
        name: 'rw',
        before: () => rewrite(params as Record<string, unknown>),
      })
      expect(await app.execute(call(), echo)).toMatchObject({
        status: 'blocked',
        code: 'HOOK_BAD_ANSWER',
        by: 'rw',
      })
      const mw = quietApp().use(
        async (ctx, next) => {
          ctx.rewrite(params as Record<string, unknown>)
          await next()
        },
        { name: 'mw' },
      )
      expect(await mw.execute(call(), echo)).toMatchObject({
        status: 'blocked',
        code: 'HOOK_BAD_ANSWER',
        by: 'mw',
      })
    }
  })

  it('keeps a rewriter from changing the params afterwards', async () => {
    const mine = { list: [1] }
    const app = quietApp()
      .use({ name: 'rw', before: () => rewrite(mine) })
      .use({
        name: 'late',
        before: () => {
          mine.list.push(2)
        },
      })
    expect(await app.execute(call(), echo)).toMatchObject({ result: { list: [1] } })
  })

  it('gives a re-check its deadline', async () => {
    vi.useFakeTimers()
    const app = quietApp({ beforeTimeoutMs: 50 })
      .use({
        name: 'slow',
        check: (ctx) => (ctx.recheck ? new Promise<boolean>(() => undefined) : true),
      })
      .use({ name: 'rw', before: () => rewrite({ a: 1 }) })
    const work = app.execute(call(), echo)
    await vi.advanceTimersByTimeAsync(100)
    expect(await work).toMatchObject({ status: 'blocked', code: 'HOOK_TIMEOUT', by: 'slow' })
  })
})

describe('O18, the gate', () => {
  it('asks once, about the final params, with everybody who asked', async () => {
    const approvals = approver(allow)
    const app = quietApp({ approvals, policyVersion: 'v1' })
      .use({ name: 'a', check: () => ask({ title: 'first?' }) })
      .use({ name: 'rw', before: () => rewrite({ text: 'new' }, ask({ title: 'second?' })) })
      .use(
        async (ctx, next) => {
          ctx.ask({ title: 'third?' })
          await next()
        },
        { name: 'mw' },
      )
    expect((await app.execute(call(), echo)).status).toBe('completed')
    expect(approvals.asked).toHaveLength(1)
    const [question] = approvals.asked
    expect(question?.askers.map(({ name, request }) => `${name} ${request.title}`)).toEqual([
      'a first?',
      'rw second?',
      'mw third?',
    ])
    expect(question?.ctx.params).toEqual({ text: 'new' })
    expect(question?.originalParams).toEqual({ text: 'hi' })
    expect(question?.policyVersion).toBe('v1')
  })

  it('asks nobody when a hook denies', async () => {
    const approvals = approver(allow)
    const app = quietApp({ approvals })
      .use({ name: 'a', check: () => ask({ title: '?' }) })
      .use({ name: 'no', check: () => false })
    await app.execute(call(), echo)
    expect(approvals.asked).toEqual([])
  })

  for (const [resolution, code] of [
    ['deny', 'APPROVAL_DENIED'],
    ['timeout', 'APPROVAL_TIMEOUT'],
    ['cancelled', 'APPROVAL_CANCELLED'],
  ] as const) {
    it(`blocks on ${resolution}`, async () => {
      const approvals = approver(() => ({ resolution, approvalId: 'a1' }))
      const tool = vi.fn(echo)
      const outcome = await quietApp({ approvals })
        .use({ name: 'q', check: () => ask({ title: '?' }) })
        .execute(call(), tool)
      expect(outcome).toMatchObject({ status: 'blocked', code, by: 'q', approvalId: 'a1' })
      expect(tool).not.toHaveBeenCalled()
    })
  }

  it('blocks on an answer that is none', async () => {
    for (const answer of [
      { resolution: 'yes', approvalId: 'x' },
      { resolution: undefined },
      {},
      null,
      undefined,
      'allow-once',
    ]) {
      const approvals = approver(() => answer as never)
      const tool = vi.fn(echo)
      const outcome = await quietApp({ approvals })
        .use({ name: 'q', check: () => ask({ title: '?' }) })
        .execute(call(), tool)
      expect(outcome.status).toBe('blocked')
      expect(tool).not.toHaveBeenCalled()
    }
  })

  it('blocks when the approver throws, with the code of a ToolwareError', async () => {
    const down = approver(() => {
      throw new ToolwareError('STATE_UNAVAILABLE', 'the store is down')
    })
    const q = { name: 'q', check: () => ask({ title: '?' }) }
    expect(await quietApp({ approvals: down }).use(q).execute(call(), echo)).toMatchObject({
      code: 'STATE_UNAVAILABLE',
    })
    const broken = approver(async () => {
      throw new Error('x')
    })
    expect(await quietApp({ approvals: broken }).use(q).execute(call(), echo)).toMatchObject({
      code: 'APPROVAL_UNAVAILABLE',
    })
  })

  it('judges the policies again after a person was waited for', async () => {
    const gate = deferred<ApprovalAnswer>()
    let safe = true
    const app = quietApp({ approvals: approver(() => gate.promise) })
      .use({ name: 'policy', check: () => safe || deny('the link moved') })
      .use({ name: 'q', check: () => ask({ title: '?' }) })
    const work = app.execute(call(), echo)
    safe = false
    gate.resolve(allow())
    expect(await work).toMatchObject({ status: 'blocked', by: 'policy', reason: 'the link moved' })
  })

  it('judges params that a person edited, and runs exactly those', async () => {
    const edited = (params: Record<string, unknown>) =>
      approver(async () => ({ ...allow(), params }) as ApprovalAnswer)
    const build = (params: Record<string, unknown>) =>
      quietApp({ approvals: edited(params) })
        .use({ name: 'policy', check: (ctx) => ctx.params['path'] !== '/etc' })
        .use({ name: 'q', check: () => ask({ title: '?', editable: true }) })
    expect(await build({ path: 'src' }).execute(call(), echo)).toMatchObject({
      status: 'completed',
      result: { path: 'src' },
    })
    expect(await build({ path: '/etc' }).execute(call(), echo)).toMatchObject({
      status: 'blocked',
      by: 'policy',
    })
    expect(await build({ n: 1n }).execute(call(), echo)).toMatchObject({
      status: 'blocked',
      code: 'BAD_ARGUMENTS',
    })
  })

  it('aborts while a person is waited for, and tells the approver', async () => {
    const controller = new AbortController()
    let heard: AbortSignal | undefined
    const approvals: Approver = {
      decide: (_q, signal) => {
        heard = signal
        return new Promise(() => undefined)
      },
    }
    const work = quietApp({ approvals })
      .use({ name: 'q', check: () => ask({ title: '?' }) })
      .execute(call({ signal: controller.signal }), echo)
    controller.abort()
    expect(await work).toMatchObject({ status: 'aborted', executed: false })
    expect(heard?.aborted).toBe(true)
  })

  it('gives the tool a mutable copy that hooks do not see change', async () => {
    let after: unknown
    const app = quietApp().use({
      name: 'h',
      after: (ctx) => {
        after = ctx.params
      },
    })
    await app.execute(call({ params: { list: [1] } }), async (params) => {
      ;(params['list'] as number[]).push(2)
    })
    expect(after).toEqual({ list: [1] })
  })

  it('gives no copy under intake: trusted', async () => {
    const params = { a: 1 }
    const app = quietApp({ intake: 'trusted' })
    expect(await app.execute({ toolName: 't', params }, async (p) => p === params)).toMatchObject({
      result: true,
    })
  })

  it('contributes environment variables before approval; later hooks win per name', async () => {
    const approvals = approver(allow)
    const app = quietApp({ approvals })
      .use({
        name: 'a',
        check: () => ask({ title: '?' }),
        resolveExecEnv: () => ({ A: '1', B: '1' }),
      })
      .use({ name: 'b', check: () => true, resolveExecEnv: async () => ({ B: '2' }) })
    const outcome = await app.execute(call(), async (_p, ctx) => ({
      ...ctx.execEnv,
      frozen: Object.isFrozen(ctx.execEnv),
    }))
    expect(outcome).toMatchObject({ result: { A: '1', B: '2', frozen: true } })
    expect(approvals.asked[0]?.ctx.execEnv).toEqual({ A: '1', B: '2' })
  })

  it('blocks when contributing environment variables fails', async () => {
    const app = quietApp().use({
      name: 'a',
      check: () => true,
      resolveExecEnv: () => {
        throw new Error('x')
      },
    })
    expect(await app.execute(call(), echo)).toMatchObject({
      status: 'blocked',
      code: 'HOOK_FAILED',
      by: 'a',
    })
  })
})

describe('environment variables that do not come', () => {
  for (const [whose, options, hookOptions] of [
    ['beforeTimeoutMs', { beforeTimeoutMs: 1000 }, {}],
    ["the hook's timeoutMs", {}, { timeoutMs: 1000 }],
  ] as const) {
    it(`block the call after ${whose}`, async () => {
      vi.useFakeTimers()
      const tool = vi.fn(echo)
      const left = vi.fn()
      let signal: AbortSignal | undefined
      const app = quietApp(options).use({
        name: 'a',
        ...hookOptions,
        check: () => true,
        resolveExecEnv: (ctx) => {
          signal = ctx.signal
          return new Promise(() => undefined)
        },
        skipped: (_ctx, { status }) => left(status),
      })
      const work = app.execute(call(), tool)
      await vi.advanceTimersByTimeAsync(1000)
      expect(await work).toMatchObject({ status: 'blocked', code: 'HOOK_TIMEOUT', by: 'a' })
      expect(signal?.aborted).toBe(true)
      expect(left.mock.calls).toEqual([['blocked']])
      expect(tool).not.toHaveBeenCalled()
      expect(vi.getTimerCount()).toBe(0)
    })
  }
})

describe('toolTimeoutMs', () => {
  it('fails a tool that does not settle, and fires its signal', async () => {
    vi.useFakeTimers()
    let signal: AbortSignal | undefined
    const app = quietApp({ toolTimeoutMs: 1000 })
    const work = app.execute(call(), (_p, ctx) => {
      signal = ctx.signal
      return new Promise(() => undefined)
    })
    await vi.advanceTimersByTimeAsync(1001)
    expect(await work).toMatchObject({
      status: 'failed',
      code: 'TOOL_TIMEOUT',
      by: 'tool',
      executed: true,
    })
    expect(signal?.aborted).toBe(true)
  })

  it('can be recovered from, as any tool error', async () => {
    vi.useFakeTimers()
    const app = quietApp({ toolTimeoutMs: 1000 }).use(
      async (ctx, next) => {
        await next().catch(() => {
          ctx.result = 'cached'
        })
      },
      { name: 'fb' },
    )
    const work = app.execute(call(), () => new Promise(() => undefined))
    await vi.advanceTimersByTimeAsync(1001)
    expect(await work).toMatchObject({ status: 'completed', recovered: 'fb', result: 'cached' })
  })
})

describe('app.resume', () => {
  const suspended = (): { approvals: Approver; held: Map<string, HeldCall> } => {
    const held = new Map<string, HeldCall>()
    const approvals: Approver = {
      decide: ({ ctx, originalParams, askers }) => {
        held.set('p1', {
          id: ctx.id,
          call: { toolName: ctx.toolName, params: originalParams, sessionId: ctx.sessionId },
          approvedParams: ctx.params,
          askers: askers.map(({ name }) => name),
          edited: false,
        })
        return { resolution: 'pending', approvalId: 'p1' }
      },
      claim: (id) => {
        const call = held.get(id)
        if (call === undefined) throw new ToolwareError('APPROVAL_NOT_FOUND', `no approval ${id}`)
        held.delete(id)
        return call
      },
    }
    return { approvals, held }
  }

  it('runs nothing that a second hook of the same name asks about as well', async () => {
    const { approvals } = suspended()
    let both = false
    const asks = (when: () => boolean) => ({
      name: 'twin',
      check: () => (when() ? ask({ title: '?' }) : null),
    })
    const app = quietApp({ approvals })
      .use(asks(() => true))
      .use(asks(() => both))
    const tool = vi.fn(echo)
    await app.execute(call(), tool)
    both = true
    expect(await app.resume('p1', tool)).toMatchObject({
      status: 'blocked',
      code: 'PARAMS_CHANGED_AFTER_APPROVAL',
      reason: 'This is not what a person approved: twin asks as well now. Make the call again.',
    })
    expect(tool).not.toHaveBeenCalled()
  })

  it('counts a hook that asks in check and in before as one', async () => {
    const { approvals } = suspended()
    const asked = () => ask({ title: '?' })
    const app = quietApp({ approvals })
      .use({ name: 'twin', check: asked, before: asked })
      .use({ name: 'twin', check: asked })
    await app.execute(call(), echo)
    expect(await app.resume('p1', echo)).toMatchObject({ status: 'completed' })
  })

  it('suspends with an id, keeps reservations, then runs the approved params under the same call id', async () => {
    const { approvals } = suspended()
    const log: string[] = []
    const ids = new Set<string>()
    const app = quietApp({ approvals }).use({
      name: 'h',
      check: () => ask({ title: '?' }),
      before: (ctx) => {
        ids.add(ctx.id)
        log.push(`before ${ctx.resumed}`)
        return rewrite({ text: 'new' })
      },
      after: (_c, o) => log.push(`after ${o.status}`),
      skipped: (_c, o) => log.push(`skipped ${o.status}`),
    })
    const tool = vi.fn(echo)
    const pending = await app.execute(call(), tool)
    expect(pending).toMatchObject({
      status: 'pending',
      approvalId: 'p1',
      executed: false,
      failed: false,
    })
    expect(tool).not.toHaveBeenCalled()
    expect(await app.resume('p1', tool)).toMatchObject({
      status: 'completed',
      result: { text: 'new' },
    })
    expect(log).toEqual(['before false', 'before true', 'after completed'])
    expect(ids.size).toBe(1)
    expect(await app.resume('p1', tool)).toMatchObject({
      status: 'blocked',
      code: 'APPROVAL_NOT_FOUND',
    })
    expect(tool).toHaveBeenCalledTimes(1)
  })

  it('blocks when what compares the call with what was approved throws', async () => {
    const { approvals, held } = suspended()
    const app = quietApp({ approvals }).use({ name: 'h', check: () => ask({ title: '?' }) })
    await app.execute(call(), echo)
    const breaks = () => {
      throw new Error('the store holds nonsense')
    }
    held.set('p1', { ...(held.get('p1') as HeldCall), matches: breaks })
    const reported: unknown[] = []
    app.on('error', ({ hook, phase, error }) => reported.push([hook, phase, String(error)]))
    const tool = vi.fn(echo)
    expect(await app.resume('p1', tool)).toMatchObject({
      status: 'blocked',
      code: 'HOOK_FAILED',
      by: 'toolware',
    })
    expect(tool).not.toHaveBeenCalled()
    expect(reported).toEqual([['toolware', 'gate', 'Error: the store holds nonsense']])
  })

  it('blocks when the current hooks make other params of the call', async () => {
    const { approvals } = suspended()
    let text = 'one'
    const app = quietApp({ approvals }).use({
      name: 'h',
      check: () => ask({ title: '?' }),
      before: () => rewrite({ text }),
    })
    await app.execute(call(), echo)
    text = 'two'
    const tool = vi.fn(echo)
    expect(await app.resume('p1', tool)).toMatchObject({
      status: 'blocked',
      code: 'PARAMS_CHANGED_AFTER_APPROVAL',
    })
    expect(tool).not.toHaveBeenCalled()
  })

  it('lets a policy that now denies do so', async () => {
    const { approvals } = suspended()
    const app = quietApp({ approvals }).use({ name: 'q', check: () => ask({ title: '?' }) })
    await app.execute(call(), echo)
    app.use({ name: 'new', check: () => deny('not any more') })
    expect(await app.resume('p1', echo)).toMatchObject({ status: 'blocked', by: 'new' })
  })

  it('says that nothing is suspended without a store', async () => {
    expect(await quietApp().resume('x', echo)).toMatchObject({
      status: 'blocked',
      code: 'APPROVAL_NOT_FOUND',
    })
  })

  it('gives back what was reserved when the call is refused without running', async () => {
    const { approvals, held } = suspended()
    let refuse: ((held: HeldCall, resolution: 'deny') => void) | undefined
    const log: string[] = []
    const app = quietApp({
      approvals: {
        ...approvals,
        onRefused: (listener) => {
          refuse = listener
        },
      },
    }).use({
      name: 'h',
      check: () => ask({ title: '?' }),
      skipped: (ctx, o) => log.push(`skipped ${o.status} ${ctx.resumed}`),
    })
    await app.execute(call(), echo)
    refuse?.(held.get('p1') as HeldCall, 'deny')
    await Promise.resolve()
    expect(log).toEqual(['skipped blocked true'])
  })
})
