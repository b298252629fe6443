import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../agent/listen.ts'
import { type AgentOptions, createAgent } from './agent.ts'
import { Client } from './client.ts'
import { Services } from './services.ts'

interface Running {
  readonly services: Services
  readonly bob: Client
  readonly alice: Client
  readonly nobody: Client
}

async function start(approvals: AgentOptions['approvals'] = {}): Promise<Running> {
  const services = new Services()
  const { koa, pipeline, queue } = createAgent({ services, deciders: ['alice'], approvals })
  const { server, url } = await listen(koa.callback())
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await pipeline.close()
    await queue.close()
  })
  const as = (token: string): Client => new Client(url, token)
  return { services, bob: as('bob-token'), alice: as('alice-token'), nobody: as('x') }
}

async function pending(client: Client, name: string, args: object): Promise<string> {
  const { status, body } = await client.call(name, args)
  expect([status, body.status]).toEqual([202, 'pending'])
  return body.approvalId ?? ''
}

describe('the agent with deferred approvals', () => {
  it('answers at once what nobody has to allow', async () => {
    const { bob } = await start()
    const { status, body } = await bob.call('status', { service: 'web' })
    expect(status).toBe(200)
    expect(body).toEqual({ status: 'completed', text: '{"replicas":2,"restarts":0}' })
  })

  it('gives the model a denial to read, and asks nobody about it', async () => {
    const { bob, alice } = await start()
    const { body } = await bob.call('scale', { service: 'web', replicas: 21 })
    expect(body).toMatchObject({ status: 'blocked', code: 'DENIED' })
    expect(body.text).toContain('there is room for 1 to 20')
    expect((await alice.waiting()).body).toEqual([])
  })

  it('shows who wants what, and what can be answered', async () => {
    const { bob, alice } = await start()
    const id = await pending(bob, 'scale', { service: 'web', replicas: 5 })
    const { body } = await alice.waiting()
    expect(body).toEqual([
      expect.objectContaining({
        id,
        who: 'bob',
        title: 'Scale web to 5?',
        decisions: ['allow-once', 'deny'],
        editable: true,
      }),
    ])
  })

  it('runs a call once, however many resume it at the same time', async () => {
    const { bob, alice, services } = await start()
    const id = await pending(bob, 'restart', { service: 'web' })
    await alice.decide(id, 'allow-once')
    const resumed = await Promise.all(Array.from({ length: 20 }, () => bob.resume(id)))
    const ends = resumed.map(({ body: { status, code } }) => code ?? status)
    expect(ends.sort()).toEqual([...Array(19).fill('APPROVAL_RESOLVED'), 'completed'])
    expect(services.get('web').restarts).toBe(1)
  })

  it('counts the first of many decisions', async () => {
    const { bob, alice, services } = await start()
    const id = await pending(bob, 'restart', { service: 'web' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => alice.decide(id, i % 2 === 0 ? 'allow-once' : 'deny')),
    )
    expect(answers.filter(({ body }) => body?.repeated === false)).toHaveLength(1)
    expect(answers.filter(({ body }) => body?.repeated === true)).toHaveLength(9)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10)
    const won = answers.find(({ status }) => status === 200)?.body.status
    const { body } = await bob.resume(id)
    expect(body.status).toBe(won === 'deny' ? 'blocked' : 'completed')
    expect(services.get('web').restarts).toBe(won === 'deny' ? 0 : 1)
  })

  it('gives each of 40 calls its own decision, answered in another order', async () => {
    const { bob, alice, services } = await start()
    const calls = Array.from({ length: 40 }, (_, i) => i)
    const ids = await Promise.all(calls.map(() => pending(bob, 'restart', { service: 'cache' })))
    // 40 and 7 have no common divisor, so this is every index once.
    for (const i of calls.map((n) => (n * 7) % 40)) {
      await alice.decide(ids[i] ?? '', i % 4 === 0 ? 'allow-once' : 'deny', { reason: `no ${i}` })
    }
    const texts = await Promise.all(ids.map(async (id) => (await bob.resume(id)).body.text))
    for (const i of calls) {
      expect(texts[i]).toMatch(i % 4 === 0 ? /^\{"replicas"/ : new RegExp(`\nno ${i}$`))
    }
    expect(services.get('cache').restarts).toBe(10)
  })

  it('lets an agent that came too early come again', async () => {
    const { bob, alice, services } = await start()
    const id = await pending(bob, 'restart', { service: 'web' })
    expect((await bob.resume(id)).body).toMatchObject({ code: 'APPROVAL_UNAVAILABLE' })
    await alice.decide(id, 'allow-once')
    expect((await bob.resume(id)).body).toMatchObject({ status: 'completed' })
    expect(services.get('web').restarts).toBe(1)
  })

  it('runs what the person made of it, if policies let that pass', async () => {
    const { bob, alice, services } = await start()
    const edited = async (replicas: number): Promise<unknown> => {
      const id = await pending(bob, 'scale', { service: 'web', replicas: 19 })
      await alice.decide(id, 'allow-once', { params: { service: 'web', replicas } })
      return (await bob.resume(id)).body
    }
    expect(await edited(3)).toMatchObject({ status: 'completed' })
    expect(services.get('web').replicas).toBe(3)
    expect(await edited(300)).toMatchObject({ status: 'blocked', code: 'DENIED' })
    expect(services.get('web').replicas).toBe(3)
  })

  it('remembers always for the same call of the same agent, until it is revoked', async () => {
    const { bob, alice } = await start()
    const id = await pending(bob, 'restart', { service: 'web' })
    await alice.decide(id, 'allow-always')
    expect((await bob.resume(id)).body.status).toBe('completed')
    expect((await bob.call('restart', { service: 'web' }, 'other')).body.status).toBe('completed')
    await pending(bob, 'restart', { service: 'cache' })
    await pending(alice, 'restart', { service: 'web' })
    const [grant] = (await alice.grants()).body
    expect(grant).toMatchObject({ agentId: 'agent of bob', grantedBy: 'alice' })
    expect((await alice.revoke(grant?.id ?? '')).status).toBe(204)
    expect((await alice.revoke(grant?.id ?? '')).status).toBe(404)
    await pending(bob, 'restart', { service: 'web' })
  })

  it('takes no answer after time ran out, and no resume long after an answer', async () => {
    let now = 0
    const { bob, alice, services } = await start({ clock: () => now, useWithinMs: 1000 })
    const late = await pending(bob, 'restart', { service: 'web' })
    now = 120_000
    expect(await alice.decide(late, 'allow-once')).toMatchObject({ status: 410 })
    expect((await bob.resume(late)).body).toMatchObject({ code: 'APPROVAL_TIMEOUT' })
    const unused = await pending(bob, 'restart', { service: 'web' })
    await alice.decide(unused, 'allow-once')
    now += 1001
    expect((await bob.resume(unused)).body).toMatchObject({ code: 'APPROVAL_EXPIRED' })
    expect(services.get('web').restarts).toBe(0)
  })

  it('lets only those decide who may, and only those resume whose call it is', async () => {
    const { bob, alice, nobody, services } = await start()
    const id = await pending(bob, 'restart', { service: 'web' })
    for (const answer of [
      await bob.decide(id, 'allow-once'),
      await bob.waiting(),
      await bob.grants(),
      await bob.revoke(id),
    ]) {
      expect([answer.status, answer.text]).toEqual([403, 'Only alice may do that.'])
    }
    expect((await nobody.decide(id, 'allow-once')).status).toBe(401)
    await alice.decide(id, 'allow-once')
    expect(await alice.resume(id)).toMatchObject({ status: 404, text: 'You have no such call.' })
    expect(services.get('web').restarts).toBe(0)
    expect((await bob.resume(id)).body.status).toBe('completed')
  })

  it.each<[string, string, string, unknown, number, string]>([
    ['no tool', 'POST', '/calls', {}, 400, '"name"'],
    ['arguments that are a list', 'POST', '/calls', { name: 'x', arguments: [] }, 400, '"argum'],
    ['no JSON', 'POST', '/calls', '{"name', 400, 'JSON'],
    ['a body that is no object', 'POST', '/calls', 'null', 400, 'JSON object'],
    ['no such approval', 'POST', '/approvals/1', { decision: 'deny' }, 404, 'APPROVAL_NOT_FOUND'],
    ['no decision', 'POST', '/approvals/1', {}, 400, 'is no decision'],
    ['bad params', 'POST', '/approvals/1', { decision: 'deny', params: 1 }, 400, '"params"'],
    ['no such call', 'POST', '/calls/1/resume', undefined, 404, 'no such call'],
    ['another path', 'GET', '/calls', undefined, 404, 'There is no GET /calls.'],
  ])('answers %s with what is wrong', async (_, method, path, body, status, message) => {
    const { alice } = await start()
    const answer = await alice.request(method, path, body)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(message)
  })

  it('answers a decision that is not offered with those that are', async () => {
    const { bob, alice } = await start()
    const id = await pending(bob, 'scale', { service: 'web', replicas: 5 })
    const answer = await alice.decide(id, 'allow-always')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('use one of allow-once, deny')
  })

  it('gives the model failures to read: no such service, no such tool', async () => {
    const { bob } = await start()
    expect((await bob.call('status', { service: 'mail' })).body).toMatchObject({
      status: 'failed',
      text: 'Tool failed: there is no service "mail"; there are web, cache',
    })
    const { body } = await bob.call('reboot', {})
    expect(body.text).toContain('There is no tool named reboot.')
  })
})
