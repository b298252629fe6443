import { closest } from './closest.ts'
import { configError, quoted } from './errors.ts'
import { isThenable } from './settled.ts'

/** Every option there is, so that none is forgotten where they are written down. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>

/**
 * Refuses what is no object of options. A promise that nobody awaited would pass for one without any option, and so
 * restrict nothing.
 *
 * @param what Whose options, such as `autonomy`.
 * @throws {ToolwareError} `CONFIG`, with the value.
 */
export function vetObject(options: unknown, what: string): void {
  if (isThenable(options)) throw configError(what, 'must be an object; got a promise: await it')
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw configError(what, `must be an object; got ${quoted(options)}`)
  }
}

/**
 * Refuses options that there are not: a misspelt one would be left out in silence.
 *
 * @throws {ToolwareError} `CONFIG`, with the option's name and the one that was meant.
 */
export function vetNames<T extends object>(options: T, names: OptionNames<T>, what: string): void {
  vetObject(options, what)
  const known = Object.keys(names)
  for (const key of Object.keys(options)) {
    if (Object.hasOwn(names, key)) continue
    const meant = closest(key, known)
    const help = meant ? `; did you mean ${meant}?` : `. There are: ${known.join(', ')}`
    throw configError(key, `no option of ${what}${help}`)
  }
}
