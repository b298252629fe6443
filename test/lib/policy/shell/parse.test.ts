import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../../lib/policy/finding.ts'
import { parseCommand } from '../../../../lib/policy/shell/parse.ts'
import { commandsOf, redirectsOf } from '../../../helpers/shell-steps.ts'

/** The canonical text of every command, or the finding's rule and reason. */
function seen(text: string): string[] | string {
  const step = parseCommand(text)
  return 'rule' in step ? `${step.rule}: ${step.reason}` : commandsOf(step).map((c) => c.canonical)
}

function found(text: string): Finding | undefined {
  const step = parseCommand(text)
  return 'rule' in step ? step : undefined
}

describe('parseCommand()', () => {
  it('lists every command, those in substitutions and here-documents after their own', () => {
    expect(seen('a && b || ! c; (d | e) & { f; }')).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(seen('echo "x $(a `b`)" | c')).toEqual(["echo 'x $(...)'", 'a $(...)', 'b', 'c'])
    expect(seen('cat <<E\n$(a)\nE')).toEqual(['cat', 'a'])
    expect(seen("cat <<'E'\n$(a)\nE")).toEqual(['cat'])
    expect(seen('(a) <<< "$(b)"')).toEqual(['a', 'b'])
    expect(seen('time -p a')).toEqual(['a'])
  })

  it('writes each command in one way', () => {
    expect(seen("  r\"m\"   -'r'f\t\"a b\" a\\ b '' it\\'s c\\\nd # x")).toEqual([
      "rm -rf 'a b' 'a b' '' 'it'\\''s' cd",
    ])
    expect(seen("x $'a\\tb' $'A' *.ts a[bc] \\*")).toEqual(["x 'a\tb' A *.ts a[bc] *"])
    expect(seen('> out ls < in 2>&1 -l')).toEqual(['ls -l'])
    expect(seen('> out')).toEqual([''])
  })

  it('keeps what is quoted out of patterns', () => {
    const step = parseCommand('ls *"*"\\?[a-c] "x*" $? "$?"')
    const words = 'rule' in step ? [] : (commandsOf(step)[0]?.words ?? [])
    expect(words).toEqual([
      { text: 'ls' },
      { text: '**?[a-c]', glob: '*\\*\\?[a-c]' },
      { text: 'x*' },
      { text: '$?', dynamic: true },
      { text: '$?', dynamic: true },
    ])
  })

  it('knows the text that cat prints from a here-document', () => {
    const words = (text: string) => {
      const step = parseCommand(text)
      return 'rule' in step ? step.reason : commandsOf(step)[0]?.words.slice(1)
    }
    expect(words(`x "a$(cat <<'E'\nit's $b \\ "c)\n\nE\n)d"`)).toEqual([
      { text: 'ait\'s $b \\ "c)d', composed: true },
    ])
    expect(words('x "$(cat <<E\n~/a\nE\n)"')).toEqual([
      { text: '~/a', literalTilde: true, composed: true },
    ])
    for (const inside of [
      'cat <<E\n\\a\nE\n',
      'cat <<E\n$?\nE\n',
      'cat a <<E\nE\n',
      'tac <<E\nE\n',
    ]) {
      expect(words(`x "$(${inside})"`)).toEqual([{ text: '$(...)', dynamic: true }])
    }
  })

  it('lists the files that redirects open, descriptors aside', () => {
    const step = parseCommand('a >o 2>>p <i 3<>b &>c >|d 2>&1 <&- >&e; (f) >g; { h; } 2>j')
    const all = 'rule' in step ? [] : redirectsOf(step)
    expect(all.map(({ target, use }) => `${use} ${target.text}`)).toEqual([
      'write o',
      'write p',
      'read i',
      'write b',
      'write c',
      'write d',
      'write e',
      'write g',
      'write j',
    ])
  })

  it('refuses syntax that is not on its list, and says which', () => {
    const refused: Readonly<Record<string, string>> = {
      'if a; then b; fi': 'if ',
      'for i in a; do b; done': 'for ',
      'while a; do b; done': 'a loop ',
      'case a in b) c;; esac': 'case ',
      'f() { a; }': 'a function ',
      'function f { a; }': 'a function ',
      'coproc a': 'coproc ',
      '[[ -f a ]]': '[[ ]] ',
      '((1))': 'arithmetic ',
      'echo $((1))': 'arithmetic ',
      'A=1 b': 'an assignment ',
      'A=1': 'an assignment ',
      'export A=1': 'an assignment ',
      'echo $A': 'a variable ',
      'echo "${A}"': 'a variable ',
      'a <(b)': 'process substitution ',
      'a >(b)': 'process substitution ',
      'a {b,c}': 'brace expansion ',
      'a @(b)': 'an extended glob ',
      'a $"b"': '$"..." ',
    }
    for (const [text, start] of Object.entries(refused)) {
      expect(found(text)?.rule, text).toBe('shell: syntax')
      expect(found(text)?.reason.slice(0, start.length), text).toBe(start)
    }
  })

  it('refuses what shells and this parser do not read alike', () => {
    for (const text of [
      '2>&-rm a',
      "a >&'$(b)'",
      'a >&"x y"',
      'a >&~',
      'a >&\\$x',
      'a >& -b',
      'a 2>&1x',
      'a > 2',
      's(l',
      'a {fd}> b',
      "$'\\0'",
      "a $'\\cA'",
      "a $'\\u0041'",
      "a $'\\xff'",
      'a [b"]"',
      'a []',
      "a ['b']",
      'cat <<E\na',
      "cat <<'a b'\nx\na b",
      '$A b',
      '"$(a)" b',
      'a* b',
      "'' b",
      'a $?*',
      '\n',
      '# only a comment',
    ]) {
      expect(found(text)?.rule, text).toMatch(/^shell: /)
    }
  })

  it('refuses characters that hide, before it parses', () => {
    for (const c of ['\0', '\r', '\v', '\x1b', '\x7f', '\x85', '\u00a0', '\u200b', '\u202e']) {
      expect(found(`ls${c}x`)?.rule).toBe('shell: characters')
      expect(found(`echo '${c}'`)?.rule).toBe('shell: characters')
    }
    expect(found('echo \ud800')?.rule).toBe('shell: characters')
    expect(seen('echo "é 文 👍"\t|\ncat')).toEqual(["echo 'é 文 👍'", 'cat'])
  })

  it('refuses what is too long, too deep or too much', () => {
    expect(found(`echo ${'x'.repeat(16_384)}`)?.rule).toBe('shell: limits')
    expect(found(`echo ${'é'.repeat(8_192)}`)?.rule).toBe('shell: limits')
    expect(found(`echo ${'"$('.repeat(257)}`)?.rule).toBe('shell: limits')
    expect(found('`'.repeat(600))?.rule).toBe('shell: limits')
    expect(found('a;'.repeat(257))?.rule).toBe('shell: limits')
    expect(found(`ls ${'*a'.repeat(40)}`)?.rule).toBe('shell: syntax')
    expect(seen('a;'.repeat(256))).toHaveLength(256)
    expect(found('   ')?.rule).toBe('shell: syntax')
  })

  it('takes a long text in quotes of any kind for one word', () => {
    const message = 'word '.repeat(2000)
    for (const quoted of [`'${message}'`, `"${message}"`, `$'${message}'`]) {
      expect(seen(`git commit -m ${quoted}`)).toEqual([`git commit -m '${message}'`])
    }
  })

  it('counts the commands inside substitutions too', () => {
    const inner = `"$(${'a;'.repeat(100)})"`
    expect(found(`echo ${inner} ${inner} ${inner}`)?.rule).toBe('shell: limits')
    expect(found(`echo ${inner} ${inner}`)).toBeUndefined()
  })
})
