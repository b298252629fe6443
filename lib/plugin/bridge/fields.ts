import type { Dialect } from './protocol.ts'

/** A JSON object from outside. */
export type Fields = Record<string, unknown>

/** A field by its name; bridges for OpenClaw.NET may write it in PascalCase. */
export function pick(dialect: Dialect, fields: Fields, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name]
  if (dialect === 'toolware') return undefined
  const pascal = name.charAt(0).toUpperCase() + name.slice(1)
  return Object.hasOwn(fields, pascal) ? fields[pascal] : undefined
}

/** A key as camelCase. */
export const fold = (dialect: Dialect, key: string): string =>
  dialect === 'toolware' ? key : key.charAt(0).toLowerCase() + key.slice(1)

/** Whether a value is a JSON object. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is a list of texts. */
export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Text of a plugin that people or models will read: one line, no control characters, at most 500 characters. */
export function plainText(text: string, max = 500): string {
  const cut = text.length > max ? `${text.slice(0, max - 1)}…` : text
  return cut.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim()
}

/** A value from outside, short enough for a message. */
export function excerpt(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? 'a list' : `an object with ${keysOf(value)}`
  }
  return value === undefined ? 'nothing' : plainText(JSON.stringify(value), 80)
}

function keysOf(value: object): string {
  const keys = Object.keys(value)
  return keys.length === 0 ? 'no fields' : plainText(keys.slice(0, 5).join(', '), 80)
}
