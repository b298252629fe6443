import type { z } from 'zod'
import { configError } from './errors.ts'
import { shorten } from './policy/finding.ts'

function quote(value: unknown): string {
  if (value === undefined) return 'nothing'
  return shorten(
    typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value)),
  )
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<PropertyKey, unknown>)[key]
  }
  return found
}

function spell(where: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number'
        ? `${text}[${key}]`
        : text === ''
          ? String(key)
          : `${text}.${String(key)}`,
    where,
  )
}

/**
 * Checks options or a section of a configuration against its schema.
 *
 * @param where The path of the section, such as `tooling`.
 * @throws {ToolwareError} `CONFIG` about the first thing that is wrong, with its path and value.
 */
export function readOptions<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = issue?.path ?? []
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    throw configError(
      spell(where, [...path, key]),
      'no such setting; remove it or correct its name',
    )
  }
  throw configError(
    spell(where, path),
    `${issue?.message ?? 'wrong'}; got ${quote(at(value, path))}`,
  )
}
