import { Script } from 'node:vm'
import { Ajv, type ErrorObject } from 'ajv'
import { quoted } from '../errors.ts'
import type { ConfigProblemCode, PluginProblem } from './problem.ts'

const MAX_DEPTH = 64
const PATTERN_TIMEOUT_MS = 1000

/** The keywords of JSON Schema that a `configSchema` may use, and the problem that each reports. */
const KEYWORDS: Readonly<Record<string, ConfigProblemCode | undefined>> = {
  type: 'config_type_mismatch',
  enum: 'config_enum_mismatch',
  const: 'config_const_mismatch',
  required: 'config_required_missing',
  additionalProperties: 'config_additional_property',
  'false schema': 'config_additional_property',
  minItems: 'config_min_items',
  maxItems: 'config_max_items',
  minLength: 'config_min_length',
  maxLength: 'config_max_length',
  pattern: 'config_pattern_mismatch',
  minimum: 'config_minimum',
  maximum: 'config_maximum',
  oneOf: 'config_one_of_mismatch',
  anyOf: 'config_any_of_mismatch',
  properties: undefined,
  items: undefined,
  description: undefined,
  title: undefined,
  default: undefined,
  $schema: undefined,
  $comment: undefined,
}

/**
 * Checks `entries.<id>.config` against the manifest's `configSchema`. No config at all is `{}`.
 *
 * @returns What is wrong with the schema, or else with the config; empty when all is well.
 */
export function checkPluginConfig(
  schema: Readonly<Record<string, unknown>>,
  config: unknown = {},
): PluginProblem[] {
  const unusable = schemaProblem(schema, 'configSchema', 0)
  if (unusable !== undefined) return [unusable]
  let slow = false
  const regExp = (source: string, flags: string) => {
    const regexp = new RegExp(source, flags)
    const test = (text: string): boolean => {
      try {
        return testWithin(regexp, text)
      } catch {
        slow = true
        return false
      }
    }
    return { test }
  }
  regExp.code = 'regExp'
  try {
    const ajv = new Ajv({
      allErrors: true,
      strict: false,
      addUsedSchema: false,
      verbose: true,
      code: { regExp },
    })
    const { $schema, ...rest } = schema
    const validate = ajv.compile(rest)
    if (validate(config)) return []
    return outermost(validate.errors ?? []).map((error) => configProblem(error, slow))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [{ code: 'invalid_schema', message: `is no JSON Schema: ${why}`, path: 'configSchema' }]
  }
}

/** A pattern comes from the plugin and must not hold up the host. */
function testWithin(regexp: RegExp, text: string): boolean {
  const script = new Script('regexp.test(text)')
  return script.runInNewContext({ regexp, text }, { timeout: PATTERN_TIMEOUT_MS }) === true
}

function schemaProblem(schema: unknown, path: string, depth: number): PluginProblem | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isRecord(schema) || depth > MAX_DEPTH) {
    const message = isRecord(schema) ? 'is nested too deeply' : `${quoted(schema)} is no schema`
    return { code: 'invalid_schema', message, path }
  }
  for (const [key, value] of Object.entries(schema)) {
    if (!Object.hasOwn(KEYWORDS, key)) {
      const known = Object.keys(KEYWORDS).filter((name) => name !== 'false schema')
      const message = `the keyword ${quoted(key)} is not supported; known are ${known.join(', ')}`
      return { code: 'unsupported_schema_keyword', message, path: `${path}.${key}` }
    }
    if (key === 'pattern') {
      const message = patternProblem(value)
      if (message) return { code: 'invalid_schema_pattern', message, path: `${path}.${key}` }
    }
    for (const [name, inner] of innerSchemas(key, value)) {
      const problem = schemaProblem(inner, `${path}.${name}`, depth + 1)
      if (problem) return problem
    }
  }
  return undefined
}

/** The schemas inside a keyword's value. What has a wrong shape altogether is left to the validator. */
function innerSchemas(key: string, value: unknown): Array<[string, unknown]> {
  if (key === 'properties' && isRecord(value)) {
    return Object.entries(value).map(([name, inner]) => [`properties.${name}`, inner])
  }
  if ((key === 'oneOf' || key === 'anyOf') && Array.isArray(value)) {
    return value.map((inner, index): [string, unknown] => [`${key}[${index}]`, inner])
  }
  return key === 'items' || key === 'additionalProperties' ? [[key, value]] : []
}

function patternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return `${quoted(pattern)} must be a text`
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Without what the branches of a failed `oneOf` or `anyOf` complain about. */
function outermost(errors: ErrorObject[]): ErrorObject[] {
  const branches = errors
    .filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
    .map(({ schemaPath }) => `${schemaPath}/`)
  return errors.filter(({ schemaPath }) => !branches.some((path) => schemaPath.startsWith(path)))
}

function configProblem(error: ErrorObject, slow: boolean): PluginProblem {
  const { keyword, params, instancePath, data, message = 'is not what it should be' } = error
  const name: unknown = params.additionalProperty ?? params.missingProperty
  const keys = instancePath.split('/').slice(1)
  if (typeof name === 'string') keys.push(name)
  const path = ['config', ...keys].join('.')
  if (keyword === 'pattern' && slow) {
    const text = `the pattern of ${path} took longer than ${PATTERN_TIMEOUT_MS} ms; write it without nested repetitions`
    return { code: 'schema_pattern_timeout', message: text, path }
  }
  const allowed = keyword === 'enum' ? `: ${quoted(params.allowedValues)}` : ''
  const value = keyword === 'required' ? '' : `${quoted(data)} `
  return {
    code: KEYWORDS[keyword] ?? 'invalid_schema',
    message: `${value}${message}${allowed}`,
    path,
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
