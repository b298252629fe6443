import assert from 'node:assert/strict'
import { listen } from '../agent/listen.ts'
import { createAgent } from './agent.ts'
import { type Answer, type Called, Client } from './client.ts'
import { Services } from './services.ts'

// Bob's agent calls tools, alice is on call. Every step is a request of its own; nothing waits in between.
const services = new Services()
let now = Date.now()
const { koa, pipeline, queue } = createAgent({
  services,
  deciders: ['alice'],
  approvals: { clock: () => now },
})
const { server, url } = await listen(koa.callback())
const agent = new Client(url, 'bob-token')
const alice = new Client(url, 'alice-token')

const tell = (who: string, what: string): void => console.log(`${who.padEnd(7)}${what}`)

/** Has the agent call a tool that a person has to allow. */
async function pending(name: string, args: object): Promise<string> {
  const { status, body } = await agent.call(name, args)
  assert.equal(status, 202, `${name} should wait for a person, and is ${body.status}: ${body.text}`)
  tell('agent', `${name} ${JSON.stringify(args)}: ${body.status}`)
  return body.approvalId ?? ''
}

/** Has alice decide. */
async function decide(id: string, decision: string, more: object = {}): Promise<void> {
  const { status, text, body } = await alice.decide(id, decision, more)
  assert.equal(status, 200, `alice's answer should count: ${text}`)
  assert.deepEqual(body, { status: decision, by: 'alice', repeated: false })
  tell('alice', [decision, ...Object.values(more).map((it) => JSON.stringify(it))].join(' '))
}

function ended(answer: Answer<Called>, status: string, code?: string): void {
  const { body } = answer
  tell('agent', `resumed: ${[body.status, body.code].filter(Boolean).join(', ')}: ${body.text}`)
  assert.deepEqual([body.status, body.code], [status, code], answer.text)
}

try {
  console.log('one call, one run')
  const status = await agent.call('status', { service: 'cache' })
  assert.equal(status.body.status, 'completed', 'nobody has to allow a look')
  const first = await pending('restart', { service: 'cache' })
  ended(await agent.resume(first), 'blocked', 'APPROVAL_UNAVAILABLE')
  const { body: waiting } = await alice.waiting()
  assert.deepEqual(
    waiting.map(({ id, who, title }) => [id, who, title]),
    [[first, 'bob', 'Restart cache?']],
  )
  assert.equal((await agent.decide(first, 'allow-once')).status, 403, 'bob cannot allow it himself')
  assert.equal(services.get('cache').restarts, 0, 'nothing runs before somebody said yes')
  await decide(first, 'allow-once')
  const both = await Promise.all([agent.resume(first), agent.resume(first)])
  const [ran, refused] = both.sort((a, b) => b.body.status.localeCompare(a.body.status))
  ended(ran as Answer<Called>, 'completed')
  ended(refused as Answer<Called>, 'blocked', 'APPROVAL_RESOLVED')
  assert.equal(services.get('cache').restarts, 1, 'of two that resume at once, one runs')

  console.log('\nthe first decision wins')
  const second = await pending('restart', { service: 'web' })
  await decide(second, 'deny', { reason: 'Not during the sale.' })
  const late = await alice.decide(second, 'allow-once')
  assert.equal(late.status, 409, 'another decision comes too late')
  tell('alice', `allow-once: ${late.text}`)
  assert.equal((await alice.decide(second, 'deny')).body.repeated, true, 'the same one is fine')
  ended(await agent.resume(second), 'blocked', 'APPROVAL_DENIED')
  assert.equal(services.get('web').restarts, 0)

  console.log('\na person changes what was asked for, within what policies allow')
  const third = await pending('scale', { service: 'web', replicas: 18 })
  await decide(third, 'allow-once', { params: { service: 'web', replicas: 6 } })
  ended(await agent.resume(third), 'completed')
  assert.equal(services.get('web').replicas, 6, "alice's number counts")
  const fourth = await pending('scale', { service: 'web', replicas: 9 })
  await decide(fourth, 'allow-once', { params: { service: 'web', replicas: 90 } })
  ended(await agent.resume(fourth), 'blocked', 'DENIED')
  assert.equal(services.get('web').replicas, 6, 'a person cannot allow what a policy denies')
  const fixed = await pending('restart', { service: 'web' })
  const edit = await alice.decide(fixed, 'allow-once', { params: { service: 'cache' } })
  assert.equal(edit.status, 400, 'what is not editable stays as it was asked for')
  await decide(fixed, 'deny')

  console.log('\nalways, until it is taken back')
  const fifth = await pending('restart', { service: 'cache' })
  await decide(fifth, 'allow-always')
  ended(await agent.resume(fifth), 'completed')
  const again = await agent.call('restart', { service: 'cache' }, 'another chat')
  assert.equal(again.body.status, 'completed', 'the same call of the same agent asks nobody')
  assert.equal(services.get('cache').restarts, 3)
  tell('agent', 'restart {"service":"cache"} in another chat: completed, nobody was asked')
  const other = await agent.call('restart', { service: 'web' })
  assert.equal(other.body.status, 'pending', 'a grant for one service is none for another')
  const [grant] = (await alice.grants()).body
  assert.equal((await alice.revoke(grant?.id ?? '')).status, 204)
  tell('alice', `took back: ${grant?.covers}`)
  await pending('restart', { service: 'cache' })

  console.log('\nan answer that comes too late allows nothing')
  const last = await pending('scale', { service: 'cache', replicas: 3 })
  now += 3 * 60_000
  const expired = await alice.decide(last, 'allow-once')
  assert.equal(expired.status, 410, 'time ran out')
  tell('alice', `allow-once, three minutes later: ${expired.text}`)
  ended(await agent.resume(last), 'blocked', 'APPROVAL_TIMEOUT')
  assert.equal(services.get('cache').replicas, 1)
  assert.deepEqual((await alice.waiting()).body, [], 'nothing waits any more')
} finally {
  server.closeAllConnections()
  server.close()
  await pipeline.close()
  await queue.close()
}
console.log('\nas it should be')
