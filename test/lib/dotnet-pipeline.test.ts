import { readFileSync } from 'node:fs'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { ask, deny, type HookContext, type Outcome, type ToolHook } from '../../lib/index.ts'
import { call, echo, quietApp } from '../helpers/call.ts'

/**
 * What the first seed's program does with a pipeline of hooks, case by case. Where its text, or the design,
 * decides otherwise, the test says so and why.
 */
const cases: Array<{ name: string }> = JSON.parse(
  readFileSync(new URL('../cases/dotnet-pipeline.json', import.meta.url), 'utf8'),
)
const covered = new Set<string>()
const same = (name: string, why: string, body: () => Promise<void>): void => {
  covered.add(name)
  it(`${name}: ${why}`, body)
}

afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => {
  expect([...covered].sort()).toEqual(cases.map(({ name }) => name).sort())
})

describe('the pipeline of the first seed', () => {
  same(
    'first deny stops the loop',
    'the same; hooks that were entered leave through skipped, so that begin and end pair up',
    async () => {
      const log: string[] = []
      const hook = (name: string, answer: boolean): ToolHook => ({
        name,
        before: () => {
          log.push(`${name} before`)
          return answer
        },
        after: () => log.push(`${name} after`),
        skipped: () => log.push(`${name} skipped`),
      })
      const tool = vi.fn(echo)
      const outcome = await quietApp()
        .use(hook('A', true))
        .use(hook('B', false))
        .use(hook('C', true))
        .execute(call(), tool)
      expect(log).toEqual(['A before', 'B before', 'B skipped', 'A skipped'])
      expect(tool).not.toHaveBeenCalled()
      // `tool_failed` there, the code of a crash: here a denial has its own.
      expect(outcome).toMatchObject({ status: 'blocked', code: 'DENIED', executed: false })
      expect(outcome.text).toContain('denied by hook: B')
    },
  )

  const watching = (): { hook: ToolHook; seen: Outcome[] } => {
    const seen: Outcome[] = []
    return {
      seen,
      hook: {
        name: 'A',
        after: (_ctx, outcome) => {
          seen.push(outcome)
        },
      },
    }
  }

  same(
    'tool throws',
    'failed; the model reads the redacted message, where the program hides all of it',
    async () => {
      const { hook, seen } = watching()
      const outcome = await quietApp()
        .use(hook)
        .execute(call(), async () => {
          throw new Error('boom')
        })
      expect(seen[0]).toMatchObject({ failed: true, status: 'failed', code: 'TOOL_FAILED' })
      expect(outcome.text).toBe('Tool failed: boom')
    },
  )

  same(
    'tool times out',
    'failed with its own code; the wait ends even if the tool ignores its signal',
    async () => {
      vi.useFakeTimers()
      const { hook, seen } = watching()
      const work = quietApp({ toolTimeoutMs: 1000 })
        .use(hook)
        .execute(call(), () => new Promise(() => undefined))
      await vi.advanceTimersByTimeAsync(1001)
      expect(await work).toMatchObject({ status: 'failed', code: 'TOOL_TIMEOUT' })
      expect(seen[0]).toMatchObject({ failed: true })
    },
  )

  same(
    'caller cancels during a before-hook',
    'aborted, where the program allows the call (hardened: rethrow; execute never rejects)',
    async () => {
      const controller = new AbortController()
      const tool = vi.fn(echo)
      const app = quietApp().use({
        name: 'A',
        before: async () => {
          controller.abort()
          throw new DOMException('cancelled', 'AbortError')
        },
      })
      expect(await app.execute(call({ signal: controller.signal }), tool)).toMatchObject({
        status: 'aborted',
        executed: false,
      })
      await expect(app.wrap('t', tool, { signal: controller.signal })({})).rejects.toBe(
        controller.signal.reason,
      )
      expect(tool).not.toHaveBeenCalled()
    },
  )

  same('error text is not a failure', 'the same', async () => {
    const { hook, seen } = watching()
    expect(
      await quietApp()
        .use(hook)
        .execute(call(), async () => 'Error: x'),
    ).toMatchObject({ status: 'completed' })
    expect(seen[0]).toMatchObject({ failed: false })
  })

  same(
    'unknown tool',
    'toolware owns no tools: the host that finds none blocks nothing, `toolware run` fails it with UNKNOWN_TOOL after the hooks have seen it',
    async () => {
      const { hook, seen } = watching()
      const outcome = await quietApp()
        .use(hook)
        .execute(call({ toolName: 'nope' }), () => {
          throw new Error('unknown tool: nope')
        })
      expect(outcome.status).toBe('failed')
      expect(seen).toHaveLength(1)
    },
  )

  same('deny before approval', 'the same', async () => {
    const decide = vi.fn()
    await quietApp({ approvals: { decide } })
      .use({ name: 'Q', check: () => ask({ title: '?' }) })
      .use({ name: 'A', check: () => deny() })
      .execute(call(), echo)
    expect(decide).not.toHaveBeenCalled()
  })

  same(
    'context flavour preferred',
    'the context carries the seven fields; a hook of both flavours is refused instead of silently half used',
    async () => {
      let fields: Record<string, unknown> = {}
      const names = [
        'sessionId',
        'channelId',
        'senderId',
        'correlationId',
        'toolName',
        'argumentsJson',
        'isStreaming',
      ] as const
      const app = quietApp().use({
        name: 'A',
        before: (ctx: HookContext) => {
          fields = Object.fromEntries(names.map((name) => [name, ctx[name]]))
        },
      })
      await app.execute(
        { toolName: 't', sessionId: 's1', channelId: 'test', senderId: 'u1', correlationId: 'c1' },
        echo,
      )
      expect(fields).toEqual({
        sessionId: 's1',
        channelId: 'test',
        senderId: 'u1',
        correlationId: 'c1',
        toolName: 't',
        argumentsJson: '{}',
        isStreaming: false,
      })
      expect(() =>
        quietApp().use({ name: 'A', before: () => true, beforeExecute: () => true } as never),
      ).toThrow(/mixes/)
    },
  )

  same(
    'after sees intercepted result',
    'the same: middleware further in stands where the interceptors stood',
    async () => {
      const { hook, seen } = watching()
      const app = quietApp()
        .use(hook)
        .use(async (ctx, next) => {
          await next()
          ctx.result = 'shortened text'
        })
      await app.execute(call(), async () => 'a very long text')
      expect(seen[0]).toMatchObject({ result: 'shortened text' })
    },
  )

  same(
    'stream text cap',
    'what hooks see is bounded by the same 1 000 000 characters, whole chunks of them; deltas are not cut',
    async () => {
      const { hook, seen } = watching()
      const stream = quietApp()
        .use(hook)
        .stream(call(), async function* () {
          yield 'x'.repeat(999_999)
          yield 'yy'
        })
      let passed = 0
      for await (const chunk of stream) passed += (chunk as string).length
      expect(passed).toBe(1_000_001)
      expect(seen[0]?.text).toHaveLength(999_999)
    },
  )

  same(
    'secret in arguments',
    'hooks judge what runs; redacting before judging is how its policies are evaded',
    async () => {
      let judged: unknown
      const outcome = await quietApp()
        .use({
          name: 'A',
          before: (ctx) => {
            judged = ctx.params
          },
        })
        .execute({ toolName: 't', params: { k: 'sk-abcdefghijklmnop' } }, echo)
      expect(judged).toEqual({ k: 'sk-abcdefghijklmnop' })
      expect(outcome).toMatchObject({ result: { k: 'sk-abcdefghijklmnop' } })
    },
  )

  same(
    'native sub-agent has no hooks',
    'hardened: whatever was wrapped goes through the hooks, whoever calls it',
    async () => {
      const ran = vi.fn(async () => 'ran')
      const app = quietApp().use({
        name: 'DenyShell',
        before: (ctx) => (ctx.toolName === 'shell' ? deny('no shell') : undefined),
      })
      const shell = app.wrap('shell', ran)
      const outcome = await app.execute({ toolName: 'delegate_agent' }, () => shell({}))
      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'DENIED', by: 'DenyShell' },
      })
      expect(ran).not.toHaveBeenCalled()
    },
  )

  same(
    'skill entrypoint skips hooks',
    'hardened: there is no second way to a wrapped tool',
    async () => {
      const ran = vi.fn(async () => 'ran')
      const skillExec = quietApp()
        .use({ name: 'A', before: () => deny() })
        .wrap('skill_exec', ran)
      await expect(skillExec({ entry: 'run.sh' })).rejects.toMatchObject({ code: 'DENIED' })
      expect(ran).not.toHaveBeenCalled()
    },
  )
})
