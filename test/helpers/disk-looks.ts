import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const LOOKS = ['lstatSync', 'opendirSync', 'readlinkSync'] as const

/** How often some work looks at the disk: at names, directories and links. */
export function diskLooks(work: () => void): Readonly<Record<(typeof LOOKS)[number], number>> {
  const counts = { lstatSync: 0, opendirSync: 0, readlinkSync: 0 }
  const originals = LOOKS.map((name) => [name, fs[name]] as const)
  for (const [name, original] of originals) {
    const counted = (...args: unknown[]): unknown => {
      counts[name]++
      return Reflect.apply(original, fs, args)
    }
    Object.assign(fs, { [name]: counted })
  }
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    for (const [name, original] of originals) Object.assign(fs, { [name]: original })
    syncBuiltinESMExports()
  }
  return counts
}
