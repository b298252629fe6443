import { describe, expect, it } from 'vitest'
import { ApprovalQueue } from '../../lib/approval/queue.ts'
import { adapt, ask, rewrite, type ToolHook } from '../../lib/index.ts'
import { fakeApprover } from '../../lib/testing/fake-approver.ts'
import { askFixing } from '../../lib/verdict.ts'
import { echo, quietApp } from '../helpers/call.ts'
import { settle } from '../helpers/timers.ts'

describe('an ask once raised stands (O4)', () => {
  it('also when it is raised by the re-check after a wait', async () => {
    let evening = false
    const asked: string[] = []
    const approver = fakeApprover(({ askers }) => {
      asked.push(...askers.map(({ name }) => name))
      evening = true
      return 'allow-once'
    })
    const app = quietApp({ approvals: approver })
    app.use({ name: 'Owner', check: () => ask({ title: 'May it?' }) })
    app.use({ name: 'Hours', check: () => (evening ? ask({ title: 'After hours?' }) : null) })
    const outcome = await app.execute({ toolName: 'deploy' }, echo)
    expect(asked.includes('Hours') || outcome.status === 'blocked').toBe(true)
  })

  it('and a further question tells nobody a second time', async () => {
    let evening = false
    const told: string[] = []
    const note = (name: string) => ({ onResolution: (r: string) => told.push(`${name} ${r}`) })
    const approver = fakeApprover(() => {
      evening = true
      return 'allow-once'
    })
    const app = quietApp({ approvals: approver })
    app.use({ name: 'Owner', before: () => ask({ title: 'May it?', ...note('Owner') }) })
    app.use({
      name: 'Hours',
      check: () => (evening ? ask({ title: 'After hours?', ...note('Hours') }) : null),
    })
    await app.execute({ toolName: 'deploy' }, echo)
    expect(told).toEqual(['Owner allow-once', 'Hours allow-once'])
  })

  for (const placed of ['in the list', 'in a part run by hand'] as const) {
    it(`and another hook of the same name does not replace it, ${placed}`, async () => {
      const asked: string[] = []
      const approver = fakeApprover(({ askers }) => {
        asked.push(...askers.map(({ request }) => request.title))
        return 'allow-once'
      })
      const guard = (what: string): ToolHook => ({
        name: 'Guard',
        check: ({ params }) => ask({ title: `${what} ${params.path}` }),
      })
      const part = adapt([guard('One of'), guard('Two of')])
      const app = quietApp({ approvals: approver })
      app.use(placed === 'in the list' ? part : (ctx, next) => part(ctx, next))
      app.use({ name: 'Rewriter', before: () => rewrite({ path: 'new' }) })
      await app.execute({ toolName: 'read', params: { path: 'old' } }, echo)
      expect(asked).toEqual(['One of new', 'Two of new'])
    })
  }

  it('and what another hook of the same name asks after a wait is a question as well', async () => {
    let evening = false
    const asked: string[] = []
    const approver = fakeApprover(({ askers }) => {
      asked.push(...askers.map(({ request }) => request.title))
      evening = true
      return 'allow-once'
    })
    const app = quietApp({ approvals: approver })
    app.use({ name: 'Guard', check: () => ask({ title: 'May it?' }) })
    app.use({ name: 'Guard', check: () => (evening ? ask({ title: 'So late?' }) : null) })
    await app.execute({ toolName: 'deploy' }, echo)
    expect(asked).toEqual(['May it?', 'So late?'])
  })

  it('also about params that a person put in', async () => {
    const approver = fakeApprover((question) =>
      question.ctx.params.amount === 10
        ? { resolution: 'allow-once', params: { amount: 9999 } }
        : 'deny',
    )
    const app = quietApp({ approvals: approver })
    app.use({ name: 'Owner', check: () => ask({ title: 'May it?', editable: true }) })
    app.use({
      name: 'Finance',
      check: ({ params }) => (Number(params.amount) > 1000 ? ask({ title: 'So much?' }) : null),
    })
    const outcome = await app.execute({ toolName: 'pay', params: { amount: 10 } }, echo)
    expect(outcome.status).toBe('blocked')
  })

  it('also when a resumed call meets a hook that had not asked before', async () => {
    const queue = new ApprovalQueue({ mode: 'defer', newId: () => 'p1' })
    const app = quietApp({ approvals: queue })
    app.use({ name: 'Owner', check: () => ask({ title: 'May it?' }) })
    await app.execute({ toolName: 'deploy' }, echo)
    await queue.resolve('p1', 'allow-once')
    app.use({ name: 'Security', check: () => ask({ title: 'Reviewed?' }) })
    const outcome = await app.resume('p1', echo)
    expect(outcome.status).not.toBe('completed')
  })
})

