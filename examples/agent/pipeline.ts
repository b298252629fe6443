import { Toolware } from 'toolware'
import { auditLog, autonomy, contractScope } from 'toolware/hooks'

export interface PipelineOptions {
  /** The only directory tools may touch. */
  readonly workspace: string
  /** Two JSON lines per call are appended here. */
  readonly auditFile: string
  /** Per session. Default 20. */
  readonly maxToolCalls?: number | undefined
}

/** What stands between the model and the tools: a record of everything, rules for paths, a budget per session. */
export function createPipeline(options: PipelineOptions): Toolware {
  const { workspace, auditFile, maxToolCalls = 20 } = options
  return new Toolware()
    .use(auditLog({ file: auditFile }))
    .use(
      autonomy({
        workspaceOnly: true,
        workspaceRoot: workspace,
        forbiddenPathGlobs: ['**/.env'],
        allowShell: false,
      }),
    )
    .use(contractScope({ policy: { maxToolCalls }, workspaceRoot: workspace }))
}
