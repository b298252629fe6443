import { describe, expect, it, vi } from 'vitest'
import { ApprovalQueue } from '../../../lib/approval/queue.ts'
import type { PluginApi } from '../../../lib/plugin/types.ts'
import { Toolware } from '../../../lib/toolware.ts'
import type { ApprovalDecision, ToolCall } from '../../../lib/types.ts'
import { deny, rewrite } from '../../../lib/verdict.ts'
import { deferred, quietLog } from '../../helpers/call.ts'
import { bundledHost, loadHost } from '../../helpers/plugins.ts'
import { settle } from '../../helpers/timers.ts'

type Register = (api: PluginApi) => unknown

/** A pipeline over plugins given in code, with a queue that a person answers at once, and a tool that keeps its params. */
async function setUp(plugins: Register[], decision?: ApprovalDecision) {
  const { host, lines } = await bundledHost(...plugins)
  let count = 0
  const queue = new ApprovalQueue({ newId: () => `p${++count}`, workingDirectory: '/' })
  const asked: Array<{ title: string; askers: string[]; params: object }> = []
  const approver = {
    decide: async (question: Parameters<ApprovalQueue['decide']>[0], signal: AbortSignal) => {
      asked.push({
        title: question.askers[0]?.request.title ?? '',
        askers: question.askers.map(({ name }) => name),
        params: question.ctx.params,
      })
      const answer = queue.decide(question, signal)
      await settle()
      if (decision) await queue.resolve(`p${count}`, decision)
      return answer
    },
  }
  const log = quietLog()
  const app = new Toolware({ log, approvals: approver }).use(host)
  const ran: object[] = []
  const execute = (over: Partial<ToolCall> = {}) =>
    app.execute({ toolName: 'exec', params: { command: 'ls' }, ...over }, (params) => {
      ran.push(params)
      return 'done'
    })
  return { app, host, lines, log, asked, ran, execute, queue }
}

const policy =
  (evaluate: (event: { params: Record<string, unknown> }) => unknown): Register =>
  (api) =>
    api.registerTrustedToolPolicy({ id: 'p', description: 'd', evaluate: evaluate as never })
const ordinary =
  (handler: (event: { params: Record<string, unknown> }) => unknown): Register =>
  (api) =>
    api.on('before_tool_call', handler as never)

const ASKS = () => ({ requireApproval: { title: 'trusted' } })
const CHANGED = 'Tool call parameters changed after trusted approval'

