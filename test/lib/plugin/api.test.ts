import { describe, expect, it } from 'vitest'
import { closest, distance } from '../../../lib/closest.ts'
import { EVENTS, FOREIGN_EVENTS, FOREIGN_FUNCTIONS, MEMBERS } from '../../../lib/plugin/names.ts'
import type { PluginApi } from '../../../lib/plugin/types.ts'
import { hookContext } from '../../helpers/hook-context.ts'
import { bundledHost, definitions, hookOf, loadHost, namesOf } from '../../helpers/plugins.ts'

/** What became of one plugin's `register`. */
async function register(body: (api: PluginApi) => unknown) {
  const { host, lines } = await bundledHost(body)
  const [report] = host.reports()
  if (report === undefined) throw new Error('no report')
  return { host, lines, report, diagnostics: report.diagnostics }
}

describe('closest()', () => {
  it.each([
    ['before_tool_cal', 'before_tool_call'],
    ['beforeToolCall', 'before_tool_call'],
    ['tool:befor', 'tool:before'],
    ['tool_before', 'tool:before'],
    ['on_tool_result', 'tool_result_persist'],
    ['sesion_start', 'session_start'],
  ])('finds for %s the name %s', (name, expected) => {
    expect(closest(name, [...EVENTS, ...FOREIGN_EVENTS])).toBe(expected)
  })

  it('finds nothing for what is like nothing', () => {
    expect(closest('zzzzzz', EVENTS)).toBeUndefined()
  })

  it('counts a swap of neighbours as one edit', () => {
    expect([distance('abc', 'acb'), distance('abc', ''), distance('abc', 'abd')]).toEqual([1, 3, 1])
  })
})

describe('api.on()', () => {
  it.each(EVENTS)('takes %s', async (event) => {
    const { report } = await register((api) => api.on(event, () => undefined))
    expect(report).toMatchObject({ state: 'loaded', events: [event], diagnostics: [] })
  })

  it.each(FOREIGN_EVENTS)(
    'accepts and reports %s, which never fires here (rule 11b)',
    async (event) => {
      const { report, host } = await register((api) => api.on(event as 'tool:*', () => true))
      expect(report).toMatchObject({ state: 'loaded', events: [] })
      expect(report.diagnostics).toMatchObject([{ level: 'warn', code: 'event_never_fires' }])
      expect(host.hooks()).toEqual([])
    },
  )

  it.each([
    ['before_tool_cal', 'before_tool_call'],
    ['PreToolUse', 'before_tool_call'],
    ['PostToolUse', 'after_tool_call'],
    ['tool:befor', 'tool:before'],
    ['before', 'tool:before'],
  ])('refuses %s and says %s (rule 11b: stricter, BR-027)', async (event, meant) => {
    const { report } = await register((api) => api.on(event as 'tool:*', () => true))
    expect(report).toMatchObject({ state: 'refused', diagnostics: [{ code: 'register_failed' }] })
    expect(report.diagnostics[0]?.message).toContain(
      `there is no event '${event}'; did you mean '${meant}'?`,
    )
  })

  it('refuses a bad matcher, handler and priority at registration (rule 18: stricter)', async () => {
    const bad: Array<(api: PluginApi) => void> = [
      (api) => api.on('before_tool_call', () => {}, { matcher: ['*'] }),
      (api) => api.on('before_tool_call', () => {}, { matcher: 'exec' as never }),
      (api) => api.on('before_tool_call', undefined as never),
      (api) => api.on('before_tool_call', () => {}, { priority: Number.NaN }),
      (api) => api.on('before_tool_call', () => {}, { priority: '10' as never }),
    ]
    for (const body of bad) expect((await register(body)).report.state).toBe('refused')
  })

  it('says that a matcher has no effect where no tool is matched (rule 19)', async () => {
    const { diagnostics } = await register((api) =>
      api.on('tool_result_persist', () => {}, { matcher: ['exec'] }),
    )
    expect(diagnostics).toMatchObject([{ level: 'warn', code: 'option_ignored' }])
  })

  it('says that a timeout is no duration (rule 7)', async () => {
    const { diagnostics } = await register((api) =>
      api.on('before_tool_call', () => {}, { timeoutMs: 0 }),
    )
    expect(diagnostics).toMatchObject([{ level: 'warn', code: 'option_ignored' }])
  })

  it.each([1e12, Number.MAX_VALUE, 2 ** 31])(
    'gives a handler that wants %d ms the longest time there is, not none',
    async (timeoutMs) => {
      const { host, diagnostics } = await register((api) =>
        api.on('before_tool_call', () => {}, { timeoutMs }),
      )
      expect(hookOf(host).timeoutMs).toBe(601_000)
      expect(diagnostics).toMatchObject([
        {
          level: 'warn',
          code: 'option_ignored',
          message: `timeoutMs: ${timeoutMs} is more than a handler can have; 'before_tool_call' gets 600000`,
        },
      ])
    },
  )

  it.each([
    [undefined, undefined, 'api.on: the event must be the name of one, not undefined'],
    [5, undefined, 'api.on: the event must be the name of one, not 5'],
    [Symbol('x'), undefined, 'api.on: the event must be the name of one, not Symbol(x)'],
    [['tool:*'], undefined, 'api.on: the event must be the name of one, not ["tool:*"]'],
    ['constructor', undefined, "api.on: there is no event 'constructor'; known are tool:before"],
    ['tool:*', null, "api.on: the options of 'tool:*' must be an object, not null"],
    ['tool:*', 5, "api.on: the options of 'tool:*' must be an object, not 5"],
  ])('says what is wrong with the event %s and the options %s', async (event, options, said) => {
    const { report } = await register((api) =>
      api.on(event as 'tool:*', () => true, options as never),
    )
    expect(report.diagnostics).toMatchObject([
      { code: 'register_failed', message: expect.stringContaining(said) },
    ])
  })

  it.each(['tool_result_persist', 'before_message_write'] as const)(
    'warns about an async handler of %s when it registers (rule 90, design 16)',
    async (event) => {
      const { diagnostics } = await register((api) => api.on(event, (async () => ({})) as never))
      expect(diagnostics).toMatchObject([{ level: 'warn', code: 'async_handler' }])
    },
  )
})

