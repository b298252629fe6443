/** A program that neither runs, writes nor reads anything but its operands: why another one is refused. */
export function awk(program: string): string | undefined {
  const code = (withoutTexts(program) ?? program).replaceAll('||', '').replaceAll('>=', '')
  return redirects(code) ||
    /[|@`]|getline|system|ARG[CV]|ENVIRON|SYMTAB|FUNCTAB|PROCINFO|\\\n/.test(code)
    ? 'awk programs with |, > after print, getline, system, @ or its tables are not allowed; print only, and redirect the output'
    : undefined
}

/** What every awk takes for a text or a regular expression. */
const TEXT = /"(?:[^"\\\n]|\\[^\n])*"/y
const REGEX = /\/(?:[^/\\\n[\]]|\\[^\n]|\[\^?[^\]/\\\n[]+\])+\//y
/** After these, and at the beginning, a slash can only begin a regular expression. */
const BEFORE_REGEX = '(,{;!~&|?:<>%^\n'

/** The program with its texts and regular expressions emptied; undefined where awks may disagree what they are. */
function withoutTexts(program: string): string | undefined {
  if (program.includes('#') || program.includes('`')) return undefined
  let code = ''
  /** The last character that is no blank. */
  let last = ''
  for (let at = 0; at < program.length; ) {
    const c = program[at] as string // at < length
    if (c === '\\') return undefined
    if (c === '/' && !BEFORE_REGEX.includes(last)) return undefined
    if (c !== ' ' && c !== '\t') last = c
    if (c !== '"' && c !== '/') {
      code += c
      at++
      continue
    }
    const wanted = c === '"' ? TEXT : REGEX
    wanted.lastIndex = at
    const found = wanted.exec(program)?.[0]
    if (found === undefined) return undefined
    code += c + c
    at += found.length
  }
  return code
}

/** True when a `>` stands after a print and no deeper in parentheses: only deeper ones surely compare. */
function redirects(code: string): boolean {
  let depth = 0
  let printed = -1
  for (const [token] of code.matchAll(/print|[()>]/g)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (token === 'print') printed = Math.max(printed, depth)
    else if (depth <= printed) return true
  }
  return false
}
