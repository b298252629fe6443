import { describe, expect, it } from 'vitest'
import type { Io } from '../../bin/command.ts'
import { Report } from '../../bin/report.ts'
import { jsonLine, type VerdictLine } from '../../bin/verdict-line.ts'

function setup(isTTY: boolean) {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY,
    columns: 80,
    writable: true,
    write: (text: string) => {
      written[name] += text
      return true
    },
    on: () => {},
    off: () => {},
  })
  const io = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: { NO_COLOR: '1' },
  } as unknown as Io
  return { io, written }
}
const line = (verdict: 'allow' | 'deny', toolName = 'a'): VerdictLine => ({
  toolCallId: 'x',
  toolName,
  verdict,
  by: verdict === 'deny' ? 'Autonomy' : null,
  code: null,
  reason: verdict === 'deny' ? 'no' : null,
  rule: verdict === 'deny' ? 'workspaceOnly' : null,
  params: {},
})

describe('Report', () => {
  it('writes a line per call at once where there is no terminal', async () => {
    const { io, written } = setup(false)
    const report = new Report(io, false)
    await report.begin({ toolName: 'a' })
    await report.add(line('allow'), jsonLine(line('allow')), 'allow')
    expect(written).toEqual({ stdout: jsonLine(line('allow')), stderr: '' })
    await report.end()
    expect(written.stdout.split('\n')).toHaveLength(2)
  })

  it('draws a table at the end on a terminal, and says meanwhile what runs', async () => {
    const { io, written } = setup(true)
    const report = new Report(io, false)
    await report.begin({ toolName: 'shell', params: { command: 'ls\u001b[2J' } })
    expect(written).toEqual({ stdout: '', stderr: '\r\u001b[K1  shell ls\\u001b[2J' })
    await report.add(line('allow'), '', 'allow')
    await report.add(line('deny'), '', 'deny')
    await report.end()
    expect(written.stdout).toMatchInlineSnapshot(`
      "#  call  verdict  by        why
      1  a     allow
      2  a     deny     Autonomy  no (workspaceOnly)

      2 calls: 1 allow, 1 deny
      "
    `)
  })

  it('writes lines on a terminal when asked to', async () => {
    const { io, written } = setup(true)
    const report = new Report(io, true)
    await report.add(line('allow'), '{}\n', 'allow')
    await report.end()
    expect(written.stdout).toBe('{}\n')
  })

  it('keeps a bounded number of rows: of many calls, those that did not go through', async () => {
    const { io, written } = setup(true)
    const report = new Report(io, false)
    for (let i = 0; i < 5000; i++) {
      const verdict = i % 100 === 7 ? 'deny' : 'allow'
      await report.add(line(verdict, `t${i}`), '', verdict)
    }
    await report.end()
    const lines = written.stdout.split('\n')
    expect(lines.length).toBeLessThan(1100)
    expect(lines.filter((text) => text.includes(' deny ')).length).toBe(50)
    expect(written.stdout).toContain('4950 allow, 50 deny')
    expect(written.stdout).toMatch(/\(\d+ rows left out; --json has them all\)/)
  })

  it('says when there were no calls', async () => {
    const { io, written } = setup(true)
    await new Report(io, false).end()
    expect(written.stdout).toBe('no calls\n')
  })
})
