import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApprovalQueue } from '../../../lib/approval/queue.ts'
import { parseApprove } from '../../../lib/plugin/approve-command.ts'
import type { CommandContext, CommandDefinition } from '../../../lib/plugin/types.ts'
import { Toolware } from '../../../lib/toolware.ts'
import { quietLog } from '../../helpers/call.ts'
import { bundledHost, definitions, loadHost } from '../../helpers/plugins.ts'
import { settle } from '../../helpers/timers.ts'

afterEach(() => vi.useRealTimers())

const yes = { authorize: () => true }

async function host(...commands: Array<Partial<CommandDefinition>>) {
  return bundledHost((api) => {
    for (const command of commands) {
      api.registerCommand({
        name: 'fix',
        description: 'd',
        handler: () => ({ text: 'done' }),
        ...command,
      })
    }
  })
}

describe('host.runCommand() (P6)', () => {
  it('runs the command that is named, whatever its case, and gives it what was typed', async () => {
    const handler = vi.fn((_ctx: CommandContext) => ({ continueAgent: true }))
    const { host: it } = await host({ acceptsArgs: true, handler })
    const facts = { agentId: 'main', senderId: 'u', requester: { senderIsOwner: true } }
    expect(await it.runCommand('  /FIX@bot the  door ', facts, yes)).toEqual({
      status: 'done',
      command: 'fix',
      pluginId: 'a',
      reply: { continueAgent: true },
    })
    expect(handler.mock.calls[0]?.[0]).toEqual({
      ...facts,
      args: 'the  door',
      commandBody: '  /FIX@bot the  door ',
      isAuthorizedSender: true,
    })
  })

  it.each(['fix', '/fixx', '/', '/fix it', 'say /fix', '// fix'])(
    'leaves %j to others',
    async (text) => {
      const { host: it } = await host({})
      expect(await it.runCommand(text, {}, yes)).toEqual({ status: 'unknown' })
    },
  )

  it('is quick about a text of mere blanks', async () => {
    const { host: it } = await host({
      acceptsArgs: true,
      handler: ({ args }) => ({ text: `${args}` }),
    })
    const started = performance.now()
    expect(await it.runCommand(`/fix${' '.repeat(300_000)}\n`, {}, yes)).toMatchObject({
      reply: { text: 'undefined' },
    })
    expect(await it.runCommand(`/fix@${'b'.repeat(300_000)}!\n x`, {}, yes)).toMatchObject({
      reply: { text: 'x' },
    })
    // A second look at each blank would take a minute.
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('refuses a command that needs authorisation, also when nobody says who may (default: needs it)', async () => {
    const handler = vi.fn()
    const { host: it } = await host({ handler }, { name: 'free', requireAuth: false })
    expect(await it.runCommand('/fix')).toMatchObject({
      status: 'refused',
      reason: '/fix needs authorisation, and the host has not said who may use it',
    })
    expect(await it.runCommand('/fix', {}, { authorize: () => false })).toMatchObject({
      status: 'refused',
      reason: '/fix is for authorised senders',
    })
    expect(await it.runCommand('/fix', {}, { authorize: () => 1 as never })).toMatchObject({
      status: 'refused',
    })
    expect(handler).not.toHaveBeenCalled()
    expect(await it.runCommand('/free')).toMatchObject({ status: 'done' })
  })

  it('refuses when authorize throws or rejects', async () => {
    const { host: it } = await host({})
    const boom = (): never => {
      throw new Error('boom')
    }
    expect(await it.runCommand('/fix', {}, { authorize: boom })).toMatchObject({
      status: 'refused',
    })
    expect(
      await it.runCommand('/fix', {}, { authorize: () => Promise.reject(new Error('boom')) }),
    ).toMatchObject({ status: 'refused' })
  })

  it('tells authorize which command it is and who typed it', async () => {
    const authorize = vi.fn(() => true)
    const { host: it } = await host({})
    await it.runCommand('/fix', { senderId: 'u' }, { authorize })
    expect(authorize.mock.calls).toEqual([[{ name: 'fix', pluginId: 'a' }, { senderId: 'u' }]])
  })

  it('never rejects: a failing or silent handler is a failed command', async () => {
    vi.useFakeTimers()
    const boom = (): never => {
      throw new Error('secret detail')
    }
    const { host: it } = await host(
      { handler: boom },
      { name: 'slow', handler: () => new Promise(() => {}) },
    )
    expect(await it.runCommand('/fix', {}, yes)).toEqual({
      status: 'failed',
      command: 'fix',
      pluginId: 'a',
      reason: '/fix failed',
    })
    const slow = it.runCommand('/slow', {}, yes)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await slow).toMatchObject({ status: 'failed' })
  })

  it.each([['text'], [5], [true], [[{ text: 'x' }]]])(
    'fails with %j in place of a reply, which nobody would be shown',
    async (answer) => {
      const { host: it, lines } = await host({ handler: () => answer as never })
      expect(await it.runCommand('/fix', {}, yes)).toMatchObject({ status: 'failed' })
      expect(lines.at(-1)?.message).toMatch(
        /^\/fix of plugin a failed: answered .*, not \{ text \}/,
      )
    },
  )

  it('keeps a name of the host for the host, and reports the plugin that wants it', async () => {
    const { host: it } = await loadHost({
      approvals: { resolve: () => undefined },
      bundled: definitions([
        (api) =>
          api.registerCommand({
            name: 'Approve',
            description: 'd',
            handler: () => ({ text: 'x' }),
          }),
      ]),
    })
    expect(await it.runCommand('/approve', {}, yes)).toMatchObject({ pluginId: 'toolware' })
    expect(it.diagnostics()).toMatchObject([
      {
        pluginId: 'a',
        code: 'duplicate_command',
        message: '/Approve is a command of the host already; that one counts',
      },
    ])
  })

  it('lets the first plugin keep a name and reports the second', async () => {
    const named = (text: string) => ({ name: 'fix', description: 'd', handler: () => ({ text }) })
    const { host: it } = await bundledHost(
      (api) => api.registerCommand(named('first')),
      (api) => api.registerCommand({ ...named('second'), name: 'FIX' }),
    )
    expect(await it.runCommand('/fix', {}, yes)).toMatchObject({ reply: { text: 'first' } })
    expect(it.diagnostics()).toMatchObject([{ pluginId: 'b', code: 'duplicate_command' }])
  })

  it.each([
    [{ name: '/fix' }],
    [{ name: '' }],
    [{ name: 'two words' }],
    [{ handler: 'x' as never }],
  ])('refuses to register %j', async (command) => {
    const { host: it } = await host(command)
    expect(it.reports()).toMatchObject([{ state: 'refused' }])
  })

  it('refuses the same name twice in one plugin', async () => {
    const { host: it } = await host({}, { name: 'Fix' })
    expect(it.diagnostics()).toMatchObject([{ code: 'register_failed' }])
  })
})

describe('parseApprove() (rule 72)', () => {
  it.each([
    ['/approve abc allow-once', 'abc', 'allow-once'],
    ['/approve allow-once abc', 'abc', 'allow-once'],
    ['/Approve@my_bot ABC Allow', 'ABC', 'allow-once'],
    ['  abc once ', 'abc', 'allow-once'],
    ['abc allowonce', 'abc', 'allow-once'],
    ['abc always', 'abc', 'allow-always'],
    ['abc AllowAlways', 'abc', 'allow-always'],
    ['abc allow-always', 'abc', 'allow-always'],
    ['abc deny', 'abc', 'deny'],
    ['reject abc', 'abc', 'deny'],
    ['abc BLOCK', 'abc', 'deny'],
    ['plugin:1b9d6bcd deny', 'plugin:1b9d6bcd', 'deny'],
    ['deny deny', 'deny', 'deny'],
  ])('reads %j', (text, id, decision) => {
    expect(parseApprove(text)).toEqual({ ok: true, id, decision })
  })

  it.each([
    '',
    '/approve',
    '/approve abc',
    'abc maybe',
    'abc deny now',
    'allow',
    'abc constructor',
    '/approved abc deny',
  ])('answers %j with how to use it', (text) => {
    expect(parseApprove(text)).toEqual({
      ok: false,
      usage: 'Usage: /approve <id> allow-once|allow-always|deny',
    })
  })
})

describe('/approve as a command of the host', () => {
  it('settles an approval for an authorised sender, and tells what came of it', async () => {
    const resolve = vi.fn(async (id: string) => {
      if (id === 'gone') throw new Error("there is no approval 'gone'")
    })
    const { host: it } = await loadHost({ approvals: { resolve } })
    const facts = { senderId: 'u', channelId: 'c' }
    expect(await it.runCommand('/approve abc deny', facts)).toMatchObject({ status: 'refused' })
    expect(resolve).not.toHaveBeenCalled()
    expect(await it.runCommand('/approve abc reject', facts, yes)).toMatchObject({
      status: 'done',
      reply: { text: 'Approval abc: deny' },
    })
    expect(resolve.mock.calls).toEqual([['abc', 'deny', { by: 'u' }]])
    expect(await it.runCommand('/approve gone deny', facts, yes)).toMatchObject({
      reply: { text: "there is no approval 'gone'" },
    })
    expect(await it.runCommand('/approve huh', facts, yes)).toMatchObject({
      reply: { text: 'Usage: /approve <id> allow-once|allow-always|deny' },
    })
  })

  it('settles a call that waits in an ApprovalQueue', async () => {
    const queue = new ApprovalQueue({ newId: () => 'p1' })
    const { host: it } = await loadHost({
      approvals: queue,
      bundled: [
        {
          id: 'a',
          register: (api) =>
            api.on('before_tool_call', () => ({ requireApproval: { title: 'Deploy?' } })),
        },
      ],
    })
    const app = new Toolware({ log: quietLog(), approvals: queue }).use(it)
    const outcome = app.execute({ toolName: 'deploy' }, () => 'done')
    await settle()
    await it.runCommand('/approve once p1', { senderId: 'ana' }, yes)
    expect(await outcome).toMatchObject({ status: 'completed', result: 'done' })
    expect(await queue.get('p1')).toMatchObject({ resolvedBy: 'ana' })
    const twice = await it.runCommand('/approve p1 deny', {}, yes)
    expect(twice).toMatchObject({ reply: { text: expect.stringContaining('p1') } })
  })

  it('cannot be taken by a plugin', async () => {
    const { host: it } = await loadHost({
      approvals: { resolve: () => undefined },
      bundled: [
        {
          id: 'a',
          register: (api) =>
            api.registerCommand({
              name: 'approve',
              description: 'd',
              acceptsArgs: true,
              handler: () => ({ text: 'mine' }),
            }),
        },
      ],
    })
    expect(await it.runCommand('/approve x deny', {}, yes)).toMatchObject({ pluginId: 'toolware' })
  })
})
