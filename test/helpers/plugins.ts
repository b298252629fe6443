import { onTestFinished } from 'vitest'
import { PluginHost, type PluginHostOptions } from '../../lib/plugin/host.ts'
import type { PluginApi, PluginDefinition } from '../../lib/plugin/types.ts'
import type { Answer, AnyHook, HookContext, Outcome, ToolHook } from '../../lib/types.ts'
import { type LogLine, recordingLogger } from './hook-context.ts'

type Register = (api: PluginApi) => unknown

/** A loaded host that the test leaves closed. */
export async function loadHost(
  options: PluginHostOptions = {},
): Promise<{ host: PluginHost; lines: LogLine[] }> {
  const { log, lines } = recordingLogger()
  const host = new PluginHost({ log, ...options })
  onTestFinished(() => host.close())
  return { host: await host.load(), lines }
}

/** A host of plugins given in code, with the ids `a`, `b`, `c` ... in load order. */
export function bundledHost(...plugins: Register[]): ReturnType<typeof loadHost> {
  return loadHost({ bundled: definitions(plugins) })
}

export const definitions = (plugins: readonly Register[]): PluginDefinition[] =>
  plugins.map((register, index) => ({ id: 'abcdefgh'[index] ?? `p${index}`, register }))

/** The hook of this name, as a context hook. */
export function hookOf(host: PluginHost, name = 'before_tool_call'): ToolHook {
  const found = host.hooks().find((hook) => hook.name === name)
  if (found === undefined) throw new Error(`no hook '${name}' among ${namesOf(host.hooks())}`)
  return found as ToolHook
}

export const namesOf = (hooks: readonly AnyHook[]): string[] => hooks.map((hook) => hook.name)

/** What the ring of `before_tool_call` handlers answers. */
export async function askRing(host: PluginHost, ctx: HookContext): Promise<Answer> {
  return hookOf(host).before?.(ctx)
}

/** A completed outcome. */
export function completed(result: unknown, facts: Partial<Outcome> = {}): Outcome {
  return {
    status: 'completed',
    failed: false,
    executed: true,
    text: '',
    durationMs: 5,
    result,
    ...facts,
  } as Outcome
}

/** A promise with its ends outside. */
export function deferred<T = void>(): {
  promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
} {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