describe('a trusted approval and what comes after it (rules 52, 53, T5)', () => {
  it('runs a call whose params nobody changed', async () => {
    const { execute, asked, ran } = await setUp([policy(ASKS), ordinary(() => {})], 'allow-once')
    expect(await execute()).toMatchObject({ status: 'completed' })
    expect(asked).toEqual([{ title: 'trusted', askers: ['policy:a/p'], params: { command: 'ls' } }])
    expect(ran).toEqual([{ command: 'ls' }])
  })

  it('runs nothing that a person denied', async () => {
    const { execute, ran } = await setUp([policy(ASKS)], 'deny')
    expect(await execute()).toMatchObject({
      status: 'blocked',
      code: 'APPROVAL_DENIED',
      by: 'policy:a/p',
    })
    expect(ran).toEqual([])
  })

  it('lets an ordinary handler veto, without asking anybody', async () => {
    const { execute, asked } = await setUp(
      [policy(ASKS), ordinary(() => ({ block: true, blockReason: 'no' }))],
      'allow-once',
    )
    expect(await execute()).toMatchObject({ status: 'blocked', reason: 'no' })
    expect(asked).toEqual([])
  })

  it('blocks an ordinary change that does not ask itself, and asks nobody', async () => {
    const { execute, asked, ran } = await setUp(
      [policy(ASKS), ordinary(() => ({ params: { command: 'rm' } }))],
      'allow-once',
    )
    expect(await execute()).toMatchObject({
      status: 'blocked',
      code: 'PARAMS_CHANGED_AFTER_APPROVAL',
      reason: CHANGED,
      executed: false,
    })
    expect([asked, ran]).toEqual([[], []])
  })

  it('asks about the new params when the handler that changes them asks, too', async () => {
    const change = () => ({ params: { command: 'rm' }, requireApproval: { title: 'own' } })
    const yes = await setUp([policy(ASKS), ordinary(change)], 'allow-once')
    expect(await yes.execute()).toMatchObject({ status: 'completed' })
    expect(yes.asked).toEqual([
      { title: 'trusted', askers: ['policy:a/p', 'plugin:b'], params: { command: 'rm' } },
    ])
    expect(yes.ran).toEqual([{ command: 'rm' }])
    const no = await setUp([policy(ASKS), ordinary(change)], 'deny')
    expect(await no.execute()).toMatchObject({ status: 'blocked' })
    expect(no.ran).toEqual([])
  })

  it('takes equal params that come back for no change', async () => {
    const { execute, ran } = await setUp(
      [policy(ASKS), ordinary(({ params }) => ({ params: { ...params } }))],
      'allow-once',
    )
    expect(await execute()).toMatchObject({ status: 'completed' })
    expect(ran).toEqual([{ command: 'ls' }])
  })

  it('takes params that are changed in place for nothing: they are a copy', async () => {
    const { execute, ran } = await setUp(
      [
        policy(ASKS),
        ordinary(({ params }) => {
          params['command'] = 'rm'
        }),
      ],
      'allow-once',
    )
    expect(await execute()).toMatchObject({ status: 'completed' })
    expect(ran).toEqual([{ command: 'ls' }])
  })

  it('goes for hooks of the pipeline further in, too', async () => {
    const { app, execute } = await setUp([policy(ASKS)], 'allow-once')
    app.use({ name: 'mine', before: () => rewrite({ command: 'rm' }) })
    expect(await execute()).toMatchObject({ code: 'PARAMS_CHANGED_AFTER_APPROVAL', by: 'mine' })
  })

  it('goes for a later policy that changes without asking (stricter than the original)', async () => {
    const change = () => ({ params: { command: 'rm' } })
    const { execute } = await setUp([policy(ASKS), policy(change)], 'allow-once')
    expect(await execute()).toMatchObject({
      code: 'PARAMS_CHANGED_AFTER_APPROVAL',
      by: 'policy:b/p',
    })
  })
})

describe('trusted policies in the pipeline (rules 38, 46, 49)', () => {
  it('chain: the next policy and the ordinary handlers see the new params, and a removed key stays removed', async () => {
    const seen: unknown[] = []
    const note = ({ params }: { params: object }) => void seen.push(params)
    const { execute, ran } = await setUp([
      policy(({ params: { secret: _, ...rest } }) => ({ params: { ...rest, checked: true } })),
      policy(note),
      ordinary(note),
      ordinary(() => ({ params: { extra: 1 } })),
    ])
    await execute({ params: { command: 'ls', secret: 's' } })
    expect(seen).toEqual([
      { command: 'ls', checked: true },
      { command: 'ls', checked: true },
    ])
    expect(ran).toEqual([{ command: 'ls', checked: true, extra: 1 }])
  })

  it('end at the first block: nobody else is called', async () => {
    const later = vi.fn()
    const { execute } = await setUp([
      policy(() => ({ allow: false })),
      policy(later),
      ordinary(later),
    ])
    expect(await execute()).toMatchObject({ by: 'policy:a/p', reason: 'blocked by p' })
    expect(later).not.toHaveBeenCalled()
  })

  it('keep the params of two policies that ask, and ask once with both named (T3)', async () => {
    const { execute, asked } = await setUp([policy(ASKS), policy(ASKS)], 'allow-once')
    expect(await execute()).toMatchObject({ status: 'completed' })
    expect(asked.map(({ askers }) => askers)).toEqual([['policy:a/p', 'policy:b/p']])
  })
})

