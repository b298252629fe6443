import { fileURLToPath } from 'node:url'
import { afterEach } from 'vitest'
import type { BridgedPlugin } from '../../lib/plugin/bridge/bridged-plugin.ts'
import { type BridgedEntry, createBridgedPlugin } from '../../lib/plugin/bridge/create.ts'
import type { BridgeConfig } from '../../lib/plugin/bridge/options.ts'
import type { PluginManifest } from '../../lib/plugin/manifest.ts'
import type { DenyVerdict, HookContext, Outcome } from '../../lib/types.ts'
import { context, RecordingLog } from './bridge-context.ts'

export { context, RecordingLog }

/** The path of a fixture under `test/fixtures/plugins`. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/plugins/${name}`, import.meta.url))

const opened: BridgedPlugin[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((plugin) => plugin.close()))
})

/** What {@link bridged} can be told beside the program. */
export interface BridgedOptions extends Omit<BridgedEntry, 'bridge'> {
  readonly id?: string
  readonly bridge?: BridgeConfig
  readonly manifest?: Partial<PluginManifest>
  readonly clock?: () => number
}

/** A plugin whose bridge is a program of ours, with a fast stop; closed after the test. */
export function bridged(
  program: readonly string[],
  { id = 'p', bridge, manifest, clock, ...entry }: BridgedOptions = {},
): { plugin: BridgedPlugin; log: RecordingLog } {
  const log = new RecordingLog()
  const [name = '', ...args] = program
  const file = name.endsWith('.mjs') ? fixture(name) : name
  const command = name.endsWith('.mjs') ? ['node', file, ...args] : program
  const plugin = createBridgedPlugin({
    manifest: {
      id,
      runtime: 'process',
      contracts: { trustedToolPolicies: [] },
      file: fixture('good.mjs'),
      folder: fixture('.'),
      ...manifest,
    },
    entryPath: fixture('good.mjs'),
    entry: { ...entry, bridge: { command, stopTimeoutMs: 300, backoffMs: 50, ...bridge } },
    log,
    clock,
  })
  opened.push(plugin)
  return { plugin, log }
}

/** The same, started. */
export async function started(
  program: readonly string[],
  options?: BridgedOptions,
): Promise<{ plugin: BridgedPlugin; log: RecordingLog }> {
  const made = bridged(program, options)
  await made.plugin.start()
  return made
}

/** What a bridged plugin says about a call. */
export async function judge(
  plugin: BridgedPlugin,
  facts?: Partial<HookContext>,
): Promise<DenyVerdict | null> {
  const answer = await plugin.hook.check?.(context(facts))
  if (answer === null || (typeof answer === 'object' && answer.kind === 'deny')) return answer
  throw new Error(`a bridged hook denies or says nothing, and said ${JSON.stringify(answer)}`)
}

/** A call that completed, as `after` sees it. */
export const completed = (result: unknown): Outcome => ({
  status: 'completed',
  failed: false,
  executed: true,
  result,
  text: String(result),
  durationMs: 12.5,
})

/** Whether a process is there; a zombie that nobody has collected is not. */
export async function isAlive(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises')
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return !/\) [ZX] /.test(stat)
  } catch {
    return false
  }
}

/** Waits until something holds, a turn of the event loop at a time. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}
