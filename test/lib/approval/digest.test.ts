import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type BoundFacts, bind, digestOf, sameDigest } from '../../../lib/approval/digest.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolware-digest-')))
mkdirSync(join(root, 'src'))
symlinkSync('/etc', join(root, 'link-out'))
afterAll(() => rmSync(root, { recursive: true }))

const facts: BoundFacts = {
  toolName: 'exec',
  toolKind: undefined,
  sessionId: 's1',
  sessionKey: undefined,
  execEnv: undefined,
}

function digest(change: Partial<BoundFacts> = {}, params: object = { a: 1, b: [2] }, base = root) {
  return digestOf(bind({ ...facts, ...change }, { ...params }, base, 'v1'))
}

describe('the digest of an approval', () => {
  it('is 64 hexadecimal digits and does not depend on the order of keys', () => {
    expect(digest()).toMatch(/^[0-9a-f]{64}$/)
    expect(digest({}, { b: [2], a: 1 })).toBe(digest())
  })

  it.each([
    ['tool', digest({ toolName: 'read' })],
    ['tool kind', digest({ toolKind: 'code_mode' })],
    ['params', digest({}, { a: 1, b: [3] })],
    ['session', digest({ sessionId: 's2' })],
    ['session key', digest({ sessionKey: 's1' })],
    ['environment', digest({ execEnv: { A: '1' } })],
    ['directory', digest({}, undefined, join(root, 'src'))],
    ['policy version', digestOf(bind(facts, { a: 1, b: [2] }, root, 'v2'))],
    ['lack of a policy version', digestOf(bind(facts, { a: 1, b: [2] }, root, undefined))],
  ])('changes with the %s', (_, other) => {
    expect(other).not.toBe(digest())
  })
})

describe('the directory an approval binds to', () => {
  it.each([
    ['the base', {}, root],
    ['the one the params name', { cwd: 'src' }, join(root, 'src')],
    ['the same under other key names', { working_directory: 'src' }, join(root, 'src')],
    ['where a link leads', { workdir: 'link-out' }, '/etc'],
    ['marked when it does not exist', { cwd: 'nowhere' }, `missing:${join(root, 'nowhere')}`],
    ['the base when the name is no text', { cwd: 7 }, root],
  ])('is %s', (_, params, expected) => {
    expect(bind(facts, params, root, undefined).workingDirectory).toBe(expected)
  })
})

describe('sameDigest()', () => {
  it('compares', () => {
    expect([sameDigest('ab', 'ab'), sameDigest('ab', 'ac'), sameDigest('ab', 'abc')]).toEqual([
      true,
      false,
      false,
    ])
  })
})