describe('before_tool_call in the pipeline', () => {
  it('asks once, after all handlers spoke, about the params they froze (rules 26, 27, 29)', async () => {
    const { execute, asked, ran } = await setUp(
      [
        ordinary(() => ({ params: { a: 1 }, requireApproval: { title: 'one' } })),
        ordinary(() => ({ params: { a: 2 }, requireApproval: { title: 'two' } })),
      ],
      'allow-once',
    )
    expect(await execute()).toMatchObject({ status: 'completed' })
    expect(asked).toEqual([{ title: 'one', askers: ['plugin:a'], params: { command: 'ls', a: 1 } }])
    expect(ran).toEqual([{ command: 'ls', a: 1 }])
  })

  it.each([
    ['allow-once', 'allow-once'],
    ['allow-always', 'allow-always'],
    ['deny', 'deny'],
  ] as const)('tells onResolution of %s, once (rules 61, 62)', async (decision, resolution) => {
    const onResolution = vi.fn()
    const { execute } = await setUp(
      [ordinary(() => ({ requireApproval: { title: 't', onResolution } }))],
      decision,
    )
    await execute()
    expect(onResolution.mock.calls).toEqual([[resolution]])
  })

  it('remembers allow-always for the plugin that asked, not for another (rule 61: better)', async () => {
    const { host } = await bundledHost((api) =>
      api.on('before_tool_call', ({ toolName, params }) => {
        void params
        return toolName === 'exec' ? { requireApproval: { title: 'a asks' } } : undefined
      }),
    )
    const other = await bundledHost(
      () => {},
      (api) => api.on('before_tool_call', () => ({ requireApproval: { title: 'b asks' } })),
    )
    let count = 0
    const queue = new ApprovalQueue({ newId: () => `p${++count}`, workingDirectory: '/' })
    const app = new Toolware({ log: quietLog(), approvals: queue }).use(host)
    const again = new Toolware({ log: quietLog(), approvals: queue }).use(other.host)
    const call = { toolName: 'exec', params: { command: 'ls' } }
    const first = app.execute(call, () => 'done')
    await settle()
    await queue.resolve('p1', 'allow-always')
    expect(await first).toMatchObject({ status: 'completed' })
    expect(await app.execute(call, () => 'done')).toMatchObject({ status: 'completed' })
    const third = again.execute(call, () => 'done')
    await settle()
    const [pending] = await queue.list()
    await queue.resolve(pending?.id ?? '', 'deny')
    expect(await third).toMatchObject({ status: 'blocked', by: 'plugin:b' })
  })

  it('blocks at once when there is nobody to ask (rule 67, BR-042)', async () => {
    const { host } = await bundledHost(ordinary(() => ({ requireApproval: { title: 't' } })))
    const app = new Toolware({ log: quietLog() }).use(host)
    expect(await app.execute({ toolName: 'exec' }, () => 'done')).toMatchObject({
      code: 'APPROVAL_UNAVAILABLE',
      executed: false,
    })
  })

  it('needs no word in the configuration, and fires once for a tool that was wrapped twice (rules 9 and 106)', async () => {
    const handler = vi.fn()
    const { app } = await setUp([ordinary(handler)])
    const wrapped = app.wrap(
      'exec',
      app.wrap('exec', () => 'done'),
    )
    await wrapped({})
    expect(handler).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['deny', 'APPROVAL_DENIED'],
    ['timeout', 'APPROVAL_TIMEOUT'],
    ['cancelled', 'APPROVAL_CANCELLED'],
  ] as const)(
    'blocks on %s with a code of its own, whatever timeoutBehavior says (rules 55 and 57)',
    async (resolution, code) => {
      const asks = { requireApproval: { title: 't', timeoutBehavior: 'allow' } }
      const { host } = await bundledHost(ordinary(() => asks))
      const decide = () => ({ resolution, approvalId: 'x' })
      const app = new Toolware({ log: quietLog(), approvals: { decide } }).use(host)
      const outcome = await app.execute({ toolName: 'exec' }, () => 'done')
      expect(outcome).toMatchObject({ status: 'blocked', code, by: 'plugin:a', executed: false })
    },
  )

  it('takes only decisions that were offered, under an id that the host made (rules 60 and 65)', async () => {
    const queue = new ApprovalQueue()
    const asks = { requireApproval: { title: 't', id: 'mine', allowedDecisions: ['allow-once'] } }
    const { host } = await bundledHost(ordinary(() => asks))
    const app = new Toolware({ log: quietLog(), approvals: queue }).use(host)
    const outcome = app.execute({ toolName: 'exec' }, () => 'done')
    await settle()
    const [pending] = await queue.list()
    const id = pending?.id ?? ''
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await expect(queue.resolve(id, 'allow-always')).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' })
    await expect(queue.resolve('mine', 'allow-once')).rejects.toMatchObject({
      code: 'APPROVAL_NOT_FOUND',
    })
    await queue.resolve(id, 'allow-once')
    expect(await outcome).toMatchObject({ status: 'completed' })
  })

  it('stops waiting for a person when the caller gives up, for any reason, and says so (rules 55 and 63)', async () => {
    const onResolution = vi.fn()
    const queue = new ApprovalQueue()
    const { host } = await bundledHost(
      ordinary(() => ({ requireApproval: { title: 't', onResolution } })),
    )
    const app = new Toolware({ log: quietLog(), approvals: queue }).use(host)
    const controller = new AbortController()
    const outcome = app.execute({ toolName: 'exec', signal: controller.signal }, () => 'done')
    await settle()
    controller.abort('just a text')
    expect(await outcome).toMatchObject({ status: 'aborted', executed: false })
    await settle()
    expect(onResolution.mock.calls).toEqual([['cancelled']])
    expect(await queue.list()).toEqual([])
  })

  it('has a text for the person beside the one for the model (section 6.13)', async () => {
    const says = {
      block: true,
      blockReason: 'read the policy',
      notice: 'The agent tried to deploy.',
    }
    for (const plugin of [ordinary(() => says), policy(() => says)]) {
      const { execute } = await setUp([plugin])
      expect(await execute()).toMatchObject({ reason: 'read the policy', notice: says.notice })
    }
  })

  it('is not asked twice about params that a hook further in changed, as the original is not', async () => {
    const handler = vi.fn()
    const { app, execute } = await setUp([ordinary(handler)])
    app.use({ name: 'mine', before: () => rewrite({ command: 'pwd' }) })
    await execute()
    expect(handler).toHaveBeenCalledTimes(1)
  })

  it('has the last word of a tool:before handler about them (O11)', async () => {
    const { app, execute, ran } = await setUp([
      (api) =>
        api.on('tool:before', (ctx) =>
          ctx.arguments.includes('rm') ? { allow: false, reason: 'no rm' } : true,
        ),
    ])
    app.use({ name: 'mine', before: () => rewrite({ command: 'rm' }) })
    expect(await execute()).toMatchObject({ status: 'blocked', by: 'plugin:a', reason: 'no rm' })
    expect(ran).toEqual([])
  })

  it('stops before the tool when the caller gave up meanwhile (rule 42)', async () => {
    const gate = deferred()
    const { execute, ran } = await setUp([ordinary(() => gate.promise)])
    const controller = new AbortController()
    const outcome = execute({ signal: controller.signal })
    await settle()
    controller.abort()
    gate.resolve(undefined)
    expect(await outcome).toMatchObject({ status: 'aborted', executed: false })
    expect(ran).toEqual([])
  })

  it('sees {} for arguments that are missing, and never a value that is no object (rule 36)', async () => {
    const seen: unknown[] = []
    const { app } = await setUp([ordinary(({ params }) => void seen.push(params))])
    await app.execute({ toolName: 'exec' }, () => 'done')
    const bad = await app.execute({ toolName: 'exec', params: 'rm' as never }, () => 'done')
    expect(bad).toMatchObject({ status: 'blocked', code: 'BAD_ARGUMENTS' })
    expect(seen).toEqual([{}])
  })

  it('keeps one way to say no: veto, fault and refusal are blocked outcomes with a reason (rule 39: better)', async () => {
    for (const [handler, code] of [
      [() => ({ block: true }), 'DENIED'],
      [
        () => {
          throw new Error('x')
        },
        'HOOK_FAILED',
      ],
      [() => 'nonsense', 'HOOK_BAD_ANSWER'],
    ] as const) {
      const { execute } = await setUp([ordinary(handler)])
      const outcome = await execute()
      expect(outcome).toMatchObject({ status: 'blocked', code, by: 'before_tool_call' })
      expect(outcome.text).toMatch(
        /^Tool execution denied by hook: before_tool_call\nTool call blocked/,
      )
    }
  })
})

