import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { isToolwareError } from '../../../lib/errors.ts'
import { type OpenMode, openInside } from '../../../lib/policy/open-inside.ts'
import { tempDir } from '../../helpers/temp.ts'

function setup() {
  const dir = tempDir()
  const root = join(dir, 'root')
  mkdirSync(join(root, 'sub'), { recursive: true })
  writeFileSync(join(root, 'a.txt'), 'inside')
  writeFileSync(join(dir, 'canary'), 'outside')
  symlinkSync('a.txt', join(root, 'link-in'))
  symlinkSync('../canary', join(root, 'link-out'))
  symlinkSync('..', join(root, 'up'))
  return { dir, root }
}

const codeOf = async (opening: Promise<unknown>): Promise<string | undefined> => {
  try {
    await opening
  } catch (error) {
    if (isToolwareError(error)) return error.code
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  }
  return undefined
}

describe('openInside()', () => {
  it.each(['a.txt', './sub/../a.txt', 'link-in'])('reads %s', async (path) => {
    const { root } = setup()
    const file = await openInside(root, path)
    expect(await file.readFile('utf8')).toBe('inside')
    await file.close()
  })

  it.each<[OpenMode, string]>([
    ['w', 'new'],
    ['a', 'insidenew'],
    ['r+', 'newide'],
  ])('opens with %s', async (mode, text) => {
    const { root } = setup()
    const file = await openInside(root, 'a.txt', mode)
    await file.writeFile('new')
    await file.close()
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(text)
  })

  it('makes a file that is not there', async () => {
    const { root } = setup()
    await (await openInside(root, 'sub/new', 'w')).close()
    await (await openInside(root, 'sub/newer', 'wx')).close()
    expect(readFileSync(join(root, 'sub/new'), 'utf8')).toBe('')
    expect(await codeOf(openInside(root, 'a.txt', 'wx'))).toBe('EEXIST')
    expect(await codeOf(openInside(root, 'none'))).toBe('ENOENT')
    expect(await codeOf(openInside(root, 'none/new', 'w'))).toBe('ENOENT')
  })

  it.each(['link-out', '../canary', 'up/canary', 'sub', '.', 'a.txt\u0000', '/etc/passwd'])(
    'refuses %j and leaves the rest untouched',
    async (path) => {
      const { dir, root } = setup()
      for (const mode of ['r', 'w', 'a'] as const) {
        expect(await codeOf(openInside(root, path, mode))).toBe('DENIED')
      }
      expect(readFileSync(join(dir, 'canary'), 'utf8')).toBe('outside')
    },
  )

  it('opens what it judged where a text could be a URL too', async () => {
    const { dir, root } = setup()
    mkdirSync(join(dir, 'elsewhere', root), { recursive: true })
    writeFileSync(join(dir, 'elsewhere', root, 'secret'), 'outside')
    symlinkSync(join(dir, 'elsewhere'), join(root, 'file:'))
    expect(await codeOf(openInside(root, `file://${root}/secret`))).toBe('DENIED')
    expect(await codeOf(openInside(root, `file://${root}/new`, 'w'))).toBe('DENIED')
    expect(readdirSync(join(dir, 'elsewhere', root))).toEqual(['secret'])
  })

  it('refuses a mode that there is not', async () => {
    const { root } = setup()
    for (const mode of ['rw', 'w+', 'constructor', undefined, 7]) {
      // Wrong on purpose, as untyped code may be.
      const opening = openInside(root, 'a.txt', mode as OpenMode)
      if (mode === undefined) await (await opening).close()
      else await expect(opening).rejects.toThrow(`"${mode}" is no mode; use r, r+, w, wx, a`)
    }
  })

  it('does not wait at a pipe', async () => {
    const { root } = setup()
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await codeOf(openInside(root, 'pipe'))).toBe('DENIED')
  })

  it('notices a directory that was replaced between the check and the opening', async () => {
    const { dir, root } = setup()
    mkdirSync(join(dir, 'elsewhere'))
    writeFileSync(join(dir, 'elsewhere/secret'), 'outside')
    writeFileSync(join(root, 'sub/secret'), 'inside')
    // The check and the look at the file before it run in this turn or soon after; the swap comes while they wait.
    const opening = openInside(root, 'sub/secret', 'w')
    renameSync(join(root, 'sub'), join(root, 'old'))
    symlinkSync(join(dir, 'elsewhere'), join(root, 'sub'))
    expect(await codeOf(opening)).toBe('DENIED')
    expect(readFileSync(join(dir, 'elsewhere/secret'), 'utf8')).toBe('outside')
  })

  it('never opens outside while somebody turns a link to and fro', async () => {
    const { dir, root } = setup()
    mkdirSync(join(dir, 'elsewhere'))
    writeFileSync(join(dir, 'elsewhere/secret'), 'outside')
    writeFileSync(join(root, 'sub/secret'), 'inside')
    symlinkSync('sub', join(root, 'turn'))
    const turning = new Worker(TURN, { eval: true, workerData: root })
    await once(turning, 'message')
    const found = new Map<string | undefined, number>()
    for (let i = 0; i < 3000; i++) {
      let text: string | undefined
      const code = await codeOf(
        openInside(root, 'turn/secret').then(async (file) => {
          text = await file.readFile('utf8')
          await file.close()
        }),
      )
      found.set(code ?? text, (found.get(code ?? text) ?? 0) + 1)
    }
    await turning.terminate()
    expect([...found.keys()].toSorted()).toEqual(['DENIED', 'inside'])
  })
})

const TURN = `
  const { renameSync, symlinkSync } = require('node:fs')
  const { parentPort, workerData: root } = require('node:worker_threads')
  const turn = (target) => {
    symlinkSync(target, root + '/next')
    renameSync(root + '/next', root + '/turn')
  }
  parentPort.postMessage('turning')
  for (;;) for (const target of ['../elsewhere', 'sub']) turn(target)
`
