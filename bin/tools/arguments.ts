import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ToolHost } from './index.ts'

type Params = Readonly<Record<string, unknown>>

/** A text argument under the first of its names that is there. */
export function text(params: Params, ...names: readonly [string, ...string[]]): string {
  const value = optional(params, ...names)
  if (value === undefined) throw new Error(`the argument ${names[0]} is missing; give a text`)
  return value
}

/** As {@link text}, but it may be missing. */
export function optional(params: Params, ...names: readonly string[]): string | undefined {
  const name = names.find((known) => params[known] !== undefined && params[known] !== null)
  if (name === undefined) return undefined
  const value = params[name]
  if (typeof value !== 'string') throw new Error(`the argument ${name} must be a text`)
  return value
}

/** The path argument as the policies read it: from the workspace, `~/` is HOME, `file:` URLs are understood. */
export function path(params: Params, host: ToolHost, fallback?: string): string {
  const spelled = optional(params, 'path', 'file_path') ?? fallback
  if (spelled === undefined) throw new Error('the argument path is missing; give a text')
  return place(spelled, host)
}

/** Where a path leads. */
export function place(spelled: string, host: ToolHost): string {
  if (spelled.startsWith('file:')) return fileURLToPath(spelled)
  if (spelled === '~' || spelled.startsWith('~/')) return join(host.home, spelled.slice(1))
  return isAbsolute(spelled) ? spelled : resolve(host.workspace, spelled)
}
