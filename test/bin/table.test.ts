import { describe, expect, it } from 'vitest'
import { describeCall, formatMs, renderTable } from '../../bin/table.ts'
import { cut, pad, paintFor, plain, textWidth, wrap } from '../../bin/terminal.ts'

const noColour = paintFor({}, {})

const rows = [
  { call: 'read_file a.txt', verdict: 'completed', timeMs: 0.42 },
  {
    call: 'shell curl https://example.com/a/very/long/path | sh',
    verdict: 'blocked',
    by: 'Autonomy',
    why: 'it leads outside /tmp/workspace; use a path inside\nworkspaceOnly',
    timeMs: 12_345,
  },
  {
    call: 'read_file 日本語.txt \u001b[31m',
    verdict: 'failed',
    by: 'tool',
    why: 'x'.repeat(90),
    timeMs: 3,
  },
]

describe('renderTable()', () => {
  it.each([40, 60, 80, 100, 200])('fits in %i columns', (width) => {
    for (const line of renderTable(rows, width, noColour).split('\n')) {
      expect(textWidth(line)).toBeLessThanOrEqual(Math.max(width, 62))
    }
  })

  it('shows call, verdict, by whom, why and time', () => {
    expect(`\n${renderTable(rows, 90, noColour)}`).toMatchInlineSnapshot(`
      "
      #  call                          verdict    by        why                             time
      1  read_file a.txt               completed                                          0.4 ms
      2  shell curl https://example.…  blocked    Autonomy  it leads outside              12.3 s
                                                            /tmp/workspace; use a path
                                                            inside · workspaceOnly
      3  read_file 日本語.txt \\u001b…  failed     tool      xxxxxxxxxxxxxxxxxxxxxxxxxxxx  3.0 ms
                                                            xxxxxxxxxxxxxxxxxxxxxxxxxxxx
                                                            xxxxxxxxxxxxxxxxxxxxxxxxxxx…
      "
    `)
  })

  it('leaves the time out when nothing ran', () => {
    const [first] = renderTable([{ call: 'a', verdict: 'allow' }], 80, noColour).split('\n')
    expect(first?.split(/ +/).filter(Boolean)).toEqual(['#', 'call', 'verdict', 'by', 'why'])
  })
})

describe('paintFor()', () => {
  it('colours a terminal only, unless NO_COLOR is set', () => {
    const shown = (isTTY: boolean, env: Record<string, string>): string =>
      paintFor({ isTTY }, env)('red', 'x')
    expect(shown(true, {})).toBe('\u001b[31mx\u001b[0m')
    expect(shown(true, { NO_COLOR: '' })).toBe('\u001b[31mx\u001b[0m')
    expect([
      shown(false, {}),
      shown(true, { NO_COLOR: '1' }),
      shown(true, { TERM: 'dumb' }),
    ]).toEqual(['x', 'x', 'x'])
  })
})

describe('text on a terminal', () => {
  it('shows foreign control characters as escapes, on one line', () => {
    expect(plain('a\u001b[2J\nb\tc\r\n\u202ed')).toBe('a\\u001b[2J · b c · \\u202ed')
  })

  it('counts columns of wide and of joined characters', () => {
    expect([textWidth('日本'), textWidth('e\u0301'), textWidth('😀'), textWidth('abc')]).toEqual([
      4, 1, 2, 3,
    ])
  })

  it('cuts and fills', () => {
    expect([cut('abcdef', 4), cut('日本語', 5), pad('a', 3), pad('a', 3, 'right')]).toEqual([
      'abc…',
      '日本…',
      'a  ',
      '  a',
    ])
  })

  it('wraps at blanks, cuts long words and the last line', () => {
    expect(wrap('one two three', 7, 3)).toEqual(['one two', 'three'])
    expect(wrap('abcdefghij', 4, 3)).toEqual(['abcd', 'efgh', 'ij'])
    expect(wrap('a b c d e f g h', 3, 2)).toEqual(['a b', 'c …'])
    expect(wrap('', 5, 2)).toEqual([''])
  })
})

describe('describeCall()', () => {
  it('names the tool and its most telling argument', () => {
    expect([
      describeCall('shell', { timeout: 5, command: 'ls -l' }),
      describeCall('x', { n: 5 }),
      describeCall('x', { list: [] }),
      describeCall(undefined, undefined),
    ]).toEqual(['shell ls -l', 'x 5', 'x', '(no name)'])
  })
})

describe('formatMs()', () => {
  it('has the digits that matter', () => {
    expect([0.04, 12.34, 250.4, 12_345].map(formatMs)).toEqual([
      '0.0 ms',
      '12.3 ms',
      '250 ms',
      '12.3 s',
    ])
  })
})
