import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { builtInTools } from '../../bin/tools/index.ts'
import { hookContext } from '../helpers/hook-context.ts'
import { tempDir } from '../helpers/temp.ts'

function setup() {
  const home = tempDir()
  const workspace = join(home, 'ws')
  mkdirSync(join(workspace, 'src'), { recursive: true })
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\none\n')
  writeFileSync(join(workspace, 'src/b.txt'), 'one')
  const tools = builtInTools({ workspace, home })
  const controller = new AbortController()
  const use = async (name: string, params: Record<string, unknown>): Promise<unknown> =>
    tools.get(name)?.(
      params,
      hookContext({ signal: controller.signal, execEnv: { GREETING: 'hi' } }),
    )
  return { home, workspace, use, controller }
}

describe('builtInTools()', () => {
  it('reads paths as the policies do: from the workspace, ~/ as HOME, file: URLs', async () => {
    const { home, workspace, use } = setup()
    writeFileSync(join(home, 'h.txt'), 'home')
    expect(await use('read_file', { path: 'src/b.txt' })).toBe('one')
    expect(await use('read_file', { path: '~/h.txt' })).toBe('home')
    expect(await use('read_file', { path: pathToFileURL(join(workspace, 'src/b.txt')).href })).toBe(
      'one',
    )
  })

  it('makes all edits of a call or none', async () => {
    const { workspace, use } = setup()
    const edits = [
      { old_text: 'two', new_text: '$& 2' },
      { old_text: 'three', new_text: '3' },
    ]
    await expect(use('edit_file', { path: 'a.txt', edits })).rejects.toThrow('is not in the file')
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\none\n')
    await use('edit_file', { path: 'a.txt', edits: edits.slice(0, 1) })
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\n$& 2\none\n')
    await expect(
      use('edit_file', { path: 'a.txt', old_text: 'one', new_text: '1' }),
    ).rejects.toThrow('more than once')
    await expect(use('edit_file', { path: 'a.txt', old_text: '', new_text: '1' })).rejects.toThrow(
      'empty',
    )
    await expect(use('edit_file', { path: 'a.txt', edits: [] })).rejects.toThrow(
      'must be a list of edits',
    )
  })

  it('searches without following links, and skips what is no text', async () => {
    const { home, workspace, use } = setup()
    writeFileSync(join(home, 'outside.txt'), 'one')
    symlinkSync(join(home, 'outside.txt'), join(workspace, 'link.txt'))
    symlinkSync(home, join(workspace, 'up'))
    writeFileSync(join(workspace, 'bin.dat'), Buffer.from([0, 111, 110, 101]))
    mkdirSync(join(workspace, '.git'))
    writeFileSync(join(workspace, '.git/c'), 'one')
    expect(await use('grep', { pattern: '^one$' })).toBe(
      'a.txt:1: one\na.txt:3: one\nsrc/b.txt:1: one',
    )
    expect(await use('grep', { pattern: 'one', path: 'src' })).toBe('src/b.txt:1: one')
    await expect(use('grep', { pattern: '(' })).rejects.toThrow('Invalid regular expression')
  })

  it('runs commands in the workspace with the environment that hooks settled', async () => {
    const { workspace, use } = setup()
    expect(await use('shell', { command: 'pwd; echo $GREETING' })).toBe(`${workspace}\nhi\n`)
    expect(await use('shell', { command: 'pwd', cwd: 'src' })).toBe(`${workspace}/src\n`)
    await expect(use('shell', { command: 'echo bad >&2; exit 3' })).rejects.toThrow(
      'echo bad >&2; exit 3 exited with 3: bad',
    )
    await expect(use('shell', { cmd: 'ls' })).rejects.toThrow('the argument command is missing')
  })

  it('keeps the first MiB of what a command says and lets it finish', async () => {
    const { use } = setup()
    const output = (await use('shell', {
      command: 'head -c 3000000 /dev/zero | tr "\\0" x',
    })) as string
    expect(output).toMatch(/x\n\(1951424 bytes more\)\n$/)
    expect(output.length).toBeLessThan(1_100_000)
  })

  it('ends a command and all that it started when the call is aborted', async () => {
    const { workspace, use, controller } = setup()
    const running = use('shell', { command: 'sleep 60 & echo $! > pid; wait' })
    const file = join(workspace, 'pid')
    while (!existsSync(file) || readFileSync(file, 'utf8') === '')
      await new Promise((resolve) => setTimeout(resolve, 10))
    controller.abort()
    await expect(running).rejects.toThrow('was ended by SIGKILL')
    const child = Number(readFileSync(file, 'utf8'))
    const isGone = (): boolean => {
      try {
        return /\) Z /.test(readFileSync(`/proc/${child}/stat`, 'utf8'))
      } catch {
        return true
      }
    }
    while (!isGone()) await new Promise((resolve) => setTimeout(resolve, 10))
  })
})
