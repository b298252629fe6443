import { describe, expect, it } from 'vitest'
import { patchBudget, patchPaths } from '../../../lib/policy/patch.ts'

const texts = (patch: string): unknown => {
  const paths = patchPaths(patch)
  return typeof paths === 'string'
    ? paths
    : paths.map(({ path, stripped, isPrefixed }) => (isPrefixed ? stripped : path))
}

describe('patchPaths() of Codex patches', () => {
  it('takes the files of all headers', () => {
    const patch = `*** Begin Patch
*** Add File: new.txt
+*** Add File: /etc/passwd
+text
*** Update File: src/a.ts
*** Move to: src/b.ts
@@ def
 *** context
-old
+new
*** End of File
*** Delete File: old.txt
*** End Patch`
    expect(texts(patch)).toEqual(['new.txt', 'src/a.ts', 'src/b.ts', 'old.txt'])
  })

  it('takes headers that are indented, since tools trim them', () => {
    expect(
      texts('*** Begin Patch\n*** Delete File: a\n  *** Add File: ../x\n+x\n*** End Patch'),
    ).toEqual(['a', '../x'])
  })

  it('reads CRLF and here-documents', () => {
    expect(
      texts("<<'EOF'\r\n*** Begin Patch\r\n*** Add File: ../x\r\n+x\r\n*** End Patch\r\nEOF"),
    ).toEqual(['../x'])
  })

  it('takes names whole, whatever else ends a line', () => {
    expect(texts('*** Begin Patch\n*** Add File: a\u2028/../../x\n*** End Patch')).toEqual([
      'a\u2028/../../x',
    ])
    expect(texts('+++ a/b\r/../../x\n')).toContain('b\r/../../x')
  })

  it.each([
    ['*** Begin Patch\n*** End Patch', /^no "\*\*\* Add File:"/],
    ['*** Begin Patch\n*** Add File: \n*** End Patch', 'a file header names no file'],
    ['', /^it has neither/],
    ['hello', /^it has neither/],
  ])('refuses %j', (patch, problem) => {
    expect(patchPaths(patch)).toEqual(expect.stringMatching(problem))
  })
})

