import type { HookContext, Logger } from '../../lib/types.ts'

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Record<string, unknown>
  readonly message: string
}

/** A logger that keeps what it was told. */
export function recordingLogger(): { readonly log: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message })
  }
  return {
    lines,
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
  }
}

let made = 0

/** A hook's context in one line, for tests of a hook without a pipeline around it. */
export function hookContext(facts: Partial<HookContext> = {}): HookContext {
  const params = facts.params ?? {}
  return {
    id: `call-${++made}`,
    toolName: 'read_file',
    params,
    argumentsJson: JSON.stringify(params),
    signal: new AbortController().signal,
    log: recordingLogger().log,
    execEnv: undefined,
    state: new Map(),
    recheck: false,
    resumed: false,
    judging: false,
    clock: Date.now,
    ...facts,
  }
}
