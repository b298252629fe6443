import { z } from 'zod'
import { configError, type ToolwareError } from './errors.ts'
import { shorten } from './policy/finding.ts'

type Path = readonly PropertyKey[]

/**
 * Checks options or a section of a configuration against its schema.
 *
 * @param where The path of the section, such as `tooling`; empty for a whole configuration.
 * @throws {ToolwareError} `CONFIG` about the first thing that is wrong, with its path and value.
 */
export function readOptions<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  if (issue === undefined) throw configError(where, 'is wrong')
  throw problem(issue, schema, value, where)
}

function problem(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  value: unknown,
  where: string,
): ToolwareError {
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    return configError(spell(where, [...issue.path, key]), unknownKey(key, schema, issue.path))
  }
  const path = spell(where, issue.path) || 'configuration'
  const found = at(value, issue.path)
  const wanted = wantedBy(issue)
  if (found === undefined) return configError(path, `is missing; it ${wanted}`)
  return configError(path, `${wanted}; got ${quote(found)}`)
}

/** `rateLimits[0].limit`; keys that are no words stand in quotes. */
function spell(where: string, path: Path): string {
  let out = where
  for (const key of path) {
    if (typeof key === 'number') out += `[${key}]`
    else if (/^[\w$-]+$/.test(String(key))) out += out === '' ? String(key) : `.${String(key)}`
    else out += `["${shorten(String(key))}"]`
  }
  return out
}

function at(value: unknown, path: Path): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<PropertyKey, unknown>)[key]
  }
  return found
}

function quote(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return shorten(text).replaceAll('\\"', '"')
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const COUNT = 'must be a positive whole number; leave it out for no limit'

function wantedBy(issue: z.core.$ZodIssue): string {
  // A schema that brings words of its own knows best.
  if (!/^(?:Invalid|Too|Unrecognized)\b/.test(issue.message)) return issue.message
  if (issue.code === 'invalid_type') {
    return issue.expected === 'int' ? COUNT : `must be ${WORDS[issue.expected] ?? issue.expected}`
  }
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small') return issue.origin === 'string' ? 'must not be empty' : COUNT
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  return issue.message
}

function unknownKey(key: string, schema: z.ZodType, path: Path): string {
  const known = knownKeys(schema, path)
  const meant = known.find((name) => distance(name.toLowerCase(), key.toLowerCase()) <= 2)
  if (meant !== undefined) return `there is no such key; did you mean ${meant}?`
  return `there is no such key; known here are ${known.join(', ')}`
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
}

function knownKeys(schema: z.ZodType, path: Path): string[] {
  let here = z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema | undefined
  for (const key of path) {
    const more = here?.additionalProperties
    const member = here?.properties?.[String(key)]
    here =
      typeof key === 'number'
        ? here?.items
        : (member ?? (typeof more === 'object' ? more : undefined))
  }
  return Object.keys(here?.properties ?? {})
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
