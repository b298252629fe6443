import type { DenyVerdict, Params } from '../types.ts'
import { deny } from '../verdict.ts'
import { collectArguments, tooManyArguments } from './arguments.ts'
import { accessOf, type FoundTool } from './catalogue.ts'
import type { ExecRules } from './exec-arguments.ts'
import { denyFor } from './finding.ts'
import { judgeExec, mayRun } from './judge-exec.ts'
import { judgeFiles, touchesFiles } from './judge-files.ts'
import { type PathPolicyOptions, pathPolicy } from './paths.ts'
import { shellJudge } from './shell/judge.ts'

/** Paths that tools are granted. */
export interface GrantedPaths {
  /** For every file tool without an entry of its own. */
  readonly allowedPaths?: readonly string[] | undefined
  /** By exact name; entries of one tool add up, one without paths does not restrict. */
  readonly scopedCapabilities?:
    | readonly {
        readonly toolName: string
        readonly allowedPaths?: readonly string[] | undefined
      }[]
    | undefined
}

/** How calls are looked at. */
export interface GrantOptions
  extends Pick<
    PathPolicyOptions,
    'base' | 'platform' | 'caseInsensitive' | 'allowHardLinkWrites' | 'home'
  > {
  /** Of tools that nobody declared, judges texts under any name that begin as paths do. Default: false. */
  readonly strictArguments?: boolean | undefined
}

/** Judges calls by the paths that their tools are granted. */
export interface Grants {
  judge(
    toolName: string,
    params: Params,
    tool: FoundTool,
    derivedPaths?: readonly string[],
  ): DenyVerdict | undefined
}

/**
 * Compiles grants; undefined when none of them names paths, so that nothing is restricted.
 *
 * A tool that touches files uses its own entries, else `allowedPaths`, else it is denied. Running commands or code
 * needs an entry without paths. Other tools pass.
 */
export function pathGrants(
  { allowedPaths, scopedCapabilities = [] }: GrantedPaths,
  { strictArguments = false, ...options }: GrantOptions,
): Grants | undefined {
  const isRestricting =
    allowedPaths !== undefined ||
    scopedCapabilities.some((entry) => entry.allowedPaths !== undefined)
  if (!isRestricting) return undefined

  const rulesFor = (rule: string, dirs: readonly string[]): ExecRules => {
    const paths = pathPolicy({ ...options, within: { rule, dirs } })
    return { paths, shell: shellJudge({ paths }), rule }
  }
  const common = allowedPaths && rulesFor('allowedPaths', allowedPaths)
  const free = new Set(
    scopedCapabilities.filter((e) => e.allowedPaths === undefined).map((e) => e.toolName),
  )
  const scoped = new Map<string, ExecRules>()
  for (const { toolName } of scopedCapabilities) {
    if (free.has(toolName) || scoped.has(toolName)) continue
    const entries = scopedCapabilities.filter((entry) => entry.toolName === toolName)
    const dirs = entries.flatMap((entry) => entry.allowedPaths ?? [])
    scoped.set(toolName, rulesFor(`scopedCapabilities: ${toolName}`, dirs))
  }

  return {
    judge(toolName, params, tool, derivedPaths) {
      if (free.has(toolName)) return undefined
      const tooMany = tooManyArguments(params)
      if (tooMany) return denyFor(tooMany.found, tooMany.at)
      const { facts } = tool
      const access = accessOf(tool, params)
      const strict = strictArguments && !tool.isExact
      const args = collectArguments(params, facts, {
        derivedPaths,
        strict,
      })
      if (access === 'exec' && (args.cwds.length === 0 || mayRun(params, facts))) {
        const reason =
          'this contract grants paths only, so commands and code may not run; use file tools'
        return deny(reason, { rule: 'scopedCapabilities' })
      }
      const touches = touchesFiles(args, facts)
      if (!touches && args.addresses.length === 0) return undefined
      const rules = scoped.get(toolName) ?? common
      if (rules === undefined) {
        if (!touches) return undefined
        const reason = `this contract grants ${toolName} no paths; use a tool that it names`
        return deny(reason, { rule: 'scopedCapabilities' })
      }
      const bad =
        (facts?.form === 'git' ? judgeExec(params, facts, rules) : undefined) ??
        judgeFiles(args, facts, rules.paths, access === 'read' ? 'read' : 'write')
      return bad && denyFor(bad.found, bad.at)
    },
  }
}