describe('register()', () => {
  it('may be asynchronous: its promise is waited for (rule 5: better)', async () => {
    const { report } = await register(async (api) => {
      await Promise.resolve()
      api.on('before_tool_call', () => {})
    })
    expect(report.events).toEqual(['before_tool_call'])
  })

  it('is the only time to register: later throws and is reported (rule 5: stricter)', async () => {
    let late: PluginApi | undefined
    const { host } = await register((api) => {
      late = api
    })
    expect(() => late?.on('before_tool_call', () => ({ block: true }))).toThrow(
      /after register\(\) was over/,
    )
    expect(host.diagnostics()).toMatchObject([{ level: 'error', code: 'late_registration' }])
    expect(host.hooks()).toEqual([])
  })

  it('reports one mistake once, however often a handler makes it', async () => {
    const { host, lines } = await register((api) =>
      api.on('before_tool_call', () => {
        expect(() => api.on('after_tool_call', () => {})).toThrow(/after register\(\) was over/)
      }),
    )
    for (const _ of [1, 2, 3]) await hookOf(host).before?.(hookContext())
    expect(host.diagnostics()).toMatchObject([{ code: 'late_registration' }])
    expect(lines).toHaveLength(1)
  })

  it('is all or nothing: what came before a throw is dropped', async () => {
    const { report, host, lines } = await register((api) => {
      api.on('before_tool_call', () => {})
      throw new Error('boom')
    })
    expect(report).toMatchObject({ state: 'refused', events: [] })
    expect(host.hooks()).toEqual([])
    expect(lines).toMatchObject([
      { level: 'error', fields: { pluginId: 'a', code: 'register_failed' } },
    ])
  })
})

