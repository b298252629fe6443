import { z } from 'zod'
import { closest } from './closest.ts'
import { configError, type ToolwareError } from './errors.ts'
import { shorten } from './policy/finding.ts'

type Path = readonly PropertyKey[]

/** Every key of an interface that is written by hand, with a schema of its type: none missing, none more. */
export type Shape<T> = { readonly [K in keyof Required<T>]: z.ZodType<T[K]> }

const MAX_LISTED = 20

/**
 * Checks options or a section of a configuration against its schema.
 *
 * @param where The path of the section, such as `tooling`; empty for a whole configuration.
 * @throws {ToolwareError} `CONFIG` about one thing that is wrong, with its path and value; first about keys that there are not.
 */
export function readOptions<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const { issues } = read.error
  // A misspelt key is missing under its right name, too.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
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
  const meant = closest(key, known)
  if (meant !== undefined) return `there is no such key; did you mean ${meant}?`
  const more = known.length - MAX_LISTED
  const list = known.slice(0, MAX_LISTED).join(', ')
  return `there is no such key; known here are ${list}${more > 0 ? ` and ${more} more` : ''}`
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
