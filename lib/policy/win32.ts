import { type Finding, finding } from './finding.ts'
import { fold } from './fold.ts'

// Windows itself reads only the superscripts ¹, ² and ³ as digits; programs that use its older functions have other
// forms of letters and digits turned into plain ones. So names are folded, which makes digits of superscripts.
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9]|lpt[0-9])$/

function refuse(problem: string, value: string): Finding {
  return finding('path', problem, value)
}

/** Spellings that lead elsewhere on Windows than they look: rule P9 of `docs/security.md`. */
export function badWin32(text: string): Finding | undefined {
  if (/^[\\/]{2}/.test(text)) {
    return refuse('network and device paths are refused; give a path on a drive', text)
  }
  if (/^[\\/]/.test(text)) {
    return refuse('the path is relative to the current drive; name the drive', text)
  }
  if (/^[A-Za-z]:(?![\\/])/.test(text)) {
    return refuse(
      'the path is relative to a directory of that drive; write C:\\ and the rest',
      text,
    )
  }
  const rest = text.replace(/^[A-Za-z]:/, '')
  if (rest.includes(':')) {
    return refuse('alternate data streams are refused; name the file itself', text)
  }
  if (/[<>"|?*]/.test(rest)) {
    return refuse('the path holds characters that Windows does not allow in names', text)
  }
  for (const segment of rest.split(/[\\/]/)) {
    if (segment === '' || segment === '.' || segment === '..') continue
    if (/[. ]$/.test(segment)) {
      return refuse(
        'a name ends with a dot or a blank, which Windows drops; write it without',
        text,
      )
    }
    if (/~[0-9]/.test(segment)) {
      return refuse('short 8.3 names are refused; write the long name', text)
    }
    const stem = segment.split('.')[0] ?? ''
    if (DEVICE.test(fold(stem).trimEnd())) {
      return refuse('the name belongs to a device; use another', text)
    }
  }
  return undefined
}
