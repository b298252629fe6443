import { z } from 'zod'
import { vetObject } from '../../lib/known-options.ts'
import { type BadArgument, collectArguments, tooManyArguments } from '../../lib/policy/arguments.ts'
import {
  accessOf,
  catalogue,
  type FoundTool,
  type ToolDeclarations,
} from '../../lib/policy/catalogue.ts'
import { denyFor, shorten } from '../../lib/policy/finding.ts'
import { judgeExec } from '../../lib/policy/judge-exec.ts'
import { judgeFiles } from '../../lib/policy/judge-files.ts'
import { type PathPlatform, pathPolicy } from '../../lib/policy/paths.ts'
import { allowedCommands } from '../../lib/policy/shell/allow.ts'
import { shellJudge } from '../../lib/policy/shell/judge.ts'
import {
  examplesSection,
  holdExamples,
  type PolicyExamples,
  plainText,
  toolsSection,
} from '../../lib/policy/tool-section.ts'
import { readOptions } from '../../lib/read-options.ts'
import type { HookContext, Opinion, Params } from '../../lib/types.ts'
import { ask, deny } from '../../lib/verdict.ts'

/** The `tooling` section of a configuration. Every restriction is opt-in. */
export interface ToolingSection {
  /** `readonly` denies what is not known to read, `supervised` asks there. Default `full`. */
  readonly autonomyMode?: 'full' | 'supervised' | 'readonly' | undefined
  /** Only paths inside `workspaceRoot`, links followed. Default false. */
  readonly workspaceOnly?: boolean | undefined
  /** Where relative paths start. Default: the working directory. */
  readonly workspaceRoot?: string | undefined
  /** Paths that nobody may touch, each with all below it. Compared without case. */
  readonly forbiddenPathGlobs?: readonly string[] | undefined
  /** False denies every tool that runs commands or code. Default true. */
  readonly allowShell?: boolean | undefined
  /** Commands that may run, `*` is any text; each simple command must match one. Unset: all, `[]`: none. */
  readonly allowedShellCommandGlobs?: readonly string[] | undefined
  /** Compare allowed paths without case. Default: true on Windows. Forbidding always does. */
  readonly caseInsensitivePaths?: boolean | undefined
  /** Of tools that nobody declared, judge texts under any name that begin as paths do. Default false. */
  readonly strictArguments?: boolean | undefined
  /** False refuses to write to a file that has another name as well. Default true. */
  readonly allowHardLinkWrites?: boolean | undefined
  /** Default: this machine's. Paths of another platform are judged by their spelling only. */
  readonly platform?: PathPlatform | undefined
  /** Calls that must be judged so, checked at load. */
  readonly examples?: PolicyExamples | undefined
}

/** Options of {@link autonomy}. */
export interface AutonomyOptions extends ToolingSection {
  /** What the operator says about tools, by exact name. */
  readonly tools?: ToolDeclarations | undefined
  /** Where `~/` leads. Default: the home directory of this process. */
  readonly home?: string | undefined
}

/** The hook that {@link autonomy} makes. */
export interface AutonomyHook {
  readonly name: 'Autonomy'
  check(ctx: HookContext): Opinion
}

/** The schema of the `tooling` section. */
export const autonomySection: z.ZodType<ToolingSection> = z
  .strictObject({
    autonomyMode: z
      .enum(['full', 'supervised', 'readonly'], { error: 'must be full, supervised or readonly' })
      .optional(),
    workspaceOnly: z.boolean().optional(),
    workspaceRoot: plainText.optional(),
    forbiddenPathGlobs: z.array(plainText).optional(),
    allowShell: z.boolean().optional(),
    allowedShellCommandGlobs: z.array(plainText).optional(),
    caseInsensitivePaths: z.boolean().optional(),
    strictArguments: z.boolean().optional(),
    allowHardLinkWrites: z.boolean().optional(),
    platform: z.enum(['posix', 'win32'], { error: 'must be posix or win32' }).optional(),
    examples: examplesSection.optional(),
  })
  .refine((tooling) => !tooling.workspaceOnly || tooling.workspaceRoot !== undefined, {
    path: ['workspaceRoot'],
    error: 'must name a directory, since workspaceOnly is on',
  })

