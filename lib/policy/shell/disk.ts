import { accessSync, constants, opendirSync } from 'node:fs'

/** Most names of a directory that are looked at for one that begins with a dash. */
const MAX_NAMES = 5000

/** True when `cd` to the directory works for this process. */
export function canEnter(dir: string): boolean {
  try {
    accessSync(dir, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** True when a name in the directory begins with a dash, or when there are too many to know. */
export function holdsDash(dir: string): boolean {
  let opened: ReturnType<typeof opendirSync>
  try {
    opened = opendirSync(dir)
  } catch {
    return true
  }
  try {
    for (let seen = 0; seen < MAX_NAMES; seen++) {
      const entry = opened.readSync()
      if (entry === null) return false
      if (entry.name.startsWith('-')) return true
    }
    return true
  } finally {
    opened.closeSync()
  }
}
