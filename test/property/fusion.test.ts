import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { adapt, ask, compose, deny, type Outcome, rewrite, type ToolHook } from '../../lib/index.ts'
import { quietApp } from '../helpers/call.ts'

/**
 * O12: `adapt([a, b, ...])` behaves exactly as `compose([adapt([a]), adapt([b]), ...])`, and both as a naive
 * model that is written here, without looking at the engine.
 */

type Mode = 'sync' | 'async' | 'slow'
type InKind =
  | 'none'
  | 'true'
  | 'null'
  | 'deny'
  | 'false'
  | 'ask'
  | 'rewrite'
  | 'rewrite+ask'
  | 'throw'
  | 'bad'
  | 'hang'
type OutKind = 'none' | 'throw' | 'hang'

interface HookSpec {
  check?: { kind: InKind; mode: Mode }
  before?: { kind: InKind; mode: Mode }
  after?: { kind: OutKind; mode: Mode }
  skipped?: { kind: OutKind; mode: Mode }
  failOpen: Array<'error' | 'timeout'>
}

interface ToolSpec {
  kind: 'value' | 'throw'
  mode: Mode
}

interface Result {
  log: string[]
  status: string
  code: string | undefined
  by: string | undefined
  executed: boolean
  result: unknown
}

const FULL_BEFORE_MS = 40
const FULL_AFTER_MS = 60

function act(kind: string, mode: Mode, answer: () => unknown): unknown {
  if (kind === 'hang') return new Promise(() => undefined)
  if (mode === 'sync') return answer()
  if (mode === 'async') return (async () => answer())()
  return new Promise((resolve, reject) => {
    setTimeout(() => {
      try {
        resolve(answer())
      } catch (error) {
        reject(error)
      }
    }, 5)
  })
}

function answerOf(kind: InKind, name: string): unknown {
  switch (kind) {
    case 'none':
      return undefined
    case 'true':
      return true
    case 'null':
      return null
    case 'deny':
      return deny(`${name} says no`)
    case 'false':
      return false
    case 'ask':
      return ask({ title: `${name} asks` })
    case 'rewrite':
      return rewrite({ by: name })
    case 'rewrite+ask':
      return rewrite({ by: name }, ask({ title: `${name} asks` }))
    case 'bad':
      return 'allow'
    default:
      throw new Error(`${name} broke`)
  }
}

function hookOf(spec: HookSpec, i: number, log: string[]): ToolHook {
  const name = `h${i}`
  const hook: Record<string, unknown> = { name, failOpen: spec.failOpen }
  const { check, before, after, skipped } = spec
  if (check) {
    hook['check'] = (ctx: { recheck: boolean }) => {
      log.push(`${name}.${ctx.recheck ? 'recheck' : 'check'}`)
      return act(check.kind, check.mode, () => answerOf(check.kind, name))
    }
  }
  if (before) {
    hook['before'] = () => {
      log.push(`${name}.before`)
      return act(before.kind, before.mode, () => answerOf(before.kind, name))
    }
  }
  const out =
    (phase: string, { kind, mode }: { kind: OutKind; mode: Mode }) =>
    (_: unknown, outcome: Outcome) => {
      log.push(`${name}.${phase} ${outcome.status}`)
      return act(kind, mode, () => {
        if (kind === 'throw') throw new Error('out')
      })
    }
  if (after) hook['after'] = out('after', after)
  if (skipped) hook['skipped'] = out('skipped', skipped)
  return hook as unknown as ToolHook
}

function toolOf(spec: ToolSpec, log: string[]): (params: Record<string, unknown>) => unknown {
  return (params) => {
    log.push(`tool ${JSON.stringify(params)}`)
    return act(spec.kind, spec.mode, () => {
      if (spec.kind === 'throw') throw new Error('tool broke')
      return { got: params }
    })
  }
}

/** What must happen, told as plainly as possible. */
function model(specs: HookSpec[], tool: ToolSpec): Result {
  const log: string[] = []
  let params: Record<string, unknown> = { start: 1 }
  let blocked: { code: string; by: string } | undefined
  let rewrittenAt = -1
  const asked: string[] = []
  const judge = (i: number, phase: 'check' | 'before' | 'recheck', kind: InKind): void => {
    const name = `h${i}`
    const failOpen = specs[i]?.failOpen ?? []
    log.push(`${name}.${phase}`)
    if (kind === 'deny' || kind === 'false') blocked = { code: 'DENIED', by: name }
    else if (kind === 'bad') blocked = { code: 'HOOK_BAD_ANSWER', by: name }
    else if (kind === 'throw' && !failOpen.includes('error'))
      blocked = { code: 'HOOK_FAILED', by: name }
    else if (kind === 'hang' && !failOpen.includes('timeout'))
      blocked = { code: 'HOOK_TIMEOUT', by: name }
    else if (kind === 'ask') asked.push(name)
    else if (kind.startsWith('rewrite')) {
      if (phase !== 'before') blocked = { code: 'HOOK_BAD_ANSWER', by: name }
      else {
        params = { by: name }
        rewrittenAt = i
        if (kind === 'rewrite+ask') asked.push(name)
      }
    }
  }
  let entered = specs.length
  for (let i = 0; i < specs.length && blocked === undefined; i++) {
    const { check, before } = specs[i] as HookSpec
    if (check) judge(i, 'check', check.kind)
    if (before && blocked === undefined) judge(i, 'before', before.kind)
    if (blocked !== undefined) entered = i + 1
  }
  for (let i = 0; i <= rewrittenAt && blocked === undefined; i++) {
    const { check } = specs[i] as HookSpec
    if (check) judge(i, 'recheck', check.kind)
  }
  if (blocked === undefined && asked.length > 0) {
    blocked = { code: 'APPROVAL_UNAVAILABLE', by: asked[0] as string }
  }
  let status = 'blocked'
  if (blocked === undefined) {
    log.push(`tool ${JSON.stringify(params)}`)
    status = tool.kind === 'throw' ? 'failed' : 'completed'
  }
  for (let i = entered - 1; i >= 0; i--) {
    const { after, skipped } = specs[i] as HookSpec
    if (status === 'blocked' ? skipped : after) {
      log.push(`h${i}.${status === 'blocked' ? 'skipped' : 'after'} ${status}`)
    }
  }
  return {
    log,
    status,
    code: blocked?.code ?? (status === 'failed' ? 'TOOL_FAILED' : undefined),
    by: blocked?.by ?? (status === 'failed' ? 'tool' : undefined),
    executed: status !== 'blocked',
    result: status === 'completed' ? { got: params } : undefined,
  }
}

