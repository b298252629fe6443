/** Why a plugin was refused, or what about it will not work: stable names, for reports and machines. */
export type PluginProblemCode =
  | 'invalid_manifest'
  | 'duplicate_plugin_id'
  | 'entry_not_found'
  | 'entry_outside_root'
  | 'invalid_package_json'
  | 'invalid_plugin_export'
  | 'operator_blocked'
  | 'mode_restricted'
  | 'undeclared_registration'
  | 'unsupported_registration'
  | 'start_failed'
  | 'protocol_mismatch'
  | ConfigProblemCode

/** What is wrong with a plugin's `configSchema`, or with the config given to it. */
export type ConfigProblemCode =
  | 'invalid_schema'
  | 'unsupported_schema_keyword'
  | 'invalid_schema_pattern'
  | 'config_type_mismatch'
  | 'config_enum_mismatch'
  | 'config_const_mismatch'
  | 'config_required_missing'
  | 'config_additional_property'
  | 'config_min_items'
  | 'config_max_items'
  | 'config_min_length'
  | 'config_max_length'
  | 'schema_pattern_timeout'
  | 'config_pattern_mismatch'
  | 'config_minimum'
  | 'config_maximum'
  | 'config_one_of_mismatch'
  | 'config_any_of_mismatch'

/** One thing that is wrong with one plugin. */
export interface PluginProblem {
  readonly code: PluginProblemCode
  /** What is wrong, with the value, and what would be right. */
  readonly message: string
  /** The file or the key it is about. */
  readonly path?: string | undefined
}

/** A value, or why there is none. */
export type Checked<T> =
  | { readonly value: T; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: PluginProblem }

/** Builds the refusing half of a {@link Checked}. */
export function refuse(
  code: PluginProblemCode,
  message: string,
  path?: string,
): { problem: PluginProblem } {
  return { problem: path === undefined ? { code, message } : { code, message, path } }
}
