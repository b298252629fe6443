import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathPolicy } from '../../../../lib/policy/paths.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import type { ShellJudge } from '../../../../lib/policy/shell/types.ts'
import { type Workspace, workspace } from '../../../helpers/workspace.ts'

const codex = (file: string): string => `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch`
const diff = (file: string): string => `--- ${file}\n+++ ${file}\n@@ -0,0 +1 @@\n+x\n`
const fed = (command: string, patch: string, mark = 'EOF'): string =>
  `${command} <<${mark}\n${patch.replace(/\n$/, '')}\nEOF`

describe('patches that commands apply', () => {
  let made: Workspace
  let judge: ShellJudge
  beforeAll(() => {
    made = workspace()
    const paths = pathPolicy({
      base: made.ws,
      home: made.home,
      within: { rule: 'workspaceOnly', dirs: ['.'] },
      forbidden: ['**/.env', 'src/keys/**'],
    })
    judge = shellJudge({ paths })
  })
  afterAll(() => made.remove())

  it.each([
    fed('apply_patch', codex('src/n.ts'), "'EOF'"),
    fed('apply_patch', codex('src/n.ts')),
    `apply_patch '${codex('src/n.ts')}'`,
    `apply_patch "$(cat <<'EOF'\n${codex('src/n.ts')}\nEOF\n)"`,
    fed('patch -p0', diff('src/a')),
    fed('patch -p0', diff('src/a'), '-EOF'),
    fed('git apply', diff('a/src/index.ts'), "'EOF'"),
    fed('git apply --directory=src', diff('a/index.ts'), "'EOF'"),
    fed('cat', diff('a/.env')),
    fed('git commit -F -', 'fix: apply the patch\n\n--- notes ---', "'EOF'"),
    'git commit -m "Fix things\n\nrename foo to bar and apply it"',
    fed(
      'cat > notes.md',
      '# How to apply\n\n--- \ntitle: x\n---\ncopy the file\nIndex: none',
      "'EOF'",
    ),
    `gh pr create --body "$(cat <<'EOF'\n- apply the change\n\n---\nrename the helper\nEOF\n)"`,
    fed('kubectl apply -f -', '--- # comment\napiVersion: v1\ncopy x', "'EOF'"),
    "echo '--- applying ---' && git apply x.patch",
    "printf '%s\\n' '--- a' 'rename b' | grep apply",
    'git apply --check x.patch && git apply x.patch',
    'git am --directory=src x.patch',
  ])('allows %j', (text) => {
    expect(judge.command(text)).toBeUndefined()
  })

  it.each([
    ['outside', fed('apply_patch', codex('../n.ts'), "'EOF'")],
    ['in quotes', `apply_patch '${codex("../'n'.ts")}'`],
    ['in two quotes', `apply_patch "*** Begin Patch\n*** Add Fi"'le: ../n.ts\n+x\n*** End Patch'`],
    ['by a name in quotes', `apply_pat''ch '${codex('../n.ts')}'`],
    ['in a name that is joined', fed('patch -p0', diff('.e\\\nnv'))],
    ['in a header that is joined', fed('apply_patch', codex('../a').replace('File', 'Fi\\\nle'))],
    ['in a name that is unescaped', fed('patch -p0', diff('"\\\\056env"'))],
    ['behind tabs', fed('patch -p0', diff('.env').replaceAll(/^/gm, '\t'), '-EOF')],
    ['in a here-string', "patch -p0 <<< '--- .e''nv'"],
    ['in a here-string with line ends', String.raw`patch -p0 <<< $'--- .env\n+++ .env'`],
    [
      'through a pipe',
      fed('cat <<X | patch -p0', `${diff('.e\\\nnv')}X`, 'EOF2').split('\nEOF')[0],
    ],
    ['that is printed', String.raw`printf -- '--- .env\n+++ .env\n' | patch -p0`],
    ['that is printed', `echo '${diff('../x')}' | git apply`],
    ['around a group', fed('{ patch -p0; }', diff('.e\\\nnv'))],
    ['from another directory', fed('cd src && git apply', diff('a/../.e\\\nnv'))],
    ['below a directory', fed('git apply --directory=src', diff('a/keys/x'))],
    ['below a directory', fed('patch -p0 -d src', diff('keys/x'))],
    ['with a substitution', fed('patch -p0', '--- .e$(echo nv)\n+++ a')],
    ['that cannot be read', fed('patch -p0', '--- a\n+++ a\n@@ -1,9 +1,9 @@\n x')],
  ])('refuses one %s: %j', (_, text = '') => {
    const { rule, reason = '' } = judge.command(text) ?? {}
    expect(rule).toMatch(/^(?:workspaceOnly|forbiddenPathGlobs.*|patch|shell: syntax)$/)
    expect(reason).toMatch(/; \w|split it|written out|: /)
  })

  it('judges a file that a patch names twice once', () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, i) => diff(`a/src/f${i}`)).join('')
    expect(judge.command(fed('git apply', many(200), "'EOF'"))).toBeUndefined()
    expect(judge.command(fed('git apply', many(257), "'EOF'"))).toMatchObject({ rule: 'patch' })
  })

  it('judges an argument list as it is', () => {
    expect(judge.argv(['apply_patch', codex('src/n.ts')])).toBeUndefined()
    expect(judge.argv(['apply_patch', codex('../n.ts')])).toMatchObject({ rule: 'workspaceOnly' })
    expect(judge.argv(['patch', '-p0', '-i', '../x'])).toMatchObject({ rule: 'workspaceOnly' })
  })
})
