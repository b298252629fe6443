import { accessSync, constants, opendirSync } from 'node:fs'

/** True when `cd` to the directory works for this process. */
export function canEnter(dir: string): boolean {
  try {
    accessSync(dir, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** True when a name in the directory begins with a dash, or when there are more than may be looked at. */
export function holdsDash(dir: string, budget: { namesLeft: number }): boolean {
  let opened: ReturnType<typeof opendirSync>
  try {
    opened = opendirSync(dir)
  } catch {
    return true
  }
  try {
    while (--budget.namesLeft >= 0) {
      const entry = opened.readSync()
      if (entry === null) return false
      if (entry.name.startsWith('-')) return true
    }
    return true
  } finally {
    opened.closeSync()
  }
}
