import { awk } from './awk.ts'
import { jq } from './jq.ts'
import { MODULES } from './programs/checks.ts'
import type { Language } from './programs/rule.ts'

/**
 * Judges of the small languages that programs take on their command line. Each gives the reason why a text
 * is refused. They accept what is known to stay within the program and refuse the rest.
 */
export const LANGUAGES: Readonly<Record<Language, (text: string) => string | undefined>> = {
  sed,
  awk,
  jq,
  format,
  date,
  module,
  target,
  task,
  archive,
  reporter,
  setting,
  plugin,
  columns,
  linker,
  download,
  upload,
  name,
  label,
  version,
}

// Brackets that every sed ends in the same place.
const BRACKET = String.raw`\[\^?(?:\[:[a-z]+:\]|[^\]\/\\\n[])+\]`
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|\/(?:[^\/\\\n[]|\\[^\n]|${BRACKET})*\/[IM]*|\+\d+|~\d+)`
const SED_PREFIX = new RegExp(`^[\\s;{}]*(?:${ADDRESS}(?:\\s*,\\s*${ADDRESS})?)?\\s*!?\\s*`)

/** Addresses with `p d q = n N h H g G x P D l z { } : b t`, `y///` and `s///` with the flags `g p i I m M` or a number. */
function sed(script: string): string | undefined {
  const refused = 'only printing, deleting and plain s/// are allowed in sed scripts'
  let rest = script
  while (rest.trim() !== '') {
    rest = rest.slice(SED_PREFIX.exec(rest)?.[0].length ?? 0)
    if (rest === '') return undefined
    const command = rest[0] as string
    if (command === '{') {
      rest = rest.slice(1)
    } else if ('pdq=nNhHgGxPDlz'.includes(command)) {
      const end = /^[ \t]*(?:\d+[ \t]*)?(?:[;}\n]|$)/.exec(rest.slice(1))
      if (end === null) return refused
      rest = rest.slice(1 + end[0].length)
    } else if (command === 's' || command === 'y') {
      const after = substitution(rest)
      if (after === undefined) return refused
      rest = after
    } else if (/^(?::[ \t]*\w+|[bt][ \t]*\w*)[ \t]*(?:[;}\n]|$)/.test(rest)) {
      rest = rest.replace(/^[:bt][ \t]*\w*[ \t]*[;}\n]?/, '')
    } else {
      return refused
    }
  }
  return undefined
}

// No name of a class is longer than 32 characters, and looking further takes quadratic time.
const BRACKETS = /\[\^?\]?(?:\[[:.=][^\]]{0,32}[:.=]\]|[^\]\n])*\]/y

/** What follows an `s` or `y` command, or undefined when it does not end in known flags. */
function substitution(text: string): string | undefined {
  const delimiter = text[1]
  if (delimiter === undefined || /[\s\\[\]\w]/.test(delimiter)) return undefined
  let at = 2
  for (let part = 0; part < 2; part++) {
    while (text[at] !== delimiter) {
      if (at >= text.length) return undefined
      if (part === 0 && text[at] === '[') {
        // A delimiter inside brackets, or a backslash before their end, is read differently by different seds.
        BRACKETS.lastIndex = at
        const brackets = BRACKETS.exec(text)?.[0]
        if (brackets === undefined || brackets.includes(delimiter)) return undefined
        if (brackets.endsWith('\\]')) return undefined
        at += brackets.length
      } else {
        at += text[at] === '\\' ? 2 : 1
      }
    }
    at++
  }
  const end = /^(?:[gpiImM]|\d)*[ \t]*(?:[;}\n]|$)/.exec(text.slice(at))
  return end === null ? undefined : text.slice(at + end[0].length)
}

/** A Python module that checks or tests. */
function module(name: string): string | undefined {
  return Object.hasOwn(MODULES, name)
    ? undefined
    : 'this module is not known to be safe to run with -m; use another, or a script of the project'
}