describe('after_tool_call in the pipeline', () => {
  const observe = async (plugins: Register[]) => {
    const seen: object[] = []
    const made = await setUp([
      ...plugins,
      (api) =>
        api.on('after_tool_call', async (event) => {
          await Promise.resolve()
          seen.push({ ...event, durationMs: typeof event.durationMs })
        }),
    ])
    return { ...made, seen }
  }

  it('sees the params that really ran, and the result (rules 43, 76)', async () => {
    const { app, execute, seen } = await observe([ordinary(() => ({ params: { command: 'pwd' } }))])
    await execute({ toolCallId: 'c' })
    await app.close()
    expect(seen).toEqual([
      {
        toolName: 'exec',
        toolCallId: 'c',
        params: { command: 'pwd' },
        result: 'done',
        durationMs: 'number',
      },
    ])
  })

  it('is not told of a call that was blocked (rules 75, 79: different)', async () => {
    const { app, execute, seen } = await observe([ordinary(() => ({ block: true }))])
    await execute()
    await app.close()
    expect(seen).toEqual([])
  })

  it('cannot change the result, nor delay it', async () => {
    const gate = deferred()
    const { app } = await setUp([
      (api) =>
        api.on('after_tool_call', async (event) => {
          ;(event.result as { list: number[] }).list.push(9)
          await gate.promise
          throw new Error('late')
        }),
    ])
    const outcome = await app.execute({ toolName: 'exec' }, () => ({ list: [1] }))
    expect(outcome).toMatchObject({ status: 'completed', result: { list: [1] } })
    gate.resolve(undefined)
    await app.close()
  })
})

