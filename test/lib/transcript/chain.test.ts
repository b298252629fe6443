import { describe, expect, it, vi } from 'vitest'
import type { PluginApi } from '../../../lib/plugin/types.ts'
import { bundledHost } from '../../helpers/plugins.ts'

const message = () => ({
  role: 'toolResult',
  toolName: 'exec',
  toolCallId: 'c',
  isError: false,
  content: [{ type: 'text', text: 'secret' }],
  details: { exitCode: 0 } as unknown,
})

type Persist = Parameters<PluginApi['on']>[1]

const persisting = (...handlers: unknown[]) =>
  bundledHost((api) => {
    for (const handler of handlers) api.on('tool_result_persist', handler as Persist as never)
  })

const writing = (...handlers: unknown[]) =>
  bundledHost((api) => {
    for (const handler of handlers) api.on('before_message_write', handler as Persist as never)
  })

describe('host.persistToolResult() (P5)', () => {
  it('gives each handler what the one before it left, by priority (rule 89)', async () => {
    const { host } = await bundledHost((api) => {
      api.on(
        'tool_result_persist',
        ({ message: m }) => ({
          message: { ...m, seen: [...((m['seen'] as string[]) ?? []), '5'] },
        }),
        { priority: 5 },
      )
      api.on(
        'tool_result_persist',
        ({ message: m }) => ({
          message: { ...m, seen: [...((m['seen'] as string[]) ?? []), '10'] },
        }),
        { priority: 10 },
      )
    })
    expect(host.persistToolResult(message())['seen']).toEqual(['10', '5'])
  })

  it('has the facts of the result and of the host', async () => {
    const seen: unknown[] = []
    const { host } = await persisting((event: unknown, ctx: unknown) => void seen.push(event, ctx))
    const ctx = { agentId: 'a', sessionKey: 'k', isSynthetic: true }
    host.persistToolResult(message(), ctx)
    expect(seen).toEqual([
      { message: message(), toolName: 'exec', toolCallId: 'c', isSynthetic: true },
      ctx,
    ])
  })

  it('fills a missing name and isError in (rule 94)', async () => {
    const { host } = await persisting()
    expect(host.persistToolResult({ content: 'x' })).toEqual({
      content: 'x',
      toolName: 'unknown',
      isError: false,
    })
    expect(host.persistToolResult({ content: 'x' }, { toolName: 'read', toolCallId: 'c' })).toEqual(
      {
        content: 'x',
        toolName: 'read',
        toolCallId: 'c',
        isError: false,
      },
    )
  })

  it.each([undefined, null, {}, { message: undefined }, { message: null }])(
    'keeps the message on %j (rule 89)',
    async (answer) => {
      const { host } = await persisting(() => answer)
      expect(host.persistToolResult(message())).toEqual(message())
    },
  )

  it('counts a change in place, and never lets it reach the message of the host (better)', async () => {
    const original = message()
    const { host } = await persisting(({ message: m }: { message: { content: unknown } }) => {
      m.content = 'redacted'
    })
    expect(host.persistToolResult(original)['content']).toBe('redacted')
    expect(original).toEqual(message())
  })

  it('ignores a promise with a warning, and its late rejection (rule 90, T9)', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const { host, lines } = await persisting(
      async ({ message: m }: { message: { content: unknown } }) => {
        m.content = 'before the first await'
        throw new Error('late')
      },
    )
    expect(host.persistToolResult(message())).toEqual(message())
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    expect(lines.at(-1)?.message).toBe(
      'tool_result_persist of plugin a returned a promise, and this event is synchronous; the message stays as it was',
    )
  })

  it('keeps the message of before when a handler throws, and goes on (rule 91)', async () => {
    const { host, lines } = await persisting(
      ({ message: m }: { message: { content: unknown } }) => {
        m.content = 'half done'
        throw new Error('boom\nsk-abcdefghijklmnopqrstuvwxyz')
      },
      ({ message: m }: { message: object }) => ({ message: { ...m, second: true } }),
    )
    expect(host.persistToolResult(message())).toEqual({ ...message(), second: true })
    expect(lines.at(-1)?.message).toMatch(/failed: boom \[redacted\]; the message stays as it was$/)
  })

  it.each(['text', 7, true, { message: 'text' }, { message: [] }])(
    'keeps the message on %j, which is no answer',
    async (answer) => {
      const { host, lines } = await persisting(() => answer)
      expect(host.persistToolResult(message())).toEqual(message())
      expect(lines.at(-1)?.level).toBe('warn')
    },
  )

  it('has no use for block: it is no veto (rule 96)', async () => {
    const { host } = await persisting(() => ({ block: true }))
    expect(host.persistToolResult(message())).toEqual(message())
  })

  it('bounds details after the handlers, which see them whole (rules 93, 97: different)', async () => {
    let seen: unknown
    const { host } = await persisting(
      ({ message: m }: { message: { details: { log: string } } }) => {
        seen = m.details.log.length
      },
    )
    const written = host.persistToolResult({
      ...message(),
      details: { exitCode: 1, log: 'x'.repeat(9000) },
    })
    expect(seen).toBe(9000)
    expect(written['details']).toMatchObject({ persistedDetailsTruncated: true, exitCode: 1 })
  })

  it('bounds what a handler returned, too', async () => {
    const { host } = await persisting(({ message: m }: { message: object }) => ({
      message: { ...m, details: 'x'.repeat(9000) },
    }))
    expect(host.persistToolResult(message())['details']).toMatchObject({
      persistedDetailsTruncated: true,
    })
  })

  it('does not cut text content (rule 99: different)', async () => {
    const { host } = await persisting()
    const content = 'x'.repeat(500_000)
    expect(host.persistToolResult({ content })['content']).toBe(content)
  })
})

