import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { isToolwareError } from '../../../lib/errors.ts'
import type { ToolDeclarations } from '../../../lib/policy/catalogue.ts'
import type { Answer, Opinion, Outcome, Params } from '../../../lib/types.ts'
import { autonomy, type ToolingSection } from '../../../middleware/hooks/autonomy.ts'
import { type ContractPolicy, contractScope } from '../../../middleware/hooks/contract-scope.ts'
import { hookContext } from '../../helpers/hook-context.ts'
import { workspace } from '../../helpers/workspace.ts'

interface Case {
  readonly id: string
  readonly family: string
  readonly config: {
    readonly tooling?: ToolingSection
    readonly contract?: ContractPolicy
    readonly tools?: ToolDeclarations
    readonly semanticKernel?: unknown
  }
  readonly calls: ReadonlyArray<{
    readonly toolName: string
    readonly params?: Params
    readonly argumentsJson?: string
  }>
  readonly want: readonly string[]
  readonly why: string
}

const url = new URL('../../cases/verdicts.json', import.meta.url)
// The file is ours; its shape is the one above.
const cases = JSON.parse(readFileSync(url, 'utf8')) as readonly Case[]
const tree = workspace()
afterAll(() => tree.remove())

function inTree<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, item) =>
    typeof item === 'string' ? tree.map(item) : item,
  )
}

const blocked: Outcome = {
  status: 'blocked',
  failed: true,
  executed: false,
  text: '',
  durationMs: 0,
  code: 'DENIED',
  by: 'test',
}

function kindOf(answer: Opinion | Answer): 'allow' | 'deny' | 'ask' {
  if (typeof answer !== 'object' || answer === null) return answer === false ? 'deny' : 'allow'
  return answer.kind === 'rewrite' ? 'allow' : answer.kind
}

function judge(test: Case): string[] {
  const { tooling, contract, tools } = inTree(test.config)
  const { home } = tree
  try {
    const hooks = [
      autonomy({ ...tooling, tools, home }),
      contractScope({
        policy: contract,
        tools,
        home,
        workspaceRoot: tooling?.workspaceRoot,
        platform: tooling?.platform,
      }),
    ]
    return inTree(test.calls).map((call) => {
      let params = call.params ?? {}
      try {
        params = call.argumentsJson ? JSON.parse(call.argumentsJson) : params
      } catch {
        return 'deny'
      }
      const ctx = hookContext({ toolName: call.toolName, params, sessionId: test.id })
      const kinds = hooks.flatMap((hook) => [
        kindOf(hook.check(ctx) as Opinion),
        'before' in hook ? kindOf(hook.before(ctx) as Answer) : 'allow',
      ])
      const verdict = (['deny', 'ask'] as const).find((kind) => kinds.includes(kind)) ?? 'allow'
      if (verdict === 'deny')
        for (const hook of hooks) if ('skipped' in hook) hook.skipped(ctx, blocked)
      return verdict
    })
  } catch (error) {
    if (isToolwareError(error, 'CONFIG')) return test.calls.map(() => 'config-error')
    throw error
  }
}

// Shell text is covered beside the judge of commands, Semantic Kernel beside its hook.
const ours = cases.filter(({ config }) => config.semanticKernel === undefined)

describe.each([...new Set(ours.map(({ family }) => family))])('cases: %s', (family) => {
  it.each(ours.filter((test) => test.family === family))('$id: $why', (test) => {
    expect(judge(test)).toEqual(test.want)
  })
})
