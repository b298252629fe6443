import { z } from 'zod'
import { type OptionNames, vetNames } from '../../lib/known-options.ts'
import { type Catalogue, catalogue, type ToolDeclarations } from '../../lib/policy/catalogue.ts'
import { pathGrants } from '../../lib/policy/grants.ts'
import type { PathPlatform } from '../../lib/policy/paths.ts'
import {
  examplesSection,
  holdExamples,
  type PolicyExamples,
  plainText,
  toolsSection,
} from '../../lib/policy/tool-section.ts'
import { readOptions } from '../../lib/read-options.ts'
import { type LimitState, memoryState, type Taken } from '../../lib/state/memory.ts'
import type {
  Answer,
  DenyVerdict,
  FailureCause,
  HookContext,
  MaybePromise,
  Opinion,
  Outcome,
} from '../../lib/types.ts'
import { deny } from '../../lib/verdict.ts'

/** What one tool may do under a contract. */
export interface ScopedCapability {
  /** Compared exactly. Several entries of one tool add up. */
  readonly toolName: string
  /** Files and directories, with all below. Unset: the tool is not restricted. */
  readonly allowedPaths?: readonly string[] | undefined
}

/** What a session may do: one entry of `contracts`, or `contract` for all. */
export interface ContractPolicy {
  /** Calls that may start in one session. Unset: any number. */
  readonly maxToolCalls?: number | undefined
  /** Files and directories, with all below, for every file tool without an entry of its own. */
  readonly allowedPaths?: readonly string[] | undefined
  readonly scopedCapabilities?: readonly ScopedCapability[] | undefined
  /** Calls that must be judged so, checked at load. */
  readonly examples?: PolicyExamples | undefined
}

/** Options of {@link contractScope}. */
export interface ContractScopeOptions {
  /** The contract of every session. */
  readonly policy?: ContractPolicy | undefined
  /** The contract of one session, instead of `policy`; undefined restricts nothing. */
  readonly policyFor?: ((sessionId: string | undefined) => ContractPolicy | undefined) | undefined
  /** What the operator says about tools, by exact name. */
  readonly tools?: ToolDeclarations | undefined
  /** Where relative paths start. Default: the working directory. */
  readonly workspaceRoot?: string | undefined
  readonly caseInsensitivePaths?: boolean | undefined
  /** Of tools that nobody declared, judge texts under any name that begin as paths do. Default: false. */
  readonly strictArguments?: boolean | undefined
  /** False refuses to write to a file that has another name as well. Default: true. */
  readonly allowHardLinkWrites?: boolean | undefined
  readonly platform?: PathPlatform | undefined
  /** Where `~/` leads. Default: the home directory of this process. */
  readonly home?: string | undefined
  /** Where calls are counted. Default: memory of this process. */
  readonly state?: LimitState | undefined
  /** `['error']` lets calls pass while the state cannot be reached. Default: they are blocked. */
  readonly failOpen?: readonly FailureCause[] | undefined
  /** Milliseconds since the epoch, for the default state. Default: the pipeline's clock. */
  readonly clock?: (() => number) | undefined
}

const NAMES: OptionNames<ContractScopeOptions> = {
  policy: true,
  policyFor: true,
  tools: true,
  workspaceRoot: true,
  caseInsensitivePaths: true,
  strictArguments: true,
  allowHardLinkWrites: true,
  platform: true,
  home: true,
  state: true,
  failOpen: true,
  clock: true,
}

/** The hook that {@link contractScope} makes. */
export interface ContractScopeHook {
  readonly name: 'ContractScope'
  readonly failOpen: readonly FailureCause[]
  check(ctx: HookContext): Opinion
  before(ctx: HookContext): MaybePromise<Answer>
  after(ctx: HookContext, outcome: Outcome): unknown
  skipped(ctx: HookContext, outcome: Outcome): unknown
}

const paths = z.array(plainText)

/** The schema of the `contract` section, and of each entry of `contracts`. */
export const contractSection: z.ZodType<ContractPolicy> = z.strictObject({
  maxToolCalls: z
    .int('must be a positive whole number; leave it out for no limit')
    .positive('must be positive; leave it out for no limit')
    .optional(),
  allowedPaths: paths.optional(),
  scopedCapabilities: z
    .array(z.strictObject({ toolName: plainText, allowedPaths: paths.optional() }))
    .optional(),
  examples: examplesSection.optional(),
})

