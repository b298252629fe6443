import { isToolwareError, ToolwareError } from '../lib/errors.ts'
import { type OptionNames, vetNames } from '../lib/known-options.ts'
import { type LimitState, memoryState } from '../lib/state/memory.ts'
import type { AnyHook, HookSource } from '../lib/types.ts'
import { parseConfig, type ToolwareConfig } from './config-schema.ts'
import { auditLog } from './hooks/audit-log.ts'
import { autonomy } from './hooks/autonomy.ts'
import { type ContractScopeOptions, contractScope } from './hooks/contract-scope.ts'
import { rateLimit } from './hooks/rate-limit.ts'
import { semanticKernelPolicy } from './hooks/semantic-kernel-policy.ts'

/** What {@link createHooks} takes beside the configuration. */
export interface CreateHooksOptions {
  /** Whose hooks come last: a plugin host. */
  readonly plugins?: Pick<HookSource, 'hooks'> | undefined
  /** Milliseconds since the epoch, for limits and audit records. Default `Date.now`. */
  readonly clock?: (() => number) | undefined
  /** Where limits are counted. Default: memory of this process. */
  readonly state?: LimitState | undefined
  /** Nothing will be executed: no audit file is opened. Default false. */
  readonly judgeOnly?: boolean | undefined
}

const NAMES: OptionNames<CreateHooksOptions> = {
  plugins: true,
  clock: true,
  state: true,
  judgeOnly: true,
}

/**
 * The hooks that a configuration describes, in the order in which they belong: `AuditLog`, `Autonomy`, `ContractScope` always,
 * then `SemanticKernelPolicy` and `RateLimit` where configured, then those of plugins. Your own come after.
 *
 * @throws {ToolwareError} `CONFIG` with the path of the key that is wrong.
 * @example for (const hook of createHooks(await loadConfig('toolware.json5'))) app.use(hook)
 */
export function createHooks(
  config: ToolwareConfig = {},
  options: CreateHooksOptions = {},
): AnyHook[] {
  vetNames(options, NAMES, 'createHooks')
  const { plugins, clock, judgeOnly = false } = options
  const state = options.state ?? memoryState({ clock })
  const parsed = parseConfig(config)
  const { tooling, tools, semanticKernel, rateLimits = [] } = parsed
  const limits = rateLimits.map((limit, i) =>
    rateLimit({ ...limit, id: `rateLimits[${i}]`, state }),
  )
  const policies = [
    inSection('tooling', () => autonomy({ ...tooling, tools })),
    scopeOf(parsed, state),
    ...(semanticKernel ? [semanticKernelPolicy({ ...semanticKernel, state })] : []),
    ...limits,
  ]
  // The last to be made, since it opens a file: a configuration that is wrong elsewhere leaves none behind.
  const audit = auditLog(judgeOnly ? {} : { ...parsed.audit, clock })
  return [audit, ...policies, ...(plugins?.hooks() ?? [])]
}

function scopeOf(config: ToolwareConfig, state: LimitState): AnyHook {
  const { tooling, tools, contract, contracts = {} } = config
  const options: ContractScopeOptions = {
    tools,
    workspaceRoot: tooling?.workspaceRoot,
    caseInsensitivePaths: tooling?.caseInsensitivePaths,
    strictArguments: tooling?.strictArguments,
    allowHardLinkWrites: tooling?.allowHardLinkWrites,
    platform: tooling?.platform,
  }
  for (const [session, policy] of Object.entries(contracts)) {
    const name = /^[\w$-]+$/.test(session) ? `.${session}` : `[${JSON.stringify(session)}]`
    inSection(`contracts${name}`, () => contractScope({ ...options, policy }))
  }
  return inSection('contract', () =>
    contractScope({
      ...options,
      state,
      policy: contract,
      policyFor: (session) =>
        session !== undefined && Object.hasOwn(contracts, session) ? contracts[session] : contract,
    }),
  )
}

/** Makes a hook; what it says about its options is said with the path that they have in the configuration. */
function inSection<T>(section: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!isToolwareError(error, 'CONFIG')) throw error
    const path = error.message.replace(/^contract\b\.?/, '')
    const isWhole = /^(?:tooling|tools)\b/.test(path)
    const message = isWhole ? path : `${section}${/^[:[]/.test(path) ? '' : '.'}${path}`
    throw new ToolwareError('CONFIG', message, { cause: error, details: error.details })
  }
}
