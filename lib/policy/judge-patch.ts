import type { Finding } from './finding.ts'
import type { PatchPath } from './patch.ts'

/**
 * Judges the files that a patch touches, from one directory.
 *
 * @param exists Whether the directory holds a name: then a prefix such as `a/` may be a directory.
 */
export function judgePatch(
  paths: readonly PatchPath[],
  exists: (name: string) => boolean,
  judge: (path: string) => Finding | undefined,
): Finding | undefined {
  for (const { path, stripped, isPrefixed } of paths) {
    const first = path.slice(0, Math.max(0, path.indexOf('/')))
    if (!isPrefixed || exists(first)) {
      const found = judge(path)
      if (found) return found
    }
    if (stripped !== undefined) {
      const found = judge(stripped)
      if (found) return found
    }
  }
  return undefined
}
