import { describe, expect, it } from 'vitest'
import { readHookAnswer, readInitAnswer } from '../../../../lib/plugin/bridge/answers.ts'
import { excerpt, plainText } from '../../../../lib/plugin/bridge/fields.ts'
import { notificationLine, readLine, requestLine } from '../../../../lib/plugin/bridge/protocol.ts'

describe('what we write', () => {
  it('is JSON-RPC 2.0, or what the first seed wrote', () => {
    expect(requestLine('toolware', 1, 'init', { a: 1 })).toBe(
      '{"jsonrpc":"2.0","id":1,"method":"init","params":{"a":1}}',
    )
    expect(requestLine('openclaw-net', 1, 'init', { a: 1 })).toBe(
      '{"method":"init","id":"1","params":{"a":1}}',
    )
    expect(notificationLine('shutdown', {})).toBe(
      '{"jsonrpc":"2.0","method":"shutdown","params":{}}',
    )
  })

  it('is one line, whatever is in it', () => {
    expect(notificationLine('x', { text: 'a\nb\r\u2028' })).not.toMatch(/[\n\r]/)
  })
})

describe('readLine()', () => {
  it.each([
    'not json',
    '',
    '1',
    'null',
    '"text"',
    '[]',
    '[{"jsonrpc":"2.0","id":1,"result":{}}]',
    '{}',
    '{"level":"info","msg":"x"}',
    '{"id":7,"msg":"x"}',
    '{"jsonrpc":"2.0"}',
    '\uFEFF{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","result":{"allow":true}}',
    '{"id":null,"result":{"allow":true}}',
    '{"jsonrpc":"2.0","method":5}',
  ])('takes %s for noise', (line) => {
    expect(readLine('toolware', line)).toEqual({ kind: 'noise' })
  })

  it('reads what the first seed and its PascalCase friends write', () => {
    const answer = { kind: 'answer', id: 3, answer: { kind: 'result', value: { Allow: true } } }
    expect(readLine('openclaw-net', '{"Id":"3","Result":{"Allow":true}}')).toEqual(answer)
    expect(readLine('openclaw-net', '{"Id":"3","Result":{"Allow":true},"Error":null}')).toEqual(
      answer,
    )
    expect(readLine('toolware', '{"Id":"3","Result":{"Allow":true}}')).toEqual({ kind: 'noise' })
    expect(readLine('openclaw-net', '{"notification":"channel_message","params":{}}')).toEqual({
      kind: 'notification',
      method: 'channel_message',
      params: {},
    })
  })

  it('does not parse what nests without end', () => {
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
    for (const line of ['['.repeat(1_000_000), deep, `{"jsonrpc":"2.0","id":1,"result":${deep}}`]) {
      expect(readLine('toolware', line)).toEqual({ kind: 'noise' })
    }
  })

  it('does not take brackets inside texts for depth', () => {
    const reason = `${'['.repeat(3000)}\\"${'{'.repeat(3000)}\\`
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { allow: false, reason } })
    expect(readLine('toolware', line)).toMatchObject({ kind: 'answer', id: 1 })
    expect(readLine('toolware', `"${'x'.repeat(3000)}`)).toEqual({ kind: 'noise' })
  })
})

describe('readHookAnswer()', () => {
  it.each([
    [{ allow: true }, { allow: true, reason: undefined }],
    [
      { allow: true, reason: null },
      { allow: true, reason: undefined },
    ],
    [
      { allow: false, reason: 'x' },
      { allow: false, reason: 'x' },
    ],
    [
      { allow: false, extra: 1 },
      { allow: false, reason: undefined },
    ],
    [
      { allow: false, reason: 5 },
      { allow: false, reason: undefined },
    ],
    [
      { allow: false, reason: 'a\nb\u202ec\u0007' },
      { allow: false, reason: 'a b c' },
    ],
  ])('%j is %j', (value, read) => {
    expect(readHookAnswer('toolware', value)).toEqual(read)
  })

  it('knows PascalCase in the other dialect only', () => {
    expect(readHookAnswer('openclaw-net', { Allow: true, Reason: '' })).toMatchObject({
      allow: true,
    })
    expect(readHookAnswer('toolware', { Allow: true })).toHaveProperty('problem')
  })

  it('says what it got', () => {
    expect(readHookAnswer('toolware', { decision: 'ALLOW' })).toEqual({
      problem: 'answered an object with decision; `allow` must be true or false',
    })
    expect(readHookAnswer('toolware', 'ALLOW')).toEqual({
      problem: 'answered "ALLOW", not an object',
    })
  })
})

describe('readInitAnswer()', () => {
  it('leaves open what is not said', () => {
    expect(readInitAnswer('toolware', {})).toEqual({
      eventSubscriptions: undefined,
      capabilities: [],
      diagnostics: [],
    })
  })

  it('reads diagnostics of whatever shape', () => {
    const diagnostics = ['plain', { code: 'a', message: 'b' }, { Message: 'c' }, 5, null]
    expect(readInitAnswer('openclaw-net', { diagnostics })).toMatchObject({
      diagnostics: ['"plain"', 'a: b', 'c', '5', 'null'],
    })
  })
})

describe('text from outside', () => {
  it('is one short line', () => {
    expect(plainText('a\r\n\u001b[31mb\u200b\u2028c')).toBe('a [31mb c')
    expect(plainText('x'.repeat(600))).toHaveLength(500)
  })

  it('is quoted in short form', () => {
    expect([excerpt(undefined), excerpt([1]), excerpt({}), excerpt({ a: 1, b: 2 })]).toEqual([
      'nothing',
      'a list',
      'an object with no fields',
      'an object with a, b',
    ])
    expect(excerpt('x'.repeat(1000)).length).toBeLessThanOrEqual(80)
  })
})
