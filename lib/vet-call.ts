import { quoted } from './errors.ts'

/** @throws {TypeError} When it is no function; `where` is how the method was called. */
export function vetTool(where: string, tool: unknown): void {
  if (typeof tool !== 'function') {
    throw new TypeError(`${where}: tool must be a function; got ${quoted(tool)}`)
  }
}

/** @throws {TypeError} When it is no object. */
export function vetCall(where: string, call: unknown): void {
  if (typeof call !== 'object' || call === null) {
    throw new TypeError(`${where}: call must be an object; got ${quoted(call)}`)
  }
}