describe('other members of the API', () => {
  it.each(FOREIGN_FUNCTIONS)('accepts and reports %s once', async (member) => {
    const { diagnostics, report } = await register((api) => {
      const loose = api as unknown as Record<string, (thing: unknown) => unknown>
      loose[member]?.({})
      loose[member]?.({})
    })
    expect(report.state).toBe('loaded')
    expect(diagnostics).toMatchObject([
      {
        level: 'warn',
        code: 'unsupported_registration',
        message: expect.stringContaining(`api.${member} `),
      },
    ])
  })

  it('accepts and reports what lies in the namespaces of OpenClaw', async () => {
    const { diagnostics, report } = await register(async (api) => {
      const loose = api as unknown as {
        session: { state: { registerSessionExtension(x: object): unknown } }
        runtime: { config: { current(): unknown } }
      }
      loose.session.state.registerSessionExtension({})
      await loose.runtime.config.current()
    })
    expect(report.state).toBe('loaded')
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'api.session.state.registerSessionExtension is not available here and does nothing',
      'api.runtime.config.current is not available here and does nothing',
    ])
  })

  it.each([
    ['registerToll', 'registerTool'],
    ['registerTrustedPolicy', 'registerTrustedToolPolicy'],
    ['registerCommnad', 'registerCommand'],
    ['onn', 'on'],
  ])('refuses %s and says %s', async (member, meant) => {
    const { report } = await register((api) => (api as unknown as Record<string, unknown>)[member])
    expect(report.state).toBe('refused')
    expect(report.diagnostics[0]?.message).toContain(`did you mean api.${meant}?`)
  })

  it('lets a plugin look for what may come', async () => {
    const { report } = await register((api) => {
      if ('somethingNew' in api) throw new Error('no')
      if ((api as unknown as Record<string, unknown>)['someFutureThing']) throw new Error('no')
    })
    expect(report.state).toBe('loaded')
  })

  it("accepts and reports OpenClaw's registerHook(event, handler), which is another thing", async () => {
    const { diagnostics } = await register((api) => {
      const loose = api.registerHook as unknown as (events: unknown, handler: unknown) => void
      loose('command:new', () => {})
      loose(['agent:bootstrap'], () => {})
    })
    expect(diagnostics.map(({ code }) => code)).toEqual(['event_never_fires', 'event_never_fires'])
  })

  const yes = (): boolean => true

  it.each<unknown>([
    undefined,
    {},
    { name: 'x' },
    { name: 'x', befor: yes },
    { name: 'x', check: yes, befor: yes },
    { name: 'x', check: yes, beforeExecute: yes },
    { name: 'x', check: 'yes' },
    { check: yes },
  ])('refuses registerHook(%j), which is no hook', async (hook) => {
    expect((await register((api) => api.registerHook(hook as never))).report.state).toBe('refused')
  })

  it('takes both shapes of hooks, in order', async () => {
    const { host } = await register((api) => {
      api.registerHook({ name: 'one', check: () => true })
      api.registerHook({ name: 'two', beforeExecute: () => true })
    })
    expect(namesOf(host.hooks())).toEqual(['one', 'two'])
  })

  it('has what a plugin needs to know of itself', async () => {
    const { host, lines } = await loadHost({
      config: { entries: { a: { config: { limit: { n: 3 } } } } },
      bundled: [
        {
          ...definitions([
            (api) => {
              api.logger.warn('hello', api.pluginConfig)
              if (!Object.isFrozen(api.pluginConfig['limit'])) throw new Error('not frozen')
              if (api.id !== 'a' || api.name !== 'A' || api.source !== 'bundled')
                throw new Error('who')
              if (!api.resolvePath('~/x').startsWith('/')) throw new Error('path')
            },
          ])[0],
          id: 'a',
          name: 'A',
        },
      ],
    })
    expect(host.diagnostics()).toEqual([])
    expect(lines).toEqual([
      {
        level: 'warn',
        fields: { pluginId: 'a', details: [{ limit: { n: 3 } }] },
        message: 'hello',
      },
    ])
  })

  it('lists every member it has', async () => {
    let keys: string[] = []
    await register((api) => {
      keys = Object.keys(api)
    })
    expect(MEMBERS.filter((member) => !keys.includes(member))).toEqual([])
  })
})
