import { accessSync, constants, lstatSync, opendirSync } from 'node:fs'
import { dirname } from 'node:path'

/** True when `cd` to the directory works for this process. */
export function canEnter(dir: string): boolean {
  try {
    accessSync(dir, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Most directories that are looked at for an installed program. */
const MAX_ABOVE = 64

/** True when `node_modules/.bin` of the directory, or of one above it, holds the program. */
export function isInstalled(name: string, from: string): boolean {
  let dir = from
  for (let i = 0; i < MAX_ABOVE; i++) {
    try {
      const found = lstatSync(`${dir}/node_modules/.bin/${name}`, { throwIfNoEntry: false })
      if (found !== undefined) return true
    } catch {
      return false
    }
    const above = dirname(dir)
    if (above === dir) return false
    dir = above
  }
  return false
}

/** True when a name in the directory matches, or when there are more than may be looked at. */
export function holdsName(
  wanted: Pick<RegExp, 'test'>,
  dir: string,
  budget: { namesLeft: number },
): boolean {
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
      if (wanted.test(entry.name)) return true
    }
    return true
  } finally {
    opened.closeSync()
  }
}

/** Names that both directories have; undefined when there are more than may be looked at. */
export function commonNames(
  a: string,
  b: string,
  budget: { namesLeft: number },
): string[] | undefined {
  const [first, second] = [namesIn(a, budget), namesIn(b, budget)]
  const others = new Set(second)
  return first && second && first.filter((name) => others.has(name))
}

function namesIn(dir: string, budget: { namesLeft: number }): string[] | undefined {
  const names: string[] = []
  const isAll = !holdsName({ test: (name) => names.push(name) === 0 }, dir, budget)
  return isAll ? names : undefined
}
