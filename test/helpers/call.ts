import { type Logger, type ToolCall, Toolware, type ToolwareOptions } from '../../lib/index.ts'

/** A call in one line. */
export function call(over: Partial<ToolCall> = {}): ToolCall {
  return { toolName: 'echo', params: { text: 'hi' }, ...over }
}

/** A tool that answers its params. */
export const echo = async (params: Record<string, unknown>): Promise<unknown> => params

/** Log lines, kept. */
export interface Lines extends Logger {
  readonly lines: Array<{ level: string; fields: Record<string, unknown>; message: string }>
}

export function quietLog(): Lines {
  const lines: Lines['lines'] = []
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message })
  }
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A pipeline that says nothing. */
export function quietApp(options: ToolwareOptions = {}): Toolware {
  return new Toolware({ log: quietLog(), ...options })
}

/** A promise and its ends. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

export function deferred<T = unknown>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<T>((ok, fail) => {
    resolve = ok
    reject = fail
  })
  return { promise, resolve, reject }
}

/** A promise that never settles. */
export const never = (): Promise<never> => new Promise(() => undefined)