describe('patchPaths() of diffs', () => {
  it.each([
    ['unified', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', ['x', 'x']],
    ['times after tabs', '--- a/x\t2020-01-01\n+++ b/x\t2020\n', ['x', 'x']],
    ['new', '--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+--- /etc/passwd\n', ['new']],
    ['deleted', '--- a/../old\n+++ /dev/null\n@@ -1 +0,0 @@\n-+++ b/x\n', ['../old']],
    ['absolute', '--- /dev/null\n+++ /home/u/.profile\n@@ -0,0 +1 @@\n+x\n', ['/home/u/.profile']],
    [
      'renamed',
      'diff --git a/x b/x\nrename from a.txt\nrename to ../x\n',
      ['x', 'x', 'a.txt', '../x'],
    ],
    ['copied', 'diff --git a/x b/x\ncopy from a\ncopy to /etc/x\n', ['x', 'x', 'a', '/etc/x']],
    ['quoted', 'diff --git "a/\\056\\056/x" "b/\\056\\056/x"\n', ['../x', '../x']],
    ['quoted, other escapes', '--- "a/t\\tq\\"\\303\\251"\n', ['t\tq"é']],
    ['mode only', 'diff --git a/a b b/a b\nold mode 100644\nnew mode 100755\n', ['a b', 'a b']],
    ['index line of svn', 'Index: ../x\n===\n--- ../x\n+++ ../x\n', ['../x', '../x', '../x']],
    ['context', '*** ../x\t2020\n--- ../x\t2020\n*************** 1\n', ['../x', '../x']],
    ['without prefixes', '--- src/x\n+++ src/x\n', ['src/x', 'src/x']],
    [
      'no line end',
      '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline\n+b\n\\ No newline',
      ['x', 'x'],
    ],
    [
      'empty context lines',
      '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n\n-a\n+b\n--- ../y\n',
      ['x', 'x', '../y'],
    ],
    ['text before', 'Dear all,\n-- \n--- a/x\n+++ b/x\n', ['x', 'x']],
    ['CRLF', '--- a/x\r\n+++ b/../y\r\n', ['x', '../y']],
    ['Codex inside', 'see:\n*** Begin Patch\n*** Add File: ../x\n', ['../x', '../x']],
    ['tabs before names', '---\ta/x\n+++\tb/../x\n', ['x', '../x']],
    [
      'indented, as GNU patch reads it',
      '  --- a/x\n\tXX+++ b/../x\n- - +++ b/y\n',
      ['x', '../x', 'y'],
    ],
    [
      'times without tabs',
      '+++ b/../x y 2020-01-01 10:00:00 +0000\n',
      ['../x y 2020-01-01 10:00:00 +0000', '../x y', '../x'],
    ],
    ['no file with a time', '--- /dev/null 1970-01-01 00:00:00\n+++ b/x\n', ['x']],
    ['wide blanks in names', '+++ b/a\u00a0b c\u3000\n', ['a\u00a0b c\u3000', 'a\u00a0b']],
    ['blanks in names', '+++ b/a b\n', ['a b', 'a']],
    ['tabs in names', '+++ b/x\ty\t2020-01-01 10:00:00 +0000\n', ['x', 'x\ty']],
    ['Index without a blank', 'Index:../x\n', ['../x']],
    ['Mercurial', 'diff -r 12ab -r 34cd ../x\n@@ -1 +1 @@\n-a\n+b\n', ['../x']],
    [
      'blanks in git names',
      'diff --git old/../x y new/../x y\nnew file mode 100644\n',
      ['old/../x y', 'new/../x y'],
    ],
    ['Codex without its beginning', '*** update file: ../x\n*** Move To: /y\n', ['../x', '/y']],
  ])('%s', (_, patch, wanted) => {
    expect(texts(patch)).toEqual(wanted)
  })

  it('takes the first directory off the names of all tools', () => {
    for (const header of ['Index: x//y', 'Index:x//y', 'diff -r 12 x//y', '--- x//y', '*** x//y']) {
      expect(patchPaths(`${header}\n`)).toEqual([
        { path: 'x//y', stripped: 'y', isPrefixed: false },
      ])
    }
  })

  it('keeps the path without its first directory beside it', () => {
    expect(patchPaths('+++ x/link/y\n')).toEqual([
      { path: 'x/link/y', stripped: 'link/y', isPrefixed: false },
    ])
  })

  it.each([
    ['new file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n', '/etc'],
    ['index 1..2 120000\n--- a/d/l\n+++ b/d/l\n@@ -1 +1 @@\n-x\n+../../y\n', 'd/../../y'],
    ...['0120000', ' 120000', '+120000', '120777', '120644', '1120000', '-060000'].map((mode) => [
      `new file mode ${mode}\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n`,
      '/etc',
    ]),
  ])('takes where a link leads: %j', (body, target) => {
    expect(texts(`diff --git a/l b/l\n${body}`)).toContain(target)
  })

  it('takes no other mode for that of a link', () => {
    for (const mode of ['100644', '100755', '040000', '160000', '12000', '1200000']) {
      const patch = `new file mode ${mode}\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n`
      expect(texts(`diff --git a/l b/l\n${patch}`)).not.toContain('/etc')
    }
  })

  it('reads where a link leads with and without the first directory', () => {
    const patch = 'new file mode 120000\n--- /dev/null\n+++ src/l\n@@ -0,0 +1 @@\n+../x\n'
    expect(patchPaths(`diff --git src/l src/l\n${patch}`)).toContainEqual({
      path: 'src/../x',
      stripped: '../x',
      isPrefixed: false,
    })
  })

  it.each(['\r', '\v', '\f', '\x1c', '\x1f', '\x85', '\u2028', '\u2029'])(
    'refuses headers behind %j, which ends a line for some readers only',
    (end) => {
      const odd = 'it holds odd line ends before headers; use "\\n"'
      for (const header of ['*** Add File: ../x', ' --- a/../x', '+++\tb/../x', 'diff --git x y']) {
        expect(patchPaths(`*** Begin Patch\n*** Add File: a\n+a${end}${header}\n`)).toBe(odd)
        expect(patchPaths(`+++ b/x\n@@ -0,0 +1 @@\n+a${end}${header}\n`)).toBe(odd)
      }
      expect(texts(`+++ b/x\n@@ -0,0 +1 @@\n+a${end}b\n`)).toEqual(['x'])
    },
  )

  it.each([
    ['--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a', 'its last hunk is cut off'],
    ['--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n', 'the lines of a hunk do not fit its header'],
    ['--- a/x\n+++ b/x\n@@ -1 +1 @@\nfoo\n', 'the lines of a hunk do not fit its header'],
    ['--- "a/x\n', 'a file name in it cannot be read'],
    ['--- "a/\\q"\n', 'a file name in it cannot be read'],
    ['+++ \n', 'a file name in it cannot be read'],
    ['+++  b/x\n', 'a file name in it cannot be read'],
    ['diff --git a/x b/x\nrename to  x\n', 'a file name in it cannot be read'],
    [
      'diff --git a/l b/l\nnew file mode 120000\nGIT binary patch\n',
      'a link in it has a body that cannot be read',
    ],
    [
      '  diff --git a/l b/l\n  new file mode 120000\n  +++ b/l\n  @@ -0,0 +1 @@\n  +/etc\n',
      'a link in it has a body that cannot be read',
    ],
    ['diff --git a b c d e\n', 'a file name in it cannot be read'],
    [`+++ b/x\n${'\f'.repeat(60_000)}`, 'it holds odd line ends before headers; use "\\n"'],
    ['--- a/x\n'.repeat(600), 'it has more than 500 files; split it'],
    ['\n'.repeat(200_000), 'it has more than 50000 lines; split it'],
    ['x'.repeat(1_048_577), 'it is longer than 1 MiB; split it'],
    [`+++ ${'x'.repeat(66_000)}\n`, 'its headers are longer than 32768 bytes; split it'],
    [
      `*** Begin Patch\n*** Add File: ${'x'.repeat(66_000)}`,
      'its headers are longer than 32768 bytes; split it',
    ],
    [
      '+++ x\n@@ -0,0 +0,0 @@\n'.concat('@@ -0,0 +0,0 @@\n'.repeat(10_000)),
      'it has more than 10000 lines outside of hunks; split it',
    ],
  ])('refuses a patch: %#', (patch, problem) => {
    expect(patchPaths(patch)).toBe(problem)
  })

  it('decodes what stands in quotes byte by byte', () => {
    expect(texts('+++ "\\303\\251 \\"x\\" \\\\ é"\n')).toEqual(['é "x" \\ é'])
  })

  it('counts a file once where a patch begins below other text', () => {
    const budget = patchBudget()
    const files = Array.from({ length: 400 }, (_, i) => `*** Update File: f${i}\n`).join('')
    const paths = patchPaths(`Here it is:\n*** Begin Patch\n${files}*** End Patch\n`, budget)
    expect(paths).toContainEqual({ path: 'f399' })
    expect(budget.pathsLeft).toBe(100)
  })

  it('shares what may be read among the patches of one call', () => {
    const budget = patchBudget()
    const patch = '--- a/x\n'.repeat(300)
    expect(patchPaths(patch, budget)).toHaveLength(300)
    expect(patchPaths(patch, budget)).toBe('it has more than 500 files; split it')
    const other = patchBudget()
    expect(patchPaths(`+++ x\n${'y'.repeat(1_000_000)}`, other)).toHaveLength(1)
    expect(patchPaths(`+++ x\n${'y'.repeat(1_000_000)}`, other)).toBe(
      'it is longer than 1 MiB; split it',
    )
  })
})
