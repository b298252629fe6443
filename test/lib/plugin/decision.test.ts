import { describe, expect, it, vi } from 'vitest'
import { askRequest, askTimeout, readDecision } from '../../../lib/plugin/decision.ts'

describe('readDecision()', () => {
  it.each([
    [undefined],
    [null],
    [{}],
    [{ block: false }],
    [{ allow: true }],
    [{ params: undefined }],
  ])('hears no opinion in %j (rules 3, 24)', (answer) => {
    expect(readDecision(answer)).toEqual({ kind: 'none' })
  })

  it('reads a block, its reason and a text for the person', () => {
    expect(readDecision({ block: true, blockReason: 'no', notice: 'for you' })).toEqual({
      kind: 'block',
      reason: 'no',
      notice: 'for you',
    })
    expect(readDecision({ block: true, blockReason: 'no' })).toEqual({
      kind: 'block',
      reason: 'no',
    })
    expect(readDecision({ allow: false, reason: 'no' })).toEqual({ kind: 'block', reason: 'no' })
    expect(readDecision({ block: true, blockReason: ' ' })).toEqual({
      kind: 'block',
      reason: undefined,
    })
  })

  it('lets a block win over params in the same answer (rule 30)', () => {
    expect(readDecision({ block: true, params: { a: 1 } }).kind).toBe('block')
  })

  it.each([
    ['deny'],
    [false],
    [true],
    [7],
    [[{ block: true }]],
    [{ block: 'true' }],
    [{ block: 1 }],
    [{ params: 'rm' }],
    [{ params: [] }],
    [{ requireApproval: true }],
    [{ requireApproval: 'please' }],
  ])('takes %j for a fault, never for an allow', (answer) => {
    expect(readDecision(answer).kind).toBe('bad')
  })

  it.each(['blocked', 'Block', 'blok', 'param', 'requireAproval', 'blockReson'])(
    'takes the misspelt key %s for a fault and says the right one',
    (key) => {
      expect(readDecision({ [key]: true })).toMatchObject({
        kind: 'bad',
        problem: expect.stringContaining(`'${key}'`),
      })
    },
  )

  it('leaves keys alone that are nothing like ours', () => {
    expect(readDecision({ note: 'seen', metadata: {} })).toEqual({ kind: 'none' })
  })

  it('takes an answer that cannot be read for a fault (rule 50)', () => {
    const trap = {
      get block(): boolean {
        throw new Error('trap')
      },
    }
    expect(readDecision(trap).kind).toBe('bad')
  })
})

describe('askRequest()', () => {
  it("stamps the host's plugin id over the handler's (rule 26)", () => {
    const request = askRequest('plugin:real', { title: 't', pluginId: 'spoofed' })
    expect(request.asker).toBe('plugin:real')
    expect(request).not.toHaveProperty('pluginId')
  })

  it.each([
    [undefined, undefined],
    ['60000', undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [0, undefined],
    [-5, undefined],
    [0.4, undefined],
    [1500.9, 1500],
    [600_000, 600_000],
    [600_001, 600_000],
    [Number.MAX_SAFE_INTEGER, 600_000],
  ])('makes %j of timeoutMs %j (rule 56)', (given, expected) => {
    expect(askTimeout(given)).toBe(expected)
  })

  it('drops decisions that are none, and doubles; none left means all (rule 59)', () => {
    const decisions = (allowedDecisions: unknown) =>
      askRequest('p', { title: 't', allowedDecisions: allowedDecisions as [] }).allowedDecisions
    expect(decisions(['deny', 'allow-once', 'deny', 'maybe', 3])).toEqual(['deny', 'allow-once'])
    expect(decisions([])).toBeUndefined()
    expect(decisions('deny')).toBeUndefined()
    expect(decisions(['maybe'])).toBeUndefined()
  })

  it('keeps a severity that exists and drops another', () => {
    expect(askRequest('p', { title: 't', severity: 'critical' }).severity).toBe('critical')
    expect(askRequest('p', { title: 't', severity: 'huge' as 'info' }).severity).toBeUndefined()
  })

  it("drops OpenClaw's display-only scope (rule 73: different) and keeps a text", () => {
    expect(askRequest('p', { title: 't', scope: { kind: 'payment' } }).scope).toBeUndefined()
    expect(askRequest('p', { title: 't', scope: 'deploys' }).scope).toBe('deploys')
  })

  it('hands onResolution on', () => {
    const onResolution = vi.fn()
    askRequest('p', { title: 't', onResolution }).onResolution?.('deny')
    expect(onResolution.mock.calls).toEqual([['deny']])
  })
})