describe('resolve_exec_env in the pipeline (rules 80, 83, 84, 86)', () => {
  const env: Register = (api) => api.on('resolve_exec_env', () => ({ REGION: 'eu', PATH: '/evil' }))

  it('reaches the tool as ctx.execEnv, frozen, and stays out of the params', async () => {
    const { app } = await setUp([env])
    let seen: unknown
    await app.execute({ toolName: 'exec', params: { command: 'ls' } }, (params, ctx) => {
      seen = [params, { ...ctx.execEnv }, Object.isFrozen(ctx.execEnv)]
      return 'done'
    })
    expect(seen).toEqual([{ command: 'ls' }, { REGION: 'eu' }, true])
  })

  it('stands in the question to the person', async () => {
    const { host } = await bundledHost(
      env,
      ordinary(() => ({ requireApproval: { title: 't' } })),
    )
    const decide = vi.fn(async (question: { ctx: { execEnv: unknown } }) => {
      expect({ ...(question.ctx.execEnv as object) }).toEqual({ REGION: 'eu' })
      return { resolution: 'allow-once' as const, approvalId: 'x' }
    })
    const app = new Toolware({ log: quietLog(), approvals: { decide } }).use(host)
    expect(await app.execute({ toolName: 'exec' }, () => 'done')).toMatchObject({
      status: 'completed',
    })
    expect(decide).toHaveBeenCalledTimes(1)
  })

  it('is not asked for a call that is blocked already', async () => {
    const handler = vi.fn(() => ({}))
    const { app, execute } = await setUp([(api) => api.on('resolve_exec_env', handler)])
    app.use({ name: 'mine', check: () => deny('no') })
    await execute()
    expect(handler).not.toHaveBeenCalled()
  })
})

describe('a reload while calls are on their way (O13, section 6.17)', () => {
  it('lets a call end with the plugins it began with, and gives the next call the new ones', async () => {
    const gate = deferred()
    let reason = 'old'
    const { host } = await loadHost({
      bundled: [
        {
          id: 'a',
          register(api) {
            const own = reason
            api.on('before_tool_call', async () => {
              await gate.promise
              return { block: true, blockReason: own }
            })
          },
        },
      ],
    })
    const app = new Toolware({ log: quietLog() }).use(host)
    const first = app.execute({ toolName: 'exec' }, () => 'done')
    await settle()
    reason = 'new'
    await host.reload('a')
    const second = app.execute({ toolName: 'exec' }, () => 'done')
    gate.resolve(undefined)
    expect(await first).toMatchObject({ reason: 'old' })
    expect(await second).toMatchObject({ reason: 'new' })
  })

  it('closes the host with the pipeline', async () => {
    const { host } = await bundledHost(() => {})
    const close = vi.spyOn(host, 'close')
    await new Toolware({ log: quietLog() }).use(host).close()
    expect(close).toHaveBeenCalled()
  })
})