describe('the question (section 8)', () => {
  it('is about the final params: a re-check replaces what the same hook asked about the old ones', async () => {
    const approver = fakeApprover('allow-once')
    const app = quietApp({ approvals: approver })
    const told: string[] = []
    app.use({
      name: 'Deletes',
      check: ({ params }) =>
        ask({
          title: `Delete ${String(params.path)}?`,
          onResolution: (resolution) => told.push(`${String(params.path)} ${resolution}`),
        }),
    })
    app.use({ name: 'Rewriter', before: () => rewrite({ path: 'b.txt' }) })
    await app.execute({ toolName: 'rm', params: { path: 'a.txt' } }, echo)
    const titles = approver.questions[0]?.askers.map(({ request }) => request.title)
    expect(titles).toEqual(['Delete b.txt?'])
    expect(told).toEqual(['a.txt cancelled', 'b.txt allow-once'])
  })

  it('keeps the strictest of what one hook asks twice under one title', async () => {
    const approver = fakeApprover('allow-once')
    const app = quietApp({ approvals: approver })
    const told: string[] = []
    app.use({
      name: 'Deletes',
      check: () =>
        ask({ title: 'Delete?', severity: 'info', onResolution: (r) => told.push(`check ${r}`) }),
      before: () =>
        ask({
          title: 'Delete?',
          severity: 'critical',
          allowedDecisions: ['deny'],
          onResolution: (r) => told.push(`before ${r}`),
        }),
    })
    await app.execute({ toolName: 'rm' }, echo)
    const severities = approver.questions[0]?.askers.map(({ request }) => request.severity)
    expect(severities).toContain('critical')
    expect(told).toEqual(['check allow-once', 'before allow-once'])
  })

  it('about params that no call can have tells its asker: cancelled, once', async () => {
    const told: string[] = []
    const onResolution = (resolution: string) => told.push(resolution)
    const app = quietApp().use({
      name: 'Owner',
      before: () => rewrite({ at: new Date(0) }, ask({ title: 'May it?', onResolution })),
    })
    expect(await app.execute({ toolName: 'deploy' }, echo)).toMatchObject({
      code: 'HOOK_BAD_ANSWER',
    })
    expect(told).toEqual(['cancelled'])
  })

  it('that cannot be put tells its askers: cancelled, once', async () => {
    const told: string[] = []
    const app = quietApp()
    app.use({
      name: 'Owner',
      check: () => ask({ title: 'May it?', onResolution: (resolution) => told.push(resolution) }),
    })
    expect(await app.execute({ toolName: 'deploy' }, echo)).toMatchObject({
      code: 'APPROVAL_UNAVAILABLE',
    })
    expect(told).toEqual(['cancelled'])
  })

  it('that cannot be put reports what its askers throw at that, and blocks all the same', async () => {
    const app = quietApp()
    const reported: unknown[] = []
    app.on('error', ({ hook, phase, error }) => reported.push([hook, phase, String(error)]))
    const breaks = () => {
      throw new Error('no ears')
    }
    app.use({ name: 'Owner', check: () => ask({ title: 'May it?', onResolution: breaks }) })
    expect((await app.execute({ toolName: 'deploy' }, echo)).status).toBe('blocked')
    expect(reported).toEqual([['Owner', 'onResolution', 'Error: no ears']])
  })

  it('about exactly these params ends a call whose params a middleware function changes', async () => {
    const app = quietApp({ approvals: fakeApprover('allow-once') })
    app.use({ name: 'Host', check: () => askFixing({ title: 'May it?' }, 'the host has promised') })
    app.use(
      (ctx, next) => {
        ctx.rewrite({ ...ctx.params, path: '/etc' })
        return next()
      },
      { name: 'changes' },
    )
    expect(await app.execute({ toolName: 'deploy' }, echo)).toMatchObject({
      status: 'blocked',
      code: 'PARAMS_CHANGED_AFTER_APPROVAL',
      by: 'changes',
      reason: 'the host has promised',
    })
  })

  it.each([undefined, null, 'allow-once', {}, { resolution: 'yes' }])(
    'answered with %j blocks the call; execute does not reject',
    async (answer) => {
      const app = quietApp({ approvals: { decide: () => answer as never } })
      app.use({ name: 'Owner', check: () => ask({ title: 'May it?' }) })
      expect((await app.execute({ toolName: 'deploy' }, echo)).status).toBe('blocked')
    },
  )
})

