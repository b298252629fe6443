import { dirname, resolve } from 'node:path'
import { pathProblem } from '../lib/path-problem.ts'
import {
  configNotices,
  hasPolicy,
  inFile,
  loadConfig,
  type ToolwareConfig,
} from '../middleware/config.ts'
import { type Io, write } from './command.ts'
import { UsageError } from './usage-error.ts'

const NO_POLICY = 'no policy is active: nothing is denied, asked about or limited'

/** Options that say what the pipeline is made of. */
export interface ConfigOptions {
  readonly config?: string | undefined
  readonly workspace?: string | undefined
  readonly audit?: string | undefined
}

/** A configuration as the command line completes it. */
export interface ReadyConfig {
  readonly config: ToolwareConfig
  /** What paths of the configuration are relative to. */
  readonly folder: string
  /** Where tools work. */
  readonly workspace: string
  /** Puts the name of the file in front of an error about it. */
  readonly explainError: (error: unknown) => unknown
  /** Says on stderr what the operator should know: ignored sections, no policy. Call it when nothing can be wrong any more. */
  readonly notify: () => Promise<void>
}

/**
 * Loads the configuration. `--workspace` sets its `workspaceRoot`, and alone means `workspaceOnly` and no shell; `--audit`
 * sets the audit file.
 */
export async function readyConfig(options: ConfigOptions, io: Io): Promise<ReadyConfig> {
  const { config: file, workspace, audit } = options
  const loaded =
    file === undefined ? {} : await loadConfig(resolve(io.cwd, file)).catch(rethrow(file))
  const root =
    workspace === undefined ? undefined : directory(resolve(io.cwd, workspace), workspace)
  const alone = file === undefined ? { workspaceOnly: true, allowShell: false } : {}
  const { agents: _, bindings: __, ...own } = loaded
  const config: ToolwareConfig = {
    ...own,
    ...(root && { tooling: { ...alone, ...own.tooling, workspaceRoot: root } }),
    ...(audit !== undefined && { audit: { ...own.audit, file: resolve(io.cwd, audit) } }),
  }
  return {
    config,
    folder: file === undefined ? io.cwd : dirname(resolve(io.cwd, file)),
    workspace: root ?? config.tooling?.workspaceRoot ?? io.cwd,
    explainError: (error) => (file === undefined ? error : inFile(file, error)),
    async notify() {
      for (const notice of configNotices(loaded)) await say(io, `${file}: ${notice}`)
      if (!hasPolicy(config)) await say(io, NO_POLICY)
    },
  }
}

async function say(io: Io, text: string): Promise<void> {
  await write(io.stderr, `toolware: ${text}\n`)
}

/** `loadConfig` names the absolute path; the person wrote another. */
function rethrow(file: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error)) throw error
    const at = error.message.indexOf(`${file}: `)
    throw at === -1 ? error : new UsageError(error.message.slice(at))
  }
}

function directory(path: string, named: string): string {
  const problem = pathProblem(path, 'directory', 'the directory where tools work')
  if (problem === undefined) return path
  throw new UsageError(`--workspace: "${named}": ${problem}`)
}
