import type {
  ApprovalQuestion,
  AskRequest,
  Facts,
  HookContext,
  Logger,
  Params,
} from '../../lib/types.ts'

/** What a logger was told, one line an entry. */
export interface LogLine {
  readonly level: keyof Logger
  readonly message: string
  readonly fields: Record<string, unknown>
}

export function recordingLog(lines: LogLine[] = []): Logger & { readonly lines: LogLine[] } {
  const at = (level: keyof Logger) => (fields: object, message: string) => {
    lines.push({ level, message, fields: { ...fields } })
  }
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export interface QuestionOptions extends Facts {
  readonly id?: string
  readonly toolName?: string
  readonly params?: Params
  readonly originalParams?: Params
  readonly execEnv?: Record<string, string>
  readonly log?: Logger
  readonly policyVersion?: string
  /** Names and what each asks; default one asker named Autonomy. */
  readonly askers?: Record<string, Partial<AskRequest>>
}

let count = 0

/** A question as the gate puts it, with defaults for what a test does not care about. */
export function makeQuestion(options: QuestionOptions = {}): ApprovalQuestion {
  const { askers = { Autonomy: {} }, policyVersion, originalParams, ...rest } = options
  const params = options.params ?? { path: 'a.txt' }
  const ctx: HookContext = {
    id: `call-${++count}`,
    toolName: 'write_file',
    argumentsJson: JSON.stringify(params),
    log: recordingLog(),
    execEnv: undefined,
    state: new Map(),
    recheck: false,
    resumed: false,
    judging: false,
    clock: Date.now,
    ...rest,
    params,
    signal: options.signal ?? new AbortController().signal,
  }
  return {
    ctx,
    originalParams: originalParams ?? params,
    policyVersion,
    askers: Object.entries(askers).map(([name, request]) => ({
      name,
      request: { title: `May ${name} let it?`, ...request },
    })),
  }
}