/**
 * Keeps calls inside a workspace, away from forbidden paths, to allowed commands, and to reading. Decides in `check`
 * alone, without waiting.
 *
 * @throws {ToolwareError} `CONFIG` for a wrong option, a root that is no directory, or an example that does not hold.
 * @example app.use(autonomy({ workspaceOnly: true, workspaceRoot: '.', forbiddenPathGlobs: ['**\/.env'] }))
 */
export function autonomy(options: AutonomyOptions = {}): AutonomyHook {
  vetObject(options, 'autonomy')
  const { tools, home, ...given } = options
  const tooling = readOptions(autonomySection, given, 'tooling')
  const declared = catalogue(readOptions(toolsSection, tools ?? {}, 'tools'))
  const judge = judgeCalls(tooling, home)
  const check = ({
    toolName,
    params,
    derivedPaths,
  }: Pick<HookContext, 'toolName' | 'params' | 'derivedPaths'>): Opinion =>
    judge(toolName, params, declared.find(toolName), derivedPaths)
  holdExamples(tooling.examples, 'tooling.examples', check)
  return { name: 'Autonomy', check }
}

type Judge = (
  toolName: string,
  params: Params,
  tool: FoundTool,
  derivedPaths?: readonly string[],
) => Opinion

function judgeCalls(tooling: ToolingSection, home: string | undefined): Judge {
  const { autonomyMode = 'full', allowShell = true, strictArguments = false } = tooling
  const paths = pathPolicy({
    base: tooling.workspaceRoot,
    within: tooling.workspaceOnly ? { rule: 'workspaceOnly', dirs: ['.'] } : undefined,
    forbidden: tooling.forbiddenPathGlobs,
    platform: tooling.platform,
    caseInsensitive: tooling.caseInsensitivePaths,
    allowHardLinkWrites: tooling.allowHardLinkWrites,
    home,
  })
  const allows = allowedCommands(
    tooling.allowedShellCommandGlobs,
    'tooling.allowedShellCommandGlobs',
  )
  const judgesCommands = allows !== undefined || paths.restricted
  const rule = allows ? 'allowedShellCommandGlobs' : restriction(tooling)
  const exec = { shell: shellJudge({ allows, paths }), paths, rule }

  if (autonomyMode === 'full' && allowShell && !judgesCommands) return () => null
  return (toolName, params, tool, derivedPaths) => {
    const tooMany = tooManyArguments(params)
    if (tooMany) return denyFor(tooMany.found, tooMany.at)
    const access = accessOf(tool, params)
    if (autonomyMode === 'readonly' && access !== 'read') return denyWrite(toolName, access)
    if (!allowShell && access === 'exec') {
      return deny('commands and code are switched off; use the file tools', { rule: 'allowShell' })
    }
    const bad = judgeArguments(params, tool, access, derivedPaths)
    if (bad) return denyFor(bad.found, bad.at)
    return autonomyMode === 'supervised' && access !== 'read' ? askFor(toolName, params) : null
  }

  function judgeArguments(
    params: Params,
    { facts, isExact }: FoundTool,
    access: ReturnType<typeof accessOf>,
    derivedPaths: readonly string[] | undefined,
  ): BadArgument | undefined {
    if (!judgesCommands) return undefined
    const runs = access === 'exec' || facts?.form === 'git'
    const bad = runs ? judgeExec(params, facts, exec) : undefined
    if (bad || !paths.restricted) return bad
    return judgeFiles(
      collectArguments(params, facts, {
        derivedPaths,
        strict: strictArguments && !isExact,
      }),
      facts,
      paths,
      access === 'read' ? 'read' : 'write',
    )
  }
}

function restriction(tooling: ToolingSection): string {
  if (tooling.workspaceOnly) return 'workspaceOnly'
  return tooling.forbiddenPathGlobs?.length ? 'forbiddenPathGlobs' : 'allowHardLinkWrites'
}

function denyWrite(toolName: string, access: ReturnType<typeof accessOf>): Opinion {
  const reason =
    access === 'unknown'
      ? `only reading is allowed, and ${toolName} is not known to read; the operator can declare it under tools`
      : `only reading is allowed, and this call of ${toolName} may change something`
  return deny(reason, { rule: 'autonomyMode: readonly' })
}

function askFor(toolName: string, params: Params): Opinion {
  const names = Object.keys(params).slice(0, 8).join(', ')
  return ask({
    title: `Allow ${shorten(toolName, 60)}?`,
    description: names === '' ? 'A call without arguments.' : `A call with ${names}.`,
    severity: 'warning',
  })
}
