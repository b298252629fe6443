import type { Opinion, Params } from '../lib/types.ts'
import { autonomy, shellPresets } from '../middleware/hooks/index.ts'
import { WORST_CALLS, WORST_GLOBS } from '../test/fixtures/worst-calls.ts'
import { WORST_COMMANDS } from '../test/fixtures/worst-commands.ts'
import { hookContext } from '../test/helpers/hook-context.ts'
import { worstWorkspace } from '../test/helpers/worst-workspace.ts'
import { median } from './runner.ts'

/** What one input costs `autonomy().check` with everything on. */
export interface Cost {
  readonly name: string
  /** Milliseconds of processor time, all threads: the first call ever, and the median of those after. */
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

/** Measures every worst input that the tests know, dearest first; each time with a hook that never saw it. */
export function measureWorst(tries: number): readonly Cost[] {
  const made = worstWorkspace()
  try {
    const make = () =>
      autonomy({
        workspaceOnly: true,
        workspaceRoot: made.ws,
        home: made.home,
        forbiddenPathGlobs: WORST_GLOBS,
        allowedShellCommandGlobs: ['*', ...shellPresets.readOnlyDev],
      })
    const costs = inputs().map(([name, toolName, params]): Cost => {
      const ms: number[] = []
      let opinion: Opinion = null
      for (let i = 0; i <= tries; i++) {
        const hook = make()
        const ctx = hookContext({ toolName, params: params() })
        const started = process.cpuUsage()
        opinion = hook.check(ctx)
        const { user, system } = process.cpuUsage(started)
        ms.push((user + system) / 1000)
      }
      const [firstMs = Number.NaN, ...later] = ms
      return { name, firstMs, ms: median(later), answer: textOf(opinion) }
    })
    return costs.toSorted((a, b) => b.ms - a.ms)
  } finally {
    made.remove()
  }
}

function textOf(opinion: Opinion): string {
  if (typeof opinion !== 'object' || opinion === null) return 'allowed'
  return opinion.kind === 'deny' ? (opinion.reason ?? 'denied') : 'asked'
}
