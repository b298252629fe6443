import { configError } from '../../lib/errors.ts'
import { toolNames } from '../../lib/policy/tool-names.ts'
import { type LimitState, memoryState } from '../../lib/state/memory.ts'
import type { FailureCause, HookContext, Opinion } from '../../lib/types.ts'
import { deny } from '../../lib/verdict.ts'
import { limiter, positive, type Rate, type RateLimitHook } from './rate-limit.ts'

/** Options of {@link semanticKernelPolicy}. */
export interface SemanticKernelOptions {
  /** Globs over tool names, compared exactly. Default `['sk_*', 'semantic_kernel']`; an empty list allows nothing. */
  readonly allowedTools?: readonly string[] | undefined
  /** Globs over tool names, compared without case. They win over `allowedTools`. */
  readonly deniedTools?: readonly string[] | undefined
  /** Calls a minute, by glob over tool names; counted per sender and tool. The lowest that matches counts. */
  readonly perSenderPerToolPerMinute?: Readonly<Record<string, number>> | undefined
  /** Default: memory of this process. */
  readonly state?: LimitState | undefined
  /** `['error']` lets calls pass while the state cannot be reached. Default: they are blocked. */
  readonly failOpen?: readonly FailureCause[] | undefined
  /** Milliseconds since the epoch, for the default state. Default `Date.now`. */
  readonly clock?: (() => number) | undefined
}

/** The hook that {@link semanticKernelPolicy} makes. */
export interface SemanticKernelHook extends Omit<RateLimitHook, 'name'> {
  readonly name: 'SemanticKernelPolicy'
  check(ctx: HookContext): Opinion
}

const ID = 'semanticKernel'

/**
 * Allows, denies and limits the tools of Semantic Kernel: those named `sk_*` or `semantic_kernel`. Other tools pass.
 *
 * @throws {ToolwareError} `CONFIG` for a wrong option.
 * @example app.use(semanticKernelPolicy({ deniedTools: ['sk_mail_*'], perSenderPerToolPerMinute: { 'sk_*': 30 } }))
 */
export function semanticKernelPolicy(options: SemanticKernelOptions = {}): SemanticKernelHook {
  const allowed = toolNames(
    options.allowedTools ?? ['sk_*', 'semantic_kernel'],
    `${ID}.allowedTools`,
  )
  const denied = toolNames(options.deniedTools ?? [], `${ID}.deniedTools`)
  const failOpen = options.failOpen ?? []
  return {
    name: 'SemanticKernelPolicy',
    failOpen,
    check({ toolName }) {
      if (!isGoverned(toolName)) return null
      const pattern = denied.folded(toolName)
      if (pattern !== undefined) {
        return deny(`${toolName} is denied here`, { rule: `${ID}.deniedTools: ${pattern}` })
      }
      if (allowed.exact(toolName) !== undefined) return null
      return deny(`${toolName} is none of the allowed tools`, { rule: `${ID}.allowedTools` })
    },
    ...limiter({
      id: ID,
      per: ['sender', 'tool'],
      windowMs: 60_000,
      failOpen,
      state: options.state ?? memoryState({ clock: options.clock }),
      rateFor: rates(options.perSenderPerToolPerMinute ?? {}),
    }),
  }
}

function isGoverned(toolName: string): boolean {
  const folded = toolName.toLowerCase()
  return folded.startsWith('sk_') || folded === 'semantic_kernel'
}

function rates(limits: Readonly<Record<string, number>>): (ctx: HookContext) => Rate | undefined {
  const path = `${ID}.perSenderPerToolPerMinute`
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) {
    throw configError(path, 'must be an object of limits by tool name')
  }
  // Lowest first, so that the first that matches counts.
  const sorted = Object.entries(limits)
    .map(([pattern, limit]) => {
      positive(limit, `${path}["${pattern}"]`)
      return { names: toolNames([pattern], path), limit, rule: `${path}: ${pattern}` }
    })
    .sort((a, b) => a.limit - b.limit)
  return ({ toolName }) =>
    isGoverned(toolName)
      ? sorted.find(({ names }) => names.folded(toolName) !== undefined)
      : undefined
}
