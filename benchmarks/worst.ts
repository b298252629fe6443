import { join } from 'node:path'
import type { Opinion, Params } from '../lib/types.ts'
import { autonomy, shellPresets } from '../middleware/hooks/index.ts'
import { WORST_CALLS, WORST_GLOBS } from '../test/fixtures/worst-calls.ts'
import { WORST_COMMANDS } from '../test/fixtures/worst-commands.ts'
import { hookContext } from '../test/helpers/hook-context.ts'
import { median } from './runner.ts'

/** What one input costs `autonomy().check` with everything on. */
export interface Cost {
  readonly name: string
  /** Milliseconds that pass: in the first call of the process, and the median of those after. */
  readonly firstMs: number
  readonly ms: number
  readonly answer: string
}

type Input = readonly [name: string, toolName: string, make: () => Params]

/** As a list of eight commands, each an eighth of a text that is long. */
function inEight(text: string): readonly string[] {
  return Array.from({ length: 8 }, (_, i) => `${text.slice(0, 2000)} # ${i}`)
}

function inputs(): readonly Input[] {
  const texts = Object.entries(WORST_COMMANDS)
  return [
    ...WORST_CALLS,
    ...texts.map(([name, text]): Input => [`\`${name}\``, 'bash', () => ({ command: text })]),
    ...texts.map(
      ([name, text]): Input => [
        `\`${name}\`, 8 texts`,
        'bash',
        () => ({ commands: inEight(text) }),
      ],
    ),
  ]
}

/** The names of every worst input that the tests know. */
export function worstNames(): readonly string[] {
  return inputs().map(([name]) => name)
}

/**
 * Measures one worst input in this process; each time with a hook that never saw it.
 *
 * @param root The root of a workspace that {@link worstWorkspace} made.
 */
export function measureWorst(wanted: string, root: string, tries: number): Cost {
  const found = inputs().find(([name]) => name === wanted)
  if (found === undefined) throw new Error(`no worst input ${wanted}`)
  const [name, toolName, make] = found
  const ms: number[] = []
  let opinion: Opinion = null
  for (let i = 0; i <= tries; i++) {
    const hook = autonomy({
      workspaceOnly: true,
      workspaceRoot: join(root, 'ws'),
      home: join(root, 'home/u'),
      forbiddenPathGlobs: WORST_GLOBS,
      strictArguments: true,
      allowHardLinkWrites: false,
      allowedShellCommandGlobs: ['*', ...shellPresets.readOnlyDev],
    })
    // As they come off the wire.
    const params = JSON.parse(JSON.stringify(make())) as Params
    const ctx = hookContext({ toolName, params })
    const started = performance.now()
    opinion = hook.check(ctx)
    ms.push(performance.now() - started)
  }
  const [firstMs = Number.NaN, ...later] = ms
  return { name, firstMs, ms: median(later), answer: textOf(opinion) }
}

/** The least of what several processes measured, dearest first call first. */
export function leastCosts(measured: readonly Cost[]): readonly Cost[] {
  const least = new Map<string, Cost>()
  for (const cost of measured) {
    const { firstMs, ms } = least.get(cost.name) ?? cost
    least.set(cost.name, {
      ...cost,
      firstMs: Math.min(firstMs, cost.firstMs),
      ms: Math.min(ms, cost.ms),
    })
  }
  return [...least.values()].toSorted((a, b) => b.firstMs - a.firstMs)
}

function textOf(opinion: Opinion): string {
  if (typeof opinion !== 'object' || opinion === null) return 'allowed'
  return opinion.kind === 'deny' ? (opinion.reason ?? 'denied') : 'asked'
}
