import { Slot, type Waiting, Wheel, withTimeout } from '../lib/deadline.ts'
import { takeParams } from '../lib/params.ts'
import {
  asyncHooks,
  awaitLoop,
  bare,
  DISPATCH_ONLY,
  execute,
  syncHooks,
  wrapped,
} from './fixtures.ts'
import type { Contender, Suite } from './runner.ts'

const NO_DEADLINES = { ...DISPATCH_ONLY, beforeTimeoutMs: 0, afterTimeoutMs: 0 }

/** About 100 bytes of JSON. */
const SMALL_PARAMS = {
  path: 'src/services/billing/invoice.ts',
  startLine: 120,
  endLine: 180,
  encoding: 'utf8',
  follow: true,
}

/**
 * What a call through the pipeline costs beside calling the tool. One pipeline and the bare call to a process, as
 * an application has it: code that serves five pipelines at once is compiled for none of them.
 */
export const dispatch: readonly Suite[] = [
  beside('wrap', () => ({ name: 'wrap, no hooks', call: wrapped([]) })),
  beside('execute', () => ({ name: 'execute, no hooks', call: execute([]) })),
  ...[1, 5, 10].map((n) =>
    beside(`sync-${n}`, () => ({
      name: n === 1 ? '1 sync hook' : `${n} sync hooks`,
      call: execute(syncHooks(n)),
    })),
  ),
]

function beside(name: string, contender: () => Contender): Suite {
  return { name, contenders: () => [{ name: 'bare', call: bare() }, contender()] }
}

/** The defaults: a frozen copy for the hooks, a mutable one for the tool, two clock reads. */
export const defaults: Suite = {
  name: 'defaults',
  contenders: () => [
    { name: 'bare', call: bare(SMALL_PARAMS) },
    { name: '5 sync hooks, defaults', call: execute(syncHooks(5), {}, { params: SMALL_PARAMS }) },
  ],
}

export const signal: Suite = {
  name: 'signal',
  contenders: () => [
    { name: '5 sync hooks', call: execute(syncHooks(5)) },
    {
      name: '5 sync hooks, caller signal',
      call: execute(syncHooks(5), DISPATCH_ONLY, { signal: new AbortController().signal }),
    },
  ],
}

export const waiting: readonly Suite[] = [
  {
    name: 'async-free',
    contenders: () => [
      { name: 'await loop, 10 async hooks', call: awaitLoop(asyncHooks(10)) },
      { name: '10 async hooks, no deadlines', call: execute(asyncHooks(10), NO_DEADLINES) },
    ],
  },
  {
    name: 'async',
    contenders: () => [
      { name: 'await loop, 10 async hooks', call: awaitLoop(asyncHooks(10)) },
      { name: '10 async hooks, deadlines', call: execute(asyncHooks(10)) },
    ],
  },
]

export const deadlines: Suite = {
  name: 'deadlines',
  contenders: () => [
    { name: '10 sync hooks, no deadlines', call: execute(syncHooks(10), NO_DEADLINES) },
    { name: '10 sync hooks, deadlines', call: execute(syncHooks(10)) },
  ],
}

/** One deadline around one pending promise. */
export const guards: Suite = {
  name: 'guards',
  contenders: () => {
    const wheel = new Wheel(15_000)
    const pending = async (): Promise<number> => 1
    return [
      {
        name: 'shared wheel',
        call: async () => {
          const entry: Waiting = { slot: new Slot(), expire: () => undefined }
          wheel.arm(entry)
          const value = await pending()
          wheel.disarm(entry)
          wheel.remove(entry)
          return value
        },
      },
      { name: 'p-timeout', call: () => withTimeout(pending(), 15_000) },
    ]
  },
}

/** Nested plain data of about `bytes` of JSON. */
function nested(bytes: number): Record<string, unknown> {
  const items: unknown[] = []
  const params = { title: 'a report', items }
  for (let i = 0; JSON.stringify(params).length < bytes; i++) {
    items.push({ id: i, name: `item ${i}`, tags: ['a', 'b'], at: { x: i * 2, y: i / 2 }, on: true })
  }
  return params
}

function intakeOf(name: string, bytes: number): Contender[] {
  const params = nested(bytes)
  return [
    { name: `structuredClone, ${name}`, isSync: true, call: () => structuredClone(params) },
    { name: `intake, ${name}`, isSync: true, call: () => takeParams(params) },
  ]
}

export const intake: Suite = {
  name: 'intake',
  contenders: () => [...intakeOf('1 KB', 1024), ...intakeOf('100 KB', 100 * 1024)],
}
