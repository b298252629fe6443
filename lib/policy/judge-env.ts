import { isEnvName } from './argument-names.ts'
import type { BadArgument } from './arguments.ts'
import { filterExecEnv } from './env.ts'
import { type Params, refuse } from './exec-arguments.ts'
import { finding } from './finding.ts'

const MAX_VARIABLES = 256

/** Judges the variables that a call sets: none may be one that would be dropped. */
export function judgeEnv(params: Params): BadArgument | undefined {
  for (const [name, value] of Object.entries(params)) {
    if (!isEnvName(name) || value === null) continue
    if (typeof value === 'object' && sizeOf(value) > MAX_VARIABLES) {
      return refuse(name, `more than ${MAX_VARIABLES} variables; leave out what is not needed`)
    }
    const variables = asVariables(value)
    if (variables === undefined) {
      return refuse(name, 'expected variables as an object of texts; leave them out')
    }
    const [dropped] = filterExecEnv(variables, { source: 'request' }).dropped
    if (dropped) {
      const reason = `${dropped.reason}; leave the variable out`
      return { at: name, found: finding('env', reason, dropped.name) }
    }
  }
  return undefined
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** Variables as an object, as `NAME=value` texts, or as `{ name, value }` objects. */
function asVariables(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  const entries: Array<[string, unknown]> = []
  for (const item of value as readonly unknown[]) {
    if (typeof item === 'string' && item.includes('=')) {
      const cut = item.indexOf('=')
      entries.push([item.slice(0, cut), item.slice(cut + 1)])
    } else if (typeof item === 'object' && item !== null && 'name' in item && 'value' in item) {
      entries.push([String(item.name), item.value])
    } else return undefined
  }
  return Object.fromEntries(entries)
}