/**
 * Holds each session to its contract: a number of calls, and paths per tool. Paths are judged in `check`; a call takes
 * its slot in `before`, and gives it back when its tool never starts.
 *
 * Calls without a session share one counter. A counter that was idle for 24 hours starts anew.
 *
 * @throws {ToolwareError} `CONFIG` for a wrong option, or an example that does not hold.
 * @example app.use(contractScope({ policy: { maxToolCalls: 100, allowedPaths: ['src'] } }))
 */
export function contractScope(options: ContractScopeOptions = {}): ContractScopeHook {
  vetNames(options, NAMES, 'contractScope')
  const { failOpen = [], policy: common, policyFor = () => common } = options
  const tools = catalogue(readOptions(toolsSection, options.tools ?? {}, 'tools'))
  const state = options.state ?? memoryState({ clock: options.clock })
  const compiled = new WeakMap<ContractPolicy, Contract>()
  const compile = (policy: ContractPolicy): Contract => {
    const contract = compiled.get(policy) ?? openContract(policy, options, tools)
    compiled.set(policy, contract)
    return contract
  }
  if (common) compile(common)
  const contractOf = ({ sessionId }: HookContext): Contract | undefined => {
    const policy = policyFor(sessionId)
    return policy && compile(policy)
  }
  const down = (ctx: HookContext, error: unknown): Answer => {
    const isOpen = failOpen.includes('error')
    ctx.log[isOpen ? 'warn' : 'error']({ err: error }, 'the count of calls cannot be reached')
    if (isOpen) return undefined
    const reason = 'the count of calls cannot be reached; try again later'
    return deny(reason, { code: 'STATE_UNAVAILABLE', rule: 'maxToolCalls' })
  }
  const release = (ctx: HookContext, outcome: Outcome): unknown =>
    contractOf(ctx)?.maxToolCalls === undefined
      ? undefined
      : outcome.executed
        ? state.settle(keyOf(ctx), ctx.id)
        : state.giveBack(keyOf(ctx), ctx.id)

  return {
    name: 'ContractScope',
    failOpen,
    check: (ctx) => contractOf(ctx)?.judge(ctx) ?? null,
    before(ctx) {
      const limit = contractOf(ctx)?.maxToolCalls
      if (limit === undefined) return undefined
      const answer = ({ ok }: Taken): Answer => (ok ? undefined : overLimit(limit))
      try {
        const taken = state.take(keyOf(ctx), ctx.id, { limit, now: ctx.clock() })
        return 'then' in taken ? taken.then(answer, (error) => down(ctx, error)) : answer(taken)
      } catch (error) {
        return down(ctx, error)
      }
    },
    after: release,
    skipped: release,
  }
}

interface Contract {
  readonly maxToolCalls: number | undefined
  judge(call: Pick<HookContext, 'toolName' | 'params' | 'derivedPaths'>): Opinion
}

function openContract(
  policy: ContractPolicy,
  options: ContractScopeOptions,
  tools: Catalogue,
): Contract {
  const { maxToolCalls, examples, ...granted } = readOptions(contractSection, policy, 'contract')
  const grants = pathGrants(granted, {
    base: options.workspaceRoot,
    platform: options.platform,
    caseInsensitive: options.caseInsensitivePaths,
    strictArguments: options.strictArguments,
    allowHardLinkWrites: options.allowHardLinkWrites,
    home: options.home,
  })
  const judge: Contract['judge'] = ({ toolName, params, derivedPaths }) =>
    grants?.judge(toolName, params, tools.find(toolName), derivedPaths) ?? null
  holdExamples(examples, 'contract.examples', judge)
  return { maxToolCalls, judge }
}

function keyOf({ sessionId }: HookContext): string {
  return sessionId === undefined ? 'contract' : `contract:${sessionId}`
}

function overLimit(limit: number): DenyVerdict {
  const calls = limit === 1 ? 'its one tool call' : `its ${limit} tool calls`
  const reason = `the session has used up ${calls}; finish with what you have`
  return deny(reason, { code: 'LIMIT_EXCEEDED', rule: `maxToolCalls: ${limit}` })
}