describe('a message that cannot be cloned', () => {
  const odd = () => {
    const render = () => 'ui'
    const details: Record<string, unknown> = { render, at: new Date(0), list: [{ render }] }
    return { ...message(), details }
  }

  it('is still seen, changed and blocked by every handler', async () => {
    const persist = await persisting(({ message: m }: { message: Record<string, unknown> }) => {
      m['content'] = '***'
      ;(m['details'] as Record<string, unknown>)['added'] = true
    })
    const given = odd()
    const written = persist.host.persistToolResult(given, {})
    expect(written).toMatchObject({ content: '***', details: { added: true } })
    expect(given.details).not.toHaveProperty('added')
    expect(given.content).toEqual([{ type: 'text', text: 'secret' }])
    const write = await writing(() => ({ block: true }))
    expect(write.host.writeMessage(odd(), {})).toBeUndefined()
  })

  it('keeps its dates, its functions and its shape', async () => {
    let seen: Record<string, unknown> = {}
    const { host } = await writing(({ message: m }: { message: Record<string, unknown> }) => {
      seen = m['details'] as Record<string, unknown>
    })
    const given = odd()
    given.details['self'] = given.details
    host.writeMessage(given, {})
    expect(seen).toMatchObject({ at: new Date(0), list: [{ render: given.details['render'] }] })
    expect(seen['self']).toBe(seen)
    expect(seen).not.toBe(given.details)
  })
})

describe('a message with parts that nobody can copy', () => {
  const deep = (): unknown => {
    let value: unknown = 'core'
    for (let depth = 0; depth < 50_000; depth++) value = { value }
    return value
  }
  const unreadable = {
    good: 1,
    get bad(): never {
      throw new Error('no')
    },
  }
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()

  it.each([
    ['a depth beyond the stack', deep()],
    ['a getter that throws', unreadable],
    ['a proxy that is revoked', { proxy }],
    ['a date that is none', { date: Object.create(Date.prototype) }],
  ])('is redacted and blocked all the same: %s', async (_, details) => {
    const { host } = await bundledHost((api) => {
      api.on('tool_result_persist', ({ message: m }) => ({ message: { ...m, content: '***' } }))
      api.on('before_message_write', ({ message: m }) => ({ block: m['content'] === '***' }))
    })
    const written = host.persistToolResult({ ...message(), details })
    expect(written['content']).toBe('***')
    expect(host.writeMessage({ ...message(), details, content: '***' })).toBeUndefined()
  })

  it('keeps what can be read', async () => {
    const { host } = await persisting(() => undefined)
    const { details } = host.persistToolResult({ ...message(), details: unreadable })
    expect(details).toEqual({ good: 1, bad: undefined })
  })
})

describe('an answer that cannot be read', () => {
  const fail = (): never => {
    throw new Error('no')
  }

  it.each([
    ['block', Object.defineProperty({}, 'block', { get: fail })],
    ['then', Object.defineProperty({}, 'then', { get: fail })],
    ['then()', Object.defineProperty({}, 'then', { value: fail })],
    ['message', { message: Object.defineProperty({}, 'details', { get: fail, enumerable: true }) }],
  ])('changes nothing: %s', async (_, answer) => {
    const { host } = await writing(() => answer)
    expect(host.writeMessage(message(), {})).toEqual(message())
  })
})

describe('host.writeMessage() (P5)', () => {
  it('blocks a write, reads block before message, and ends the chain (rules 92, 96)', async () => {
    const later = vi.fn()
    const { host } = await writing(() => ({ block: true, message: { role: 'other' } }), later)
    expect(host.writeMessage({ role: 'user', content: 'x' })).toBeUndefined()
    expect(later).not.toHaveBeenCalled()
  })

  it.each([{ block: false }, { block: 'true' }, undefined])('writes on %j', async (answer) => {
    const { host } = await writing(() => answer)
    expect(host.writeMessage({ role: 'user' })).toEqual({ role: 'user' })
  })

  it('blocks, though what comes with the block cannot be read', async () => {
    const { host } = await writing(() => ({
      block: true,
      get message(): never {
        throw new Error('no')
      },
    }))
    expect(host.writeMessage(message())).toBeUndefined()
  })

  it.each(['yes', 1, 0, {}])('warns of the block %j, which says nothing', async (block) => {
    const { host, lines } = await writing(() => ({ block }))
    expect(host.writeMessage(message())).toEqual(message())
    expect(lines.map((line) => line.message)).toEqual([
      'before_message_write of plugin a answered with a block that is neither true nor false; the message stays as it was',
    ])
  })

  it('replaces the message and tells whose session it is', async () => {
    const seen: unknown[] = []
    const { host } = await writing((event: unknown) => {
      seen.push(event)
      return { message: { role: 'user', content: 'redacted' } }
    })
    const ctx = { sessionKey: 'k', agentId: 'a' }
    expect(host.writeMessage({ role: 'user', content: 'x' }, ctx)).toEqual({
      role: 'user',
      content: 'redacted',
    })
    expect(seen).toEqual([{ message: { role: 'user', content: 'x' }, ...ctx }])
  })

  it('is not blocked by a promise of block (rule 90)', async () => {
    const { host } = await writing(async () => ({ block: true }))
    expect(host.writeMessage({ role: 'user' })).toEqual({ role: 'user' })
  })

  it('gives the same object back when nobody cares', async () => {
    const { host } = await writing()
    const written = { role: 'user', content: 'x' }
    expect(host.writeMessage(written)).toBe(written)
    expect(host.stripDetails([written])[0]).toBe(written)
  })
})
