import { z } from 'zod'
import { configError, type ToolwareError } from '../lib/errors.ts'
import { shorten } from '../lib/policy/finding.ts'
import { configSchema } from './config-schema.ts'

type Path = readonly PropertyKey[]

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** `rateLimits[0].limit`; names that are no identifiers in quotes. */
export function pathText(path: Path): string {
  let out = ''
  for (const key of path) {
    if (typeof key === 'number') out += `[${key}]`
    else if (/^[\w$]+$/.test(String(key))) out += out === '' ? String(key) : `.${String(key)}`
    else out += `["${shorten(String(key))}"]`
  }
  return out
}

/** What is wrong with a configuration, as an error that names the key and quotes the value. */
export function configProblem(issue: z.core.$ZodIssue, config: unknown): ToolwareError {
  const value = valueAt(config, issue.path)
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    return configError(pathText([...issue.path, key]), unknownKey(key, issue.path))
  }
  const path = pathText(issue.path) || 'the configuration'
  if (value === undefined) return configError(path, `is missing; must be ${wanted(issue)}`)
  return configError(path, `${show(value)} is wrong; must be ${wanted(issue)}`)
}

function wanted(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    // Every whole number of a configuration is a limit.
    if (issue.expected === 'int') return 'a positive integer (leave it out for unlimited)'
    return WORDS[issue.expected] ?? issue.expected
  }
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small') {
    return issue.origin === 'string'
      ? 'a text that is not empty'
      : 'a positive integer (leave it out for unlimited)'
  }
  if (issue.code === 'too_big') return `at most ${issue.maximum}`
  return issue.message
}

function valueAt(config: unknown, path: Path): unknown {
  let value = config
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key]
  return value
}

function show(value: unknown): string {
  return shorten(JSON.stringify(value) ?? String(value)).replaceAll('\\"', '"')
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
}

function unknownKey(key: string, path: Path): string {
  const known = knownKeys(path)
  const folded = key.toLowerCase().replace(/[^a-z]/g, '')
  const meant = known.find((name) => distance(name.toLowerCase(), folded) <= 2)
  if (meant !== undefined) return `there is no such key; did you mean ${meant}?`
  return `there is no such key; known here are ${known.join(', ')}`
}

function knownKeys(path: Path): string[] {
  let at = z.toJSONSchema(configSchema, { unrepresentable: 'any' }) as JsonSchema | undefined
  for (const key of path) {
    const more = at?.additionalProperties
    at =
      typeof key === 'number'
        ? at?.items
        : (at?.properties?.[String(key)] ?? (typeof more === 'object' ? more : undefined))
  }
  return Object.keys(at?.properties ?? {})
}

/** Letters to insert, remove or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
