import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../../../lib/policy/shell/parse.ts'
import { piecesOf } from '../../../../lib/policy/shell/pieces.ts'
import { MAX_PIECES, TextBudget } from '../../../../lib/policy/shell/precheck.ts'

const prose = "it is a text of 'many' words; and (more) "
const long = 'a b c d '.repeat(50)

describe('piecesOf()', () => {
  it.each([
    ['', 0],
    ['ls', 1],
    ['ls -la src/index.ts', 3],
    ['ls;ls && ls', 6],
    ['ls>a 2>&1', 7],
    ['ls *.ts', 3],
    ['a\\ b\\;c', 1],
    [`echo '${long}'`, 2],
    [`echo "${long}"`, 2],
    [`echo $'${long}\\''`, 2],
    ['echo "$?$?"', 4],
    [`ls # ${prose}`, 1],
    ['a#b', 1],
    [`cat <<'E' > x\n${prose.repeat(50)}\nE\nls`, 6],
    [`cat <<E\n${'a b $? '.repeat(9)}\nE`, 12],
    [`cat <<E\n${long}\\\`x\\\` \\$y\nE`, 3],
    [`cat <<-E\n${long}\n\tE\n`, 3],
    [`git commit -m "$(cat <<'E'\n${prose.repeat(50)}\nE\n)"`, 9],
    [`echo "$(echo "${long}")"`, 6],
    [`cat <<A <<B\n${long}\nA\n${long}\nB\n`, 4],
  ])('%.40s: %i', (text, count) => {
    expect(piecesOf(text, 1000).count).toBe(count)
  })

  it.each([
    ['a quote that is not closed', `ls '${long}`],
    ['a backtick', `ls \`x\` '${long}'`],
    ['a backtick after a backslash', `cat <<E\n\\\\\`x\`\nE\nls '${long}'`],
    ['a parameter', `ls "\${x}" '${long}'`],
    ['arithmetic', `ls $((1)) '${long}'`],
    ['case', `echo "$(case x in a) ${long};; esac)"`],
    ['a here-document that is not closed', `cat <<E\n${long}`],
    ['a here-document from outside of where its line ends', `cat <<E $(\n${long}\nE\n)`],
    ['an odd delimiter', `cat <<"a b"\n${long}\na b`],
    ['a parenthesis too many', `ls ) '${long}'`],
  ])('counts every word where shells may differ: %s', (_, text) => {
    expect(piecesOf(text, 1000).count).toBeGreaterThanOrEqual(200)
  })

  it.each([
    ['ls $(a) <(b) >(c)', 3],
    [`echo "$(a "$(b)")"`, 2],
    [`echo '$(a) \${b}' # $(c)`, 0],
    [`cat > a.ts <<'E'\n\`\${a} $(b)\`\nE`, 0],
    [`cat <<E\n$(a) $b\nE`, 2],
    [`echo "\${x}"; cat <<'E'\n\${a}\nE`, 2],
  ])('knows what would be parsed anew: %s', (text, openers) => {
    expect(piecesOf(text, 1000).openers).toBe(openers)
  })

  it('stops where there are too many', () => {
    expect(piecesOf('a '.repeat(8000), 10).count).toBe(11)
  })
})

describe('the words of a command', () => {
  it('are counted before it is parsed', () => {
    const most = `ls${' a'.repeat(MAX_PIECES - 1)}`
    expect(parseCommand(most)).toHaveProperty('kind', 'command')
    expect(parseCommand(`${most} b`)).toMatchObject({
      rule: 'shell: limits',
      reason: 'more than 600 words and operators in one call; split it up',
    })
  })

  it('do not count in texts that are quoted', () => {
    const body = prose.replaceAll("'", '').repeat(300)
    expect(parseCommand(`echo '${body}'`)).toHaveProperty('kind', 'command')
    expect(parseCommand(`cat <<'E'\n${body}\nE`)).toHaveProperty('kind', 'command')
  })

  it('add up over the texts of a call', () => {
    const budget = new TextBudget()
    const half = `ls${' a'.repeat(MAX_PIECES / 2 - 1)}`
    expect(budget.add(half)).toBeUndefined()
    expect(budget.add(half)).toBeUndefined()
    expect(budget.add('ls')).toMatchObject({ rule: 'shell: limits' })
  })
})
