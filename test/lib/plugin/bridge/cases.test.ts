/**
 * The cases others have met, as `test/cases/bridge.json` tells them: hostile output, the first seed's program, and
 * reports of users of such systems. Where `covered` names a test, the case is shown there.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { DenyVerdict } from '../../../../lib/types.ts'
import { judge, started, until } from '../../../helpers/bridge.ts'

interface Cases {
  readonly hostile: ReadonlyArray<{
    readonly id: string
    readonly args: { readonly path: string; readonly pluginStdout: string }
    readonly expect: 'allow' | 'deny'
    readonly why: string
  }>
  readonly behaviour: ReadonlyArray<{ readonly name: string }>
  readonly reports: ReadonlyArray<{ readonly id: string; readonly right_outcome: string }>
}

const cases: Cases = JSON.parse(
  readFileSync(new URL('../../../cases/bridge.json', import.meta.url), 'utf8'),
)

const SHORT = { beforeTimeoutMs: 400, backoffMs: 20 }

/** The cases write `decision`; our protocol's word is `allow`. */
const inOurWords = (stdout: string): string =>
  stdout
    .replaceAll('"decision":"allow"', '"allow":true')
    .replaceAll('"decision":', '"allow":')
    .replaceAll('"id":1', '"id":$ID')

function program(stdout: string): string[] {
  // A byte a second against 5 s, in a tenth of the time.
  if (stdout.startsWith('$slowLoris')) return ['drip.mjs', '100']
  if (stdout.startsWith('$crashLoop')) return ['exits.mjs', 'start']
  if (stdout.startsWith('$stdoutFlood')) return ['flood.mjs']
  return ['says.mjs', inOurWords(stdout)]
}

describe('hostile output', () => {
  it.each(cases.hostile.map((each) => [each.id, each.why, each] as const))(
    '%s: %s',
    async (_id, _why, { args, expect: right }) => {
      const { plugin } = await started(program(args.pluginStdout), {
        bridge: right === 'deny' ? SHORT : {},
      })
      if (args.pluginStdout.startsWith('$crashLoop')) {
        await until(() => plugin.health().state === 'failed')
      }
      const verdict = await judge(plugin, { params: { path: args.path } })
      expect(verdict === null ? 'allow' : 'deny').toBe(right)
      expect(plugin.health().pending).toBe(0)
    },
  )
})

