import { type Command, parse } from 'unbash'
import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../../../lib/policy/shell/parse.ts'
import { Witness } from '../../../../lib/policy/shell/witness.ts'
import { commandsOf } from '../../../helpers/shell-steps.ts'

function seen(text: string): string[] | string {
  const step = parseCommand(text)
  return 'rule' in step ? step.reason : commandsOf(step).map(({ canonical }) => canonical)
}

const UNCLEAR = "this word cannot be read for certain; quote it with '...', on one line"
const INVALID = 'the command is not valid shell; correct it'
const BRACES = "brace expansion is not allowed; write the value out, or quote it with '...'"

describe('a command that the parser misreads', () => {
  it.each([
    // Bash runs what is in >( ), the parser takes all of it for a word.
    ['echo {a}>(rm x)', UNCLEAR],
    ['echo {a}>(rm x)git', INVALID],
    ['echo {a}<(rm x)', UNCLEAR],
    ['ls; echo $(echo {a}>(rm x))', UNCLEAR],
    // Bash joins the lines first.
    ['cat $\\\nHOME/.ssh/id_rsa', UNCLEAR],
    ['cat "$\\\nHOME/.ssh/id_rsa"', UNCLEAR],
    ['cat <<E\n$\\\nHOME\nE', UNCLEAR],
    ["echo $\\\n'a'", UNCLEAR],
    ['ls 2\\\n>x', UNCLEAR],
    ['(\\\n(ls))', INVALID],
    ['ls (\nrm x', INVALID],
    // The first } closes nothing.
    ['rm {a}b,c}', BRACES],
    ['rm {a.\\\n.c}', BRACES],
    ['git show HEAD^{tree}m,n}', BRACES],
  ])('is refused: %j', (text, reason) => {
    expect(seen(text)).toBe(reason)
  })

  it.each([
    ['git diff HEAD^{tree}..main^{tree}', ['git diff HEAD^{tree}..main^{tree}']],
    ['git diff stash@{0}..stash@{1} -- {}', ['git diff stash@{0}..stash@{1} -- {}']],
    ['grep foo$ a#b 100% "5$" "\\$$(x)"', ['grep foo$ a#b 100% 5$ $$(...)', 'x']],
    ['ls foo\\\n bar "a\\\nb" fo\\\no\\\n&& pwd', ['ls foo bar ab foo', 'pwd']],
    ['# first\nls # then\n{ ls; } #last', ['ls', 'ls']],
    ['(# why\n! ls)#x\n! time -p -- ls;(ls)', ['ls', 'ls', 'ls']],
    ['cat <<E >o &&\na \\\nb\\\\\n$? \\$x \\`\nE\nls', ['cat', 'ls']],
    [
      'git commit -m "$(cat <<\'E\'\n(#1) {a,b} `x`\nE\n)"',
      ["git commit -m '(#1) {a,b} `x`'", 'cat'],
    ],
    ['echo a`b "\\`c\\`"`"`d \\"e\\"`"', ['echo a$(...)$(...)', 'b $(...)', 'c', 'd e']],
  ])('is not refused for being odd: %j', (text, commands) => {
    expect(seen(text)).toEqual(commands)
  })
})

describe('Witness', () => {
  const command = (text: string) => parse(text).commands[0]?.command as Command

  it.each([
    ['ls  rm', 'ls; rm'],
    ['ls   rm', 'ls && rm'],
    ['ls rm', 'ls\nrm'],
    ['ls xrm', 'ls rmx'],
  ])('does not take %j for what is in %j', (said, source) => {
    const of = command(said)
    const witness = new Witness(source)
    const look = () => {
      witness.command(of)
      for (const each of of.suffix) if (each.type === 'Word') witness.word(each)
    }
    expect(() => new Witness(said).command(of)).not.toThrow()
    expect(look).toThrow(expect.objectContaining({ rule: 'shell: syntax' }))
  })

  it('wants every command of a script to have been seen', () => {
    const script = parse('ls; rm x')
    const witness = new Witness('ls; rm x')
    witness.command(script.commands[0]?.command as Command)
    expect(() => witness.script(script)).toThrow(expect.objectContaining({ value: '; rm x' }))
    witness.command(script.commands[1]?.command as Command)
    expect(() => witness.script(script)).not.toThrow()
  })
})