async function run(
  specs: HookSpec[],
  tool: ToolSpec,
  arrange: 'fused' | 'apart' | 'listed' | 'inside',
  withSignal: boolean,
): Promise<Result> {
  const log: string[] = []
  const app = quietApp({ beforeTimeoutMs: FULL_BEFORE_MS, afterTimeoutMs: FULL_AFTER_MS })
  const hooks = specs.map((spec, i) => hookOf(spec, i, log))
  if (arrange === 'fused') app.use(adapt(hooks))
  else if (arrange === 'apart') app.use(compose(hooks.map((hook) => adapt([hook]))))
  else if (arrange === 'listed') for (const hook of hooks) app.use(hook)
  else {
    // Called by hand, so that nothing is flattened at plan time.
    const inner = compose(hooks.map((hook) => adapt([hook])))
    app.use((ctx, next) => inner(ctx, next))
  }
  const signal = withSignal ? new AbortController().signal : undefined
  const work = app.execute({ toolName: 't', params: { start: 1 }, signal }, toolOf(tool, log))
  await vi.advanceTimersByTimeAsync(3000)
  const outcome = await work
  const { status, executed } = outcome
  return {
    log,
    status,
    code: outcome.failed ? outcome.code : undefined,
    by: outcome.failed ? outcome.by : undefined,
    executed,
    result: outcome.status === 'completed' ? outcome.result : undefined,
  }
}

const mode = fc.constantFrom<Mode>('sync', 'async', 'slow')
const inAct = (kinds: InKind[]) => fc.record({ kind: fc.constantFrom(...kinds), mode })
const calm: InKind[] = ['none', 'none', 'true', 'null', 'ask', 'throw', 'hang']
const stormy: InKind[] = [...calm, 'deny', 'false', 'bad', 'rewrite', 'rewrite+ask']
const outAct = fc.record({
  kind: fc.constantFrom<OutKind>('none', 'none', 'none', 'throw', 'hang'),
  mode,
})
const hookSpec = (kinds: InKind[]) =>
  fc
    .record(
      {
        check: inAct(kinds),
        before: inAct(kinds.concat('rewrite')),
        after: outAct,
        skipped: outAct,
        failOpen: fc.constantFrom<HookSpec['failOpen']>(
          [],
          ['error', 'timeout'],
          ['error'],
          ['timeout'],
        ),
      },
      { requiredKeys: ['failOpen'] },
    )
    .map(
      (spec) =>
        (Object.keys(spec).length > 1
          ? spec
          : { ...spec, after: { kind: 'none', mode: 'sync' } }) as HookSpec,
    )
const openHooks = fc.array(hookSpec(['none', 'true', 'null', 'rewrite']), {
  minLength: 0,
  maxLength: 6,
})
const anyHooks = fc.array(
  fc.oneof(hookSpec(['none', 'true', 'null']), hookSpec(calm), hookSpec(stormy)),
  { maxLength: 6 },
)
const toolSpec = fc.record({
  kind: fc.constantFrom<'value' | 'throw'>('value', 'value', 'throw'),
  mode,
})
const RUNS = Number(process.env['FUSION_RUNS'] ?? 400)

describe('O12, the fusion law', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  for (const arrange of ['fused', 'apart', 'listed', 'inside'] as const) {
    it(`behaves as the naive model when hooks are ${arrange}`, { timeout: 120_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(anyHooks, openHooks),
          toolSpec,
          fc.boolean(),
          async (specs, tool, signal) => {
            const expected = model(specs, tool)
            const got = await run(specs, tool, arrange, signal)
            // Hooks inside a middleware have no place in the plan: more of them are checked again than need be.
            const strip = (log: string[]): string[] =>
              arrange === 'inside' ? log.filter((line) => !line.endsWith('recheck')) : log
            expect({ ...got, log: strip(got.log) }).toEqual({
              ...expected,
              log: strip(expected.log),
            })
          },
        ),
        { numRuns: RUNS },
      )
    })
  }
})
