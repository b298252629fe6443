import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { audit } from '../../bin/audit.ts'
import { check } from '../../bin/check.ts'
import { explain } from '../../bin/explain.ts'
import { run } from '../../bin/run.ts'
import { fakeIo } from '../helpers/io.ts'
import { tempDir } from '../helpers/temp.ts'

const calls = `{"toolName":"read_file","params":{"path":"a.txt"}}
{"toolName":"read_file","params":{"path":".env"}}
{"toolName":"shell","params":{"command":"ls"}}
`

function folder(): string {
  const dir = tempDir()
  mkdirSync(join(dir, 'ws'))
  writeFileSync(join(dir, 'ws/a.txt'), 'hello')
  writeFileSync(join(dir, 'calls.jsonl'), calls)
  writeFileSync(
    join(dir, 'c.json5'),
    "{ tooling: { workspaceOnly: true, workspaceRoot: 'ws', allowShell: false, forbiddenPathGlobs: ['.env'] }, audit: { file: 'audit.jsonl', chain: true } }",
  )
  return dir
}
describe('commands on a terminal', () => {
  it('check draws a table', async () => {
    const dir = folder()
    const { io, out, err } = fakeIo(dir, { isTTY: true })
    expect(await check.run(['calls.jsonl', '--config', 'c.json5'], io)).toBe(0)
    expect(out()).toMatchInlineSnapshot(`
      "#  call             verdict  by        why
      1  read_file a.txt  allow
      2  read_file .env   deny     Autonomy  path: the operator forbids this path;
                                             work without it (forbiddenPathGlobs:
                                             .env)
      3  shell ls         deny     Autonomy  commands and code are switched off; use
                                             the file tools (allowShell)

      3 calls: 2 deny, 1 allow
      "
    `)
    expect(err()).toBe('\r\u001b[K')
  })

  it('run shows progress and draws a table with times', async () => {
    const dir = folder()
    const { io, out, err } = fakeIo(dir, { isTTY: true })
    expect(await run.run(['calls.jsonl', '--config', 'c.json5'], io)).toBe(1)
    expect(out()).toMatch(/^# {2}call +verdict +by +why +time$/m)
    expect(out()).toMatch(/^1 {2}read_file a\.txt {2}completed +\d+(?:\.\d)? ms$/m)
    expect(out()).toMatch(/^2 {2}read_file \.env {3}blocked +Autonomy +path: .* ms$/m)
    expect(out()).toMatch(/\n3 calls: 2 blocked, 1 completed\n$/)
    expect(err().split('\r\u001b[K').filter(Boolean)).toEqual([
      '1  read_file a.txt',
      '2  read_file .env',
      '3  shell ls',
    ])
    const verified = fakeIo(dir, { isTTY: true })
    expect(await audit.run(['verify', 'audit.jsonl'], verified.io)).toBe(0)
    expect(verified.out()).toMatch(/^ok: 6 records/)
  })

  it('explain lists the hooks in their order', async () => {
    const dir = folder()
    const { io, out } = fakeIo(dir, { isTTY: true })
    expect(
      await explain.run(
        ['{"toolName":"shell","params":{"command":"ls"}}', '--config', 'c.json5'],
        io,
      ),
    ).toBe(0)
    expect(out()).toMatchInlineSnapshot(`
      "shell ls
        AuditLog  none
        Autonomy  deny     commands and code are switched off; use the file tools (allowShell)
      deny by Autonomy: commands and code are switched off; use the file tools (allowShell)
      params {"command":"ls"}
      "
    `)
  })

  it('explain takes one call', async () => {
    const { io } = fakeIo(folder(), { isTTY: true })
    await expect(explain.run(['calls.jsonl'], io)).rejects.toThrow(
      'explain takes one call; check takes many',
    )
    await expect(explain.run([], fakeIo('/', { isTTY: false, input: '\n' }).io)).rejects.toThrow(
      'explain needs a call',
    )
  })

  it('needs a file of calls when stdin is the terminal', async () => {
    const { io } = fakeIo(folder(), { isTTY: true })
    await expect(explain.run([], io)).rejects.toThrow('explain needs a call, such as ')
    await expect(check.run([], io)).rejects.toThrow(
      'no calls: name a file of calls, or pipe them in',
    )
  })
})

describe('commands on a pipe', () => {
  it('check writes lines', async () => {
    const { io, out } = fakeIo(folder(), { isTTY: false, input: calls })
    expect(await check.run(['--config', 'c.json5', '--fail-on', 'deny'], io)).toBe(1)
    expect(
      out()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).verdict),
    ).toEqual(['allow', 'deny', 'deny'])
  })

  it('audit verify lists what is wrong as JSON', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'x.jsonl'), '{"a":1}\n')
    const { io, out } = fakeIo(dir, { isTTY: false })
    expect(await audit.run(['verify', 'x.jsonl', '--json'], io)).toBe(1)
    expect(JSON.parse(out())).toMatchObject({
      ok: false,
      records: 0,
      problems: [{ line: 1 }],
      hasHead: false,
    })
  })
})
