import { z } from 'zod'
import { vetObject } from '../../lib/known-options.ts'
import { toolNames } from '../../lib/policy/tool-names.ts'
import {
  examplesSection,
  holdExamples,
  type PolicyExamples,
} from '../../lib/policy/tool-section.ts'
import { readOptions } from '../../lib/read-options.ts'
import { type LimitState, memoryState } from '../../lib/state/memory.ts'
import type { FailureCause, HookContext, Opinion } from '../../lib/types.ts'
import { deny } from '../../lib/verdict.ts'
import {
  count,
  exampleJudge,
  type LimitedCall,
  limiter,
  type Rate,
  type RateLimitHook,
  type RateScope,
} from './rate-limit.ts'

/** The `semanticKernel` section of a configuration. */
export interface SemanticKernelSection {
  /** Globs over tool names, compared exactly. Default `['sk_*', 'semantic_kernel']`; an empty list allows nothing. */
  readonly allowedTools?: readonly string[] | undefined
  /** Globs over tool names, compared without case. They win over `allowedTools`. */
  readonly deniedTools?: readonly string[] | undefined
  /** Calls a minute, by glob over tool names; counted per sender and tool. The lowest that matches counts. */
  readonly perSenderPerToolPerMinute?: Readonly<Record<string, number>> | undefined
  /** Calls that must be judged so when they come one after the other, first the allowed ones. Checked at load. */
  readonly examples?: PolicyExamples | undefined
}

/** The schema of the `semanticKernel` section. */
export const semanticKernelSection: z.ZodType<SemanticKernelSection> = z.strictObject({
  allowedTools: z.array(z.string()).optional(),
  deniedTools: z.array(z.string()).optional(),
  perSenderPerToolPerMinute: z.record(z.string(), count).optional(),
  examples: examplesSection.optional(),
})

/** Options of {@link semanticKernelPolicy}. */
export interface SemanticKernelOptions extends SemanticKernelSection {
  /** Default: memory of this process. */
  readonly state?: LimitState | undefined
  /** `['error']` lets calls pass while the state cannot be reached. Default: they are blocked. */
  readonly failOpen?: readonly FailureCause[] | undefined
  /** Milliseconds since the epoch, for the default state. Default: the pipeline's clock. */
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
  vetObject(options, 'semanticKernelPolicy')
  const { state, failOpen = [], clock, ...given } = options
  const section = readOptions(semanticKernelSection, given, ID)
  const judge = judgeNames(section)
  const limits = {
    id: ID,
    per: ['sender', 'tool'] satisfies RateScope[],
    windowMs: 60_000,
    failOpen,
    rateFor: rates(section.perSenderPerToolPerMinute ?? {}),
  }
  const example = exampleJudge(limits)
  holdExamples(section.examples, `${ID}.examples`, (call) => judge(call) ?? example(call))
  return {
    name: 'SemanticKernelPolicy',
    failOpen,
    check: judge,
    ...limiter({ ...limits, state: state ?? memoryState({ clock }) }),
  }
}

function judgeNames(section: SemanticKernelSection): (call: { toolName: string }) => Opinion {
  const names = section.allowedTools ?? ['sk_*', 'semantic_kernel']
  const allowed = toolNames(names, `${ID}.allowedTools`)
  const denied = toolNames(section.deniedTools ?? [], `${ID}.deniedTools`)
  return ({ toolName }) => {
    if (!isGoverned(toolName)) return null
    const pattern = denied.folded(toolName)
    if (pattern !== undefined) {
      return deny(`${toolName} is denied here`, { rule: `${ID}.deniedTools: ${pattern}` })
    }
    if (allowed.exact(toolName) !== undefined) return null
    return deny(`${toolName} is none of the allowed tools`, { rule: `${ID}.allowedTools` })
  }
}

function isGoverned(toolName: string): boolean {
  const folded = toolName.toLowerCase()
  return folded.startsWith('sk_') || folded === 'semantic_kernel'
}

function rates(limits: Readonly<Record<string, number>>): (call: LimitedCall) => Rate | undefined {
  const path = `${ID}.perSenderPerToolPerMinute`
  // Lowest first, so that the first that matches counts.
  const sorted = Object.entries(limits)
    .map(([pattern, limit]) => ({
      names: toolNames([pattern], path),
      limit,
      rule: `${path}: ${pattern}`,
    }))
    .sort((a, b) => a.limit - b.limit)
  return ({ toolName }) =>
    isGoverned(toolName)
      ? sorted.find(({ names }) => names.folded(toolName) !== undefined)
      : undefined
}
