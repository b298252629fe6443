import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { IntakeLimits } from '../../../lib/params.ts'
import type { ToolCall } from '../../../lib/types.ts'
import { autonomy } from '../../../middleware/hooks/autonomy.ts'
import { contractScope } from '../../../middleware/hooks/contract-scope.ts'
import { quietApp } from '../../helpers/call.ts'
import { workspace } from '../../helpers/workspace.ts'

/** What cannot be written in JSON is made by a recipe. */
type Recipe =
  | { readonly $gen: 'deepObject'; readonly n: number }
  | { readonly $gen: 'getter'; readonly key: string }
  | { readonly $gen: 'json' | 'protoKey'; readonly json: string }
  | { readonly $gen: 'toStringArray' }
  | { readonly $gen: 'bigCommand'; readonly cmd: string; readonly fill: string; readonly n: number }

interface Case {
  readonly id: string
  readonly tool: string
  readonly args: Recipe | Readonly<Record<string, unknown>>
  readonly limits: IntakeLimits
  readonly expect: 'allow' | 'deny'
  readonly why: string
}

const url = new URL('../../cases/hostile-resource.json', import.meta.url)
// The file is ours; its shape is the one above.
const cases = JSON.parse(readFileSync(url, 'utf8')) as readonly Case[]
const tree = workspace()
afterAll(() => tree.remove())

const isRecipe = (value: unknown): value is Recipe =>
  typeof value === 'object' && value !== null && '$gen' in value

let reads = 0

function make(recipe: Recipe): unknown {
  switch (recipe.$gen) {
    case 'deepObject': {
      let made: Record<string, unknown> = {}
      for (let i = 0; i < recipe.n; i++) made = { a: made }
      return made
    }
    case 'getter':
      return Object.defineProperty({}, recipe.key, {
        enumerable: true,
        get: () => (reads++ === 0 ? 'a.txt' : '../x'),
      })
    case 'toStringArray':
      return { path: Object.assign(['a.txt'], { toString: () => '../x' }) }
    case 'bigCommand':
      return { command: recipe.cmd + recipe.fill.repeat(recipe.n) }
    default:
      return JSON.parse(recipe.json)
  }
}

/** The call of a case, and the same as text where the recipe gives one. */
function callsOf({ tool, args }: Case): ToolCall[] {
  if (!isRecipe(args)) {
    const params = Object.entries(args).map(([k, v]) => [k, isRecipe(v) ? make(v) : v])
    return [{ toolName: tool, params: Object.fromEntries(params) }]
  }
  // A recipe may make what is no params at all: that is what is tried.
  const call = { toolName: tool, params: make(args) as Record<string, unknown> }
  if ('json' in args) return [call, { toolName: tool, argumentsJson: args.json }]
  // A file tool refuses a command for having no path; a shell tool has to read it.
  if (args.$gen === 'bigCommand') return [call, { ...call, toolName: 'bash' }]
  if (args.$gen !== 'deepObject') return [call]
  const text = `${'{"a":'.repeat(args.n)}{}${'}'.repeat(args.n)}`
  return [call, { toolName: tool, argumentsJson: text }]
}

const CODES: Readonly<Record<string, ReadonlyArray<string | undefined>>> = {
  'resource-001': ['BAD_ARGUMENTS', 'BAD_ARGUMENTS'],
  'resource-006': ['BAD_ARGUMENTS'],
  'resource-008': ['BAD_ARGUMENTS', 'BAD_ARGUMENTS'],
  // One key of the two is left once parsed, and it leads outside.
  'resource-009': ['DENIED', 'DENIED'],
  // What is copied is a plain list, and a path is no list.
  'resource-011': ['DENIED'],
  'resource-014': ['DENIED', 'DENIED'],
  'resource-015': ['DENIED', 'DENIED'],
  'benign-resource-001': [undefined],
  'benign-resource-003': [undefined],
}

// Room for a loaded machine: what is not bounded takes many seconds, or the stack.
const MAX_CPU_MS = 1000
const MAX_HEAP_BYTES = 32 * 1024 * 1024

describe('calls made to exhaust', () => {
  it.each(cases)('$id: $why', async (one) => {
    for (const [i, call] of callsOf(one).entries()) {
      let ran = 0
      const { maxDepth, maxNodes, maxBytes } = one.limits
      const app = quietApp({ intake: { maxDepth, maxNodes, maxBytes } })
        .use(autonomy({ workspaceOnly: true, workspaceRoot: tree.ws, home: tree.home }))
        .use(contractScope({ policy: { maxToolCalls: 10 } }))
      const heap = process.memoryUsage().heapUsed
      const started = process.cpuUsage()
      const outcome = await app.execute(call, () => ++ran)
      const used = process.cpuUsage(started)
      expect(process.memoryUsage().heapUsed - heap).toBeLessThan(MAX_HEAP_BYTES)
      expect((used.user + used.system) / 1000).toBeLessThan(MAX_CPU_MS)
      expect('code' in outcome ? outcome.code : undefined, outcome.text).toBe(CODES[one.id]?.[i])
      expect(outcome.status).toBe(one.expect === 'deny' ? 'blocked' : 'completed')
      expect(ran).toBe(one.expect === 'deny' ? 0 : 1)
    }
  })

  it('never runs a getter', () => {
    expect(reads).toBe(0)
  })

  it('knows the answer to every case', () => {
    expect(Object.keys(CODES)).toEqual(cases.map(({ id }) => id))
  })
})
