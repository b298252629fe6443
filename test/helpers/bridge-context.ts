import type { HookContext, Logger, Params } from '../../lib/types.ts'

/** One line of a {@link RecordingLog}. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

/** A logger that keeps its lines, and lets a test wait for one. */
export class RecordingLog implements Logger {
  readonly lines: LogLine[] = []
  #waiting: Array<() => void> = []

  debug = (fields: object, message: string): void => this.#add('debug', fields, message)
  info = (fields: object, message: string): void => this.#add('info', fields, message)
  warn = (fields: object, message: string): void => this.#add('warn', fields, message)
  error = (fields: object, message: string): void => this.#add('error', fields, message)

  /** The first line that fits, as soon as there is one. */
  async line(fits: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const found = this.lines.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #add(level: string, fields: object, message: string): void {
    this.lines.push({ level, message, fields: { ...fields } })
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

let calls = 0

/** A hook's view of a call. */
export function context(facts: Partial<HookContext> = {}): HookContext {
  calls += 1
  const params: Params = facts.params ?? { path: 'a.txt' }
  return {
    id: `call-${calls}`,
    toolName: 'read_file',
    params,
    argumentsJson: JSON.stringify(params),
    signal: new AbortController().signal,
    log: new RecordingLog(),
    execEnv: undefined,
    state: new Map(),
    recheck: false,
    resumed: false,
    judging: false,
    clock: Date.now,
    ...facts,
  }
}
