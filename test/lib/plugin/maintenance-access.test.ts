import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { PluginHost } from '../../../lib/plugin/host.ts'
import { Toolware } from '../../../lib/toolware.ts'
import type { Requester } from '../../../lib/types.ts'
import { quietLog } from '../../helpers/call.ts'

// The second seed's sample, character for character.
const FILE = fileURLToPath(new URL('../../cases/openclaw/maintenance-access.ts', import.meta.url))

const ID = 'maintenance-access'
const AGENT = 'maintenance-agent'
const scope: Requester = { channel: 'discord', accountId: 'operations' }
const owner: Requester = { senderIsOwner: true }
const bySender: Requester = { ...scope, senderId: 'maintainer-user-id' }
const byRole: Requester = { ...scope, senderId: 'somebody', roleIds: ['x', 'maintainer-role-id'] }
const stranger: Requester = { ...scope, senderId: 'stranger', roleIds: ['x'] }

const log = quietLog()
let host: PluginHost
let app: Toolware

beforeAll(async () => {
  host = new PluginHost({
    log,
    config: { load: { paths: [FILE] }, entries: { [ID]: { enabled: true } } },
  })
  app = new Toolware({ log }).use(await host.load())
})

async function judge(
  toolName: string,
  requester: Requester | undefined,
  { agentId = AGENT, params = {} }: { agentId?: string | undefined; params?: object } = {},
): Promise<string> {
  let ran = false
  const outcome = await app.execute({ toolName, params, agentId, requester }, () => {
    ran = true
    return 'done'
  })
  if (outcome.status === 'completed') return 'runs'
  expect(ran).toBe(false)
  expect(outcome).toMatchObject({ status: 'blocked', code: 'DENIED', rule: `plugin:${ID}` })
  return 'reason' in outcome ? (outcome.reason ?? '') : ''
}

describe('maintenance-access.ts, unchanged', () => {
  it('loads without a word', () => {
    expect(host.reports()).toMatchObject([
      {
        id: ID,
        name: 'Maintenance access',
        state: 'loaded',
        events: ['before_tool_call'],
        commands: ['fix'],
      },
    ])
    expect(host.diagnostics()).toEqual([])
  })

  const TOOLS = ['read', 'web_fetch', 'web_search', 'session_status']
  const OTHERS = ['exec', 'write', 'edit', 'Read', 'web_fetch2']
  const NO = 'Maintainer access required.'

  it.each([...TOOLS, ...OTHERS, 'message'])('lets the owner use %s', async (tool) => {
    expect(await judge(tool, owner)).toBe('runs')
  })

  it.each([
    ['sender', bySender],
    ['role', byRole],
  ])(
    'lets a maintainer by %s use the conservative tools and no others',
    async (_how, requester) => {
      for (const tool of TOOLS) expect(await judge(tool, requester)).toBe('runs')
      for (const tool of OTHERS)
        expect(await judge(tool, requester)).toBe(`Owner required for ${tool}.`)
    },
  )

  it.each(['react', 'reply', 'thread-create', 'thread-reply'])(
    'lets a maintainer use the message action %s',
    async (action) => {
      expect(await judge('message', bySender, { params: { action } })).toBe('runs')
    },
  )

  it.each([
    [{ action: 'send' }, 'send'],
    [{ action: 'delete' }, 'delete'],
    [{ action: '' }, 'unknown'],
    [{ action: 3 }, 'unknown'],
    [{}, 'unknown'],
  ])('keeps a maintainer from message with %j', async (params, action) => {
    expect(await judge('message', byRole, { params })).toBe(`Owner required for message.${action}.`)
  })

  it.each([
    ['a stranger', stranger],
    ['nobody', undefined],
    ['an empty requester', {}],
    ['a maintainer id on another channel', { ...bySender, channel: 'slack' }],
    ['a maintainer id under another account', { ...bySender, accountId: 'other' }],
    ['a role without its scope', { roleIds: ['maintainer-role-id'] }],
    ['somebody who says senderIsOwner: false', { ...stranger, senderIsOwner: false }],
    ['an owner as text', { ...stranger, senderIsOwner: 'true' as unknown as boolean }],
  ])('keeps %s out of everything', async (_who, requester) => {
    for (const tool of [...TOOLS, 'exec', 'message']) expect(await judge(tool, requester)).toBe(NO)
  })

  it.each(['other-agent', undefined])('has nothing to say about the agent %s', async (agentId) => {
    const outcome = await app.execute({ toolName: 'exec', agentId }, () => 'done')
    expect(outcome.status).toBe('completed')
  })

  it('tells the model the reason on the second line', async () => {
    const outcome = await app.execute({ toolName: 'exec', agentId: AGENT }, () => 'done')
    expect(outcome.text).toBe(
      `Tool execution denied by hook: before_tool_call\nMaintainer access required.`,
    )
  })

  it('registers /fix, refused without authorisation', async () => {
    const facts = { agentId: AGENT }
    expect(await host.runCommand('/fix the bridge', facts)).toMatchObject({
      status: 'refused',
      command: 'fix',
      pluginId: ID,
    })
    const no = { authorize: () => false }
    expect(await host.runCommand('/fix', facts, no)).toMatchObject({ status: 'refused' })
    const yes = { authorize: () => true }
    expect(await host.runCommand('/fix the bridge', facts, yes)).toMatchObject({
      status: 'done',
      reply: { continueAgent: true },
    })
    expect(await host.runCommand('/fix', { agentId: 'other' }, yes)).toMatchObject({
      reply: { text: 'This command is only available in the maintenance conversation.' },
    })
  })
})