/** A format of printf; `%n` would assign a variable. */
function format(text: string): string | undefined {
  return /%[^A-Za-z%]*[hlLqjzt]*n/.test(text.replaceAll('%%', ''))
    ? '%n assigns a variable; use \\n'
    : undefined
}

/** A format of date; anything else would set the clock. */
function date(text: string): string | undefined {
  return text.startsWith('+') ? undefined : 'it sets the clock; give a +format'
}

/** A target of make; a variable could change what it runs. */
function target(text: string): string | undefined {
  return text.includes('=') ? 'variables can change what make runs; leave them out' : undefined
}

/** The name of a script in a package file, and no file. */
function task(name: string): string | undefined {
  return /[/\\]|\.[cm]?[jt]sx?$/.test(name) ? 'only scripts of the package run by name' : undefined
}

/** An archive of tar, by a name that means no other machine. */
function archive(name: string): string | undefined {
  return /^[^/]*:/.test(name)
    ? 'a name with a colon may mean another machine; write ./name'
    : undefined
}

/** A reporter of node: a name or a path, no code in an address. */
function reporter(name: string): string | undefined {
  return name.includes(':') ? 'name a reporter or a file, no address' : undefined
}

/** A setting of pytest that says how it prints or finds, not what it runs or where it writes. */
function setting(text: string): string | undefined {
  return /^(?:log_(?!file\b)\w+|xfail_strict|asyncio_\w+|junit_\w+|python_(?:files|classes|functions)|console_output_style|(?:faulthandler_)?timeout|norecursedirs|markers|filterwarnings|verbosity_\w+)=/.test(
    text,
  )
    ? undefined
    : 'this setting can change what it runs or where it writes; leave it out'
}

/** A plugin of pytest that is left out. */
function plugin(name: string): string | undefined {
  return name.startsWith('no:') ? undefined : 'it loads other code first; leave it out'
}

/** Columns of ps; one of them is the environment. */
function columns(text: string): string | undefined {
  return /env/i.test(text)
    ? 'it shows the environment of programs; choose other columns'
    : undefined
}

/** Flags of go's linker that run no linker of one's own. */
function linker(text: string): string | undefined {
  return /(?:^|[\s=])['"]?--?(?!(?:s|w|X|buildid|compressdwarf|race)(?:[\s=]|$))/.test(text)
    ? 'of the flags of the linker only -s, -w and -X are known to be safe; leave the others out'
    : undefined
}

/** Where curl writes to; `#1` is a part of the address. */
function download(name: string): string | undefined {
  return name.includes('#') ? 'it writes to a name from the address; write the name out' : undefined
}

/** What curl sends; it expands sets of names. */
function upload(name: string): string | undefined {
  return /[{}[\]]/.test(name) ? 'it expands braces and brackets; name one file' : undefined
}

/** One of the names that a program knows; what holds dots and colons is code of another's, or a file. */
function name(text: string): string | undefined {
  return /^[\w-]*$/.test(text) ? undefined : 'only a plain name is allowed here'
}

const CLIMBING = /(?:^|[/:])\.\.(?:[/:]|$)/
const LABEL = /^(?:@[\w.~-]*)?(?:\/\/)?(?:[\w.+@~-]+(?:\/[\w.+@~-]+)*)?(?::[\w./+@~*-]+)?$/

/** A command or a label of Bazel: `test`, `//src/...`, `:all`, `@repo//x:y`. */
function label(text: string): string | undefined {
  return LABEL.test(text) && !CLIMBING.test(text)
    ? undefined
    : 'only labels are allowed here, such as //src/...'
}

/** A version, such as `3.12` or `>=3.11`, and no path. */
function version(text: string): string | undefined {
  return /^[\w.=<>~!@+*-]*$/.test(text) && !/^\.+$/.test(text)
    ? undefined
    : 'name a version, such as 3.12; a program by its path would run'
}
