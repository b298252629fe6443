import { posix, win32 } from 'node:path'
import { type Finding, finding } from './finding.ts'
import type { ForbiddenPaths } from './forbidden.ts'
import type { Ground, Place } from './ground.ts'
import type { PathPlatform } from './spelling.ts'
import type { StepBudget } from './walk.ts'

/** What a path is used for. A read may not be forbidden or outside; a write also not through a device. */
export type PathUse = 'read' | 'write'

/** What a path policy has compiled. */
export interface PathRules {
  readonly platform: PathPlatform
  readonly home: string
  readonly ground: Ground
  readonly dirs: readonly string[] | undefined
  readonly forbidden: ForbiddenPaths | undefined
  readonly rule: string | undefined
  /** False refuses to write to a file that has another name as well. */
  readonly allowsSharedWrites: boolean
  same(path: string): string
}

const SPECIAL =
  /^\/(?:dev|proc\/[^/]+\/(?:root|cwd|fd|environ|mem|exe|map_files|task)|proc\/(?:kcore|kmsg|sysrq-trigger))(?:\/|$)/

/** Judges one reading of a path text: where it leads, on disk where that can be seen. */
export function judgePath(
  rules: PathRules,
  path: string,
  spelled: string,
  use: PathUse,
  cwd: string,
  budget: StepBudget | undefined,
): Finding | undefined {
  const place = rules.ground.place(path, cwd, budget)
  if (typeof place === 'string') return finding('path', `${place}; give another path`, spelled)
  return judgePlace(rules, place, spelled, use)
}

/** Judges where a path leads. */
export function judgePlace(
  rules: PathRules,
  place: Place,
  spelled: string,
  use: PathUse,
): Finding | undefined {
  return (
    judgeSpecial(place, spelled, use) ??
    judgeForbidden(rules, place, spelled) ??
    judgeInside(rules, place, spelled) ??
    judgeShared(rules, place, spelled, use)
  )
}

function judgeSpecial(place: Place, spelled: string, use: PathUse): Finding | undefined {
  if (place.special || place.marks.some((path) => SPECIAL.test(path))) {
    const isSink = place.real === '/dev/null' && place.marks.every((path) => path === '/dev/null')
    if (!isSink) {
      const reason = `devices, pipes, sockets and process files are refused; ${use} a plain file`
      return finding('path', reason, spelled)
    }
  }
  return undefined
}

function judgeForbidden(rules: PathRules, place: Place, spelled: string): Finding | undefined {
  for (const path of place.marks) {
    const hit = rules.forbidden?.hit(path)
    if (hit !== undefined) {
      return finding(
        `forbiddenPathGlobs: ${hit}`,
        'the operator forbids this path; work without it',
        spelled,
      )
    }
  }
  return undefined
}

function judgeInside(rules: PathRules, place: Place, spelled: string): Finding | undefined {
  if (rules.dirs === undefined || place.real === '/dev/null') return undefined
  const separator = rules.platform === 'win32' ? win32.sep : posix.sep
  for (const real of place.reals) {
    const path = rules.same(real)
    const isInside = rules.dirs.some(
      (dir) => path === dir || path.startsWith(dir.endsWith(separator) ? dir : dir + separator),
    )
    if (!isInside) {
      const where = rules.rule === 'workspaceOnly' ? rules.ground.dir : 'the allowed paths'
      const reason = `it leads outside ${where}; use a path inside`
      return finding(rules.rule ?? 'allowedPaths', reason, spelled)
    }
  }
  return undefined
}

/** Rule P11: what is written through one name of a file changes it under the others, wherever they stand. */
function judgeShared(
  rules: PathRules,
  place: Place,
  spelled: string,
  use: PathUse,
): Finding | undefined {
  if (rules.allowsSharedWrites || use !== 'write' || !place.isShared) return undefined
  const reason =
    'the file has other names too (hard links), which a write would change; write a new file'
  return finding('allowHardLinkWrites', reason, spelled)
}