describe('app.resume', () => {
  it('takes no facts from whoever resumes: a missing fact is unknown, never assumed', async () => {
    const queue = new ApprovalQueue({ mode: 'defer', newId: () => 'p1' })
    const app = quietApp({ approvals: queue })
    const seen: unknown[] = []
    app.use({
      name: 'Owner',
      check: ({ requester, senderId, parentCallId }) => {
        seen.push({ owner: requester?.senderIsOwner, senderId, parentCallId })
        return ask({ title: 'May it?' })
      },
    })
    await app.execute({ toolName: 'deploy' }, echo)
    await queue.resolve('p1', 'allow-once')
    const admin = app.scope({ senderId: 'admin', requester: { senderIsOwner: true } })
    await admin.run(() => app.resume('p1', echo))
    expect(seen[1]).toEqual(seen[0])
  })

  it('with what is no tool rejects, and does not use up the approval', async () => {
    const queue = new ApprovalQueue({ mode: 'defer', newId: () => 'p1' })
    const app = quietApp({ approvals: queue })
    app.use({ name: 'Owner', check: () => ask({ title: 'May it?' }) })
    await app.execute({ toolName: 'deploy' }, echo)
    await queue.resolve('p1', 'allow-once')
    await app.resume('p1', undefined as never).catch(() => undefined)
    expect((await app.resume('p1', echo)).status).toBe('completed')
  })
})

describe('a refused deferred call', () => {
  it('leaves through the hooks of its own pipeline only', async () => {
    const queue = new ApprovalQueue({ mode: 'defer', newId: () => 'p1' })
    const skipped: string[] = []
    const make = (name: string) =>
      quietApp({ approvals: queue }).use({
        name,
        check: () => ask({ title: 'May it?' }),
        skipped: () => {
          skipped.push(name)
        },
      })
    const [mine] = [make('mine'), make('other')]
    await mine?.execute({ toolName: 'deploy' }, echo)
    await queue.resolve('p1', 'deny')
    await settle()
    expect(skipped).toEqual(['mine'])
  })

  it.each([
    ['deny', 'APPROVAL_DENIED'],
    ['cancel', 'APPROVAL_CANCELLED'],
    ['wait', 'APPROVAL_TIMEOUT'],
  ])('leaves with what really came of it: %s', async (end, code) => {
    // Long where somebody answers: a busy machine must not let the time run out first.
    const timeoutMs = end === 'deny' || end === 'cancel' ? 60_000 : 20
    const queue = new ApprovalQueue({ mode: 'defer', newId: () => 'p1', timeoutMs })
    const left: unknown[] = []
    const app = quietApp({ approvals: queue })
    const done = new Promise<void>((resolve) => {
      app.use({
        name: 'Audit',
        check: () => ask({ title: 'May it?' }),
        skipped: (_, outcome) => {
          left.push('code' in outcome ? outcome.code : outcome.status)
          resolve()
        },
      })
    })
    await app.execute({ toolName: 'deploy' }, echo)
    if (end === 'deny') await queue.resolve('p1', 'deny')
    if (end === 'cancel') await queue.cancel('p1')
    await done
    expect(left).toEqual([code])
  })

  it('leaves also when it is refused at once, before its pending outcome is there', async () => {
    const queue = new ApprovalQueue({ mode: 'defer', newId: () => 'p1' })
    queue.on('pending', ({ id }) => void queue.resolve(id, 'deny'))
    const left: string[] = []
    const app = quietApp({ approvals: queue })
    app.use({
      name: 'Counter',
      check: () => ask({ title: 'May it?' }),
      skipped: (_, { status }) => {
        left.push(status)
      },
    })
    const outcome = await app.execute({ toolName: 'deploy' }, echo)
    await settle()
    expect([outcome.status, left]).toEqual(['pending', ['blocked']])
  })

  it('leaves before close() closes its hooks', async () => {
    const queue = new ApprovalQueue({ mode: 'defer' })
    const app = quietApp({ approvals: queue })
    const seen: string[] = []
    app.use({
      name: 'Audit',
      check: () => ask({ title: 'May it?' }),
      skipped: async () => {
        await settle()
        seen.push('skipped')
      },
      close: () => seen.push('closed'),
    } as never)
    await app.execute({ toolName: 'deploy' }, echo)
    await app.close()
    expect(seen).toEqual(['skipped', 'closed'])
  })
})
