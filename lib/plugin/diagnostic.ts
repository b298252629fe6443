import type { PluginProblemCode } from './problem.ts'

/** What a plugin's report can say, beside what is wrong with its files and manifest. */
export type DiagnosticCode =
  | PluginProblemCode
  /** The file defines another id than its name or its manifest. */
  | 'id_mismatch'
  /** The code could not be loaded. */
  | 'load_failed'
  /** `register` threw, or its promise did not settle in time. */
  | 'register_failed'
  /** Registered after `register` was over. */
  | 'late_registration'
  /** An event of OpenClaw that never fires here. */
  | 'event_never_fires'
  /** An option that has no effect. */
  | 'option_ignored'
  /** An `async` handler for an event whose handlers are synchronous. */
  | 'async_handler'
  /** A trusted policy that may not, or cannot, be registered. */
  | 'policy_refused'
  /** Another plugin has a command of that name. */
  | 'duplicate_command'
  /** A reload failed; the instance before it stays. */
  | 'reload_failed'

/** One line of a plugin's report. */
export interface Diagnostic {
  /** `error`: something of the plugin does not work. `warn`: it works in part. `info`: worth knowing. */
  readonly level: 'error' | 'warn' | 'info'
  readonly pluginId: string
  readonly code: DiagnosticCode
  /** What is the matter, with the value, and what would be right. */
  readonly message: string
  /** The file or the key it is about. */
  readonly path?: string | undefined
}

/** Takes a line for the report of the plugin at hand. */
export type Report = (
  level: Diagnostic['level'],
  code: DiagnosticCode,
  message: string,
  path?: string,
) => void

/** Makes a line of a report. */
export function line(
  level: Diagnostic['level'],
  pluginId: string,
  code: DiagnosticCode,
  message: string,
  path?: string,
): Diagnostic {
  return { level, pluginId, code, message, path }
}