describe("the first seed's program", () => {
  const wire = (result: unknown) => [
    'says.mjs',
    `${JSON.stringify({ jsonrpc: '2.0', id: '$ID', result }).replace('"$ID"', '$ID')}\n`,
  ]
  type Row = readonly [name: string, shows: string | (() => Promise<void>)]
  const denied = (code: string) => async (verdict: DenyVerdict | null) =>
    expect(verdict).toMatchObject({ code })

  const rows: readonly Row[] = [
    // What handlers return: runner.test.ts, with the real runner.
    ['handler returns false', 'runner.test.ts: is heard by its answer'],
    ['handler returns true', 'runner.test.ts: is heard by its answer'],
    ['handler returns undefined', 'runner.test.ts: is heard by its answer'],
    ["handler returns {allow:false,reason:'x'}", 'runner.test.ts: is heard by its answer'],
    ['handler returns {block:true}', 'runner.test.ts: is heard by its answer'],
    ['handler returns {deny:true}', 'runner.test.ts: is heard by its answer'],
    ['handler returns throw Error', 'runner.test.ts: is heard by its answer'],
    ['wildcard handler never called', 'runner.test.ts: under tool:* fires before and after'],
    ['PascalCase params accepted', 'runner-wire.test.ts: takes PascalCase'],
    // There the field was `duration`; the seed's text says `durationMs`, and so do we.
    ['after payload', 'runner.test.ts: gets the facts of the call'],
    ['unknown tool', 'runner-wire.test.ts: refuses methods it does not have'],
    ['garbage line ignored', 'runner-wire.test.ts: skips lines that are no message'],
    // One transport only: there is no stdio channel that refuses hooks.
    ['hybrid: runtime method over stdio', 'runner-wire.test.ts: refuses methods it does not have'],
    // Tools do not cross the bridge, so none can be there twice.
    ['duplicate tool in one plugin', 'runner-wire.test.ts: reports what does not cross the bridge'],
    ['shutdown', 'runner-wire.test.ts: lets work under way end'],
    [
      'slow handler',
      // Hardened there to a deny; here silence allows with a warning, as the first seed's text says, and
      // `failOpen: []` turns it round.
      async () => {
        const lax = await started(['silent.mjs'], { bridge: SHORT })
        expect(await judge(lax.plugin)).toBeNull()
        const strict = await started(['silent.mjs'], { bridge: SHORT, failOpen: [] })
        await denied('HOOK_TIMEOUT')(await judge(strict.plugin))
      },
    ],
    [
      'plugin crashed',
      async () => {
        const { plugin } = await started(['exits.mjs', 'before'], { bridge: { maxRestarts: 0 } })
        await denied('PLUGIN_UNAVAILABLE')(await judge(plugin))
        await denied('PLUGIN_UNAVAILABLE')(await judge(plugin))
      },
    ],
    [
      'allow not boolean',
      async () => {
        const { plugin } = await started(wire({ allow: 'no' }))
        await denied('PLUGIN_BAD_ANSWER')(await judge(plugin))
      },
    ],
    [
      'allow missing',
      async () => {
        const { plugin } = await started(wire({}))
        await denied('PLUGIN_BAD_ANSWER')(await judge(plugin))
      },
    ],
    ['not subscribed to before', 'life-cycle.test.ts: decide whether the plugin is asked at all'],
    [
      'unrelated event still creates a hook',
      'life-cycle.test.ts: decide whether the plugin is asked at all',
    ],
    ['child restarts', 'faults.test.ts: the gate is closed until it runs again'],
    ['restart budget', 'faults.test.ts: is given up after three restarts, with growing delays'],
  ]

  it('is accounted for, case by case', () => {
    expect(rows.map(([name]) => name).sort()).toEqual(
      cases.behaviour.map(({ name }) => name).sort(),
    )
  })

  for (const [name, shows] of rows) {
    if (typeof shows === 'string') it(`${name}`, () => expectTest(shows))
    else it(name, shows)
  }
})

describe('reports of users', () => {
  const shown: Readonly<Record<string, string>> = {
    'BR-089': 'faults.test.ts: beside valid answers is skipped and logged',
    'BR-090': 'faults.test.ts: beside valid answers is skipped and logged',
    'BR-092': 'broken-pipes.test.ts: rejects nothing and throws nothing',
    'BR-093': 'faults.test.ts: start rejects once, with words, and the hook denies',
    'BR-094': 'faults.test.ts: arrive whole',
    'BR-096': 'faults.test.ts: does not take the answer before it along',
    'BR-097': 'faults.test.ts: right after 200 kB of answer is still heard to the end',
    'BR-099': 'faults.test.ts: are dropped, and the next call is answered',
    'BR-100': 'faults.test.ts: is not an answer whose id came back as text or as 1.0',
    'BR-102': 'life-cycle.test.ts: may take longer while it reports progress, up to maxWaitMs',
    'BR-103': 'life-cycle.test.ts: may take longer while it reports progress, up to maxWaitMs',
    'BR-105': 'faults.test.ts: leaves nothing of a group started by a shell',
    'BR-106': 'broken-pipes.test.ts: gives up quietly',
  }

  it.each(cases.reports.map(({ id, right_outcome }) => [id, right_outcome]))('%s: %s', (id) => {
    expectTest(shown[id] ?? '')
  })
})

/** A case that is shown elsewhere: the test must be there under that name. */
function expectTest(place: string): void {
  const [file = '', name = ''] = place.split(': ')
  expect(readFileSync(new URL(file, import.meta.url), 'utf8')).toContain(name)
}
