import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { audit } from '../../bin/audit.ts'
import { check } from '../../bin/check.ts'
import type { Command } from '../../bin/command.ts'
import { explain } from '../../bin/explain.ts'
import { plugins } from '../../bin/plugins.ts'
import { run } from '../../bin/run.ts'
import { oneLine, UsageError } from '../../bin/usage-error.ts'
import { isToolwareError } from '../../lib/errors.ts'
import { fakeIo } from '../helpers/io.ts'
import { tempDir } from '../helpers/temp.ts'

const COMMANDS: Readonly<Record<string, Command>> = { run, check, explain, audit, plugins }

function folder(): string {
  const dir = tempDir()
  mkdirSync(join(dir, 'dir.ts'))
  writeFileSync(join(dir, 'call.jsonl'), '{"toolName":"read_file","params":{"path":"a.txt"}}\n')
  writeFileSync(join(dir, 'c.json5'), '{}')
  for (const name of ['empty.json5', 'empty.ts', 'empty.jsonl']) writeFileSync(join(dir, name), '')
  return dir
}

/** What a command line says on its one line of stderr before it ends with exit code 2. */
async function refusal(line: string): Promise<string> {
  const [name = '', ...args] = line.split(' ')
  const { io, out, err } = fakeIo(folder(), { isTTY: false })
  // `''` stands for what a shell makes of a variable that is not set.
  const given = args.map((arg) => (arg === "''" ? '' : arg))
  const error = await (COMMANDS[name] as Command).run(given, io).then(
    (code) => `exit code ${code}`,
    (thrown: unknown) => thrown,
  )
  expect(error instanceof UsageError || isToolwareError(error, 'CONFIG'), String(error)).toBe(true)
  expect([out(), err()]).toEqual(['', ''])
  return oneLine(error)
}

describe.each(['run call.jsonl', 'check call.jsonl', 'explain call.jsonl', 'plugins'])(
  '%s --config',
  (command) => {
    it.each([
      ['nope.json5', 'there is no such file; name a configuration file'],
      ['nope.ts', 'there is no such file; name a configuration file'],
      ['dir.ts', 'is a directory; name a configuration file'],
      [
        'c.json5/x.ts',
        'there is no such file, since a part of its path is no directory; name a configuration file',
      ],
      ['empty.json5', 'is empty; a configuration without policies is {}'],
      ['empty.ts', 'exports no configuration; export it as default'],
    ])('%s is refused in one line', async (file, problem) => {
      expect(await refusal(`${command} --config ${file}`)).toMatch(
        new RegExp(`(^|/)${file}: ${problem}$`),
      )
    })

    it("'' is refused, not taken for the working directory", async () => {
      expect(await refusal(`${command} --config ''`)).toBe('--config: "" is empty; give a value')
    })
  },
)

describe.each(['run --workspace .', 'check', 'explain'])('%s', (command) => {
  it.each([
    ['nope.jsonl', 'nope.jsonl: there is no such file; name a file of calls'],
    [
      'call.jsonl/x',
      'call.jsonl/x: there is no such file, since a part of its path is no directory; name a file of calls',
    ],
    ['dir.ts', 'dir.ts: is a directory; name a file of calls'],
    ['empty.jsonl', 'empty.jsonl: is empty; write one call, a JSON object, a line'],
    ["''", 'an argument is empty: ""'],
  ])('refuses %s in one line', async (file, problem) => {
    expect(await refusal(`${command} ${file}`)).toBe(problem)
  })
})

describe.each(['run', 'check', 'explain'])('%s call.jsonl --workspace', (command) => {
  const wanted = 'name the directory where tools work'

  it.each([
    ['nope', `--workspace: "nope": there is no such directory; ${wanted}`],
    ['call.jsonl', `--workspace: "call.jsonl": is no directory; ${wanted}`],
    [
      'call.jsonl/x',
      `--workspace: "call.jsonl/x": there is no such directory, since a part of its path is no directory; ${wanted}`,
    ],
    ["''", '--workspace: "" is empty; give a value'],
  ])('%s is refused in one line', async (directory, problem) => {
    expect(await refusal(`${command} call.jsonl --workspace ${directory}`)).toBe(problem)
  })
})

describe('audit verify', () => {
  it.each([
    ['nope.jsonl', 'nope.jsonl: there is no such file; name an audit file'],
    ['dir.ts', 'dir.ts: is a directory; name an audit file'],
    [
      'call.jsonl/x',
      'call.jsonl/x: there is no such file, since a part of its path is no directory; name an audit file',
    ],
  ])('refuses %s in one line', async (file, problem) => {
    expect(await refusal(`audit verify ${file}`)).toBe(problem)
  })

  it('has nothing against a file that waits for its first record', async () => {
    const { io, out } = fakeIo(folder(), { isTTY: false })
    expect(await audit.run(['verify', 'empty.jsonl'], io)).toBe(0)
    expect(out()).toMatch(/^ok: no records yet$/m)
  })
})
