import { describe, expect, it } from 'vitest'
import { bind } from '../../../lib/approval/digest.ts'
import { decisionsOf, makePrompt, tellOnce, timeoutOf } from '../../../lib/approval/question.ts'
import type { ApprovalResolution, AskRequest } from '../../../lib/types.ts'
import { makeQuestion, type QuestionOptions, recordingLog } from '../../helpers/question.ts'
import { settle } from '../../helpers/timers.ts'

function promptOf(options: QuestionOptions) {
  const question = makeQuestion(options)
  return makePrompt(question, bind(question.ctx, question.ctx.params, '/', undefined), [])
}

/** A request as careless code might make it. */
function request(fields: Record<string, unknown>): AskRequest {
  return { title: 't', ...fields } as AskRequest
}

describe('the prompt of several askers', () => {
  it('has the title of the first and lists all', () => {
    const { title, description, askers } = promptOf({
      askers: {
        A: { title: 'Delete it?', description: 'For good.' },
        B: { title: 'Is it yours?' },
      },
    })
    expect({ title, description }).toEqual({ title: 'Delete it?', description: 'For good.' })
    expect(askers).toEqual([
      { name: 'A', title: 'Delete it?', description: 'For good.' },
      { name: 'B', title: 'Is it yours?', description: undefined },
    ])
  })

  it.each([
    [['info', 'critical', 'warning'], 'critical'],
    [['info', 'info'], 'info'],
    [['info', undefined], 'warning'],
    [['info', 'catastrophic'], 'warning'],
  ])('has of severities %j the highest, %s', (severities, expected) => {
    const askers = Object.fromEntries(
      severities.map((severity, i) => [`h${i}`, request({ severity })]),
    )
    expect(promptOf({ askers }).severity).toBe(expected)
  })

  it('is editable only when all askers say so', () => {
    expect(promptOf({ askers: { A: { editable: true } } }).editable).toBe(true)
    expect(promptOf({ askers: { A: { editable: true }, B: {} } }).editable).toBe(false)
  })

  it('shows what will run, and what was asked for when hooks changed it', () => {
    const { params, originalParams } = promptOf({
      params: { amount: 1000 },
      originalParams: { amount: 10 },
    })
    expect(params.values[0]?.text).toBe('1000')
    expect(originalParams?.values[0]?.text).toBe('10')
    expect(promptOf({}).originalParams).toBeUndefined()
  })

  it('shows the environment and the directory', () => {
    const { execEnv, workingDirectory } = promptOf({ execEnv: { MODE: 'x\n' } })
    expect(execEnv?.values[0]).toMatchObject({ path: 'MODE', text: 'x⟨newline⟩' })
    expect(workingDirectory).toBe('/')
  })

  it('cuts a title over 80 and a description over 512 characters, and logs it under the asker', () => {
    const log = recordingLog()
    const prompt = promptOf({
      log,
      askers: { A: { title: `start${'t'.repeat(90)}end`, description: 'd'.repeat(513) } },
    })
    expect(prompt.title).toHaveLength(80)
    expect(prompt.title).toMatch(/^start.*⟨…⟩.*end$/)
    expect(prompt.description).toHaveLength(512)
    expect(log.lines.map(({ message, fields }) => [message, fields.hook])).toEqual([
      ['the title of an ask is too long and was cut', 'A'],
      ['the description of an ask is too long and was cut', 'A'],
    ])
  })

  it('leaves a title of 80 and a description of 512 characters alone', () => {
    const log = recordingLog()
    promptOf({ log, askers: { A: { title: 't'.repeat(80), description: 'd'.repeat(512) } } })
    expect(log.lines).toEqual([])
  })

  it('makes a title where there is none', () => {
    expect(promptOf({ askers: { A: { title: ' ' } } }).title).toBe('A asks about write_file')
  })

  it('escapes titles, descriptions and names', () => {
    const { askers } = promptOf({
      askers: { 'A\u202e': { title: 'a\u001b', description: '\u200b' } },
    })
    expect(askers[0]).toEqual({ name: 'A⟨U+202E⟩', title: 'a⟨U+001B⟩', description: '⟨U+200B⟩' })
  })
})

describe('decisionsOf()', () => {
  it.each([
    ['all three by default', [{}], ['allow-once', 'allow-always', 'deny']],
    ['what all askers name', [{ allowedDecisions: ['allow-once'] }, {}], ['allow-once', 'deny']],
    [
      'only deny when nothing is common',
      [{ allowedDecisions: ['allow-once'] }, { allowedDecisions: ['allow-always'] }],
      ['deny'],
    ],
    [
      'deny though it is not named',
      [{ allowedDecisions: ['allow-always'] }],
      ['allow-always', 'deny'],
    ],
    ['only deny when that is all', [{ allowedDecisions: ['deny'] }], ['deny']],
    [
      'known ones once',
      [{ allowedDecisions: ['allow-once', 'allow-once', 'maybe'] }],
      ['allow-once', 'deny'],
    ],
    ['all for an empty list', [{ allowedDecisions: [] }], ['allow-once', 'allow-always', 'deny']],
    [
      'all for no list',
      [{ allowedDecisions: 'allow-once' }],
      ['allow-once', 'allow-always', 'deny'],
    ],
  ])('offers %s', (_, requests, expected) => {
    expect(decisionsOf(requests.map(request))).toEqual(expected)
  })
})

describe('timeoutOf()', () => {
  const limits = { timeoutMs: 120_000, maxTimeoutMs: 600_000 }
  it.each([
    ['the default', [undefined], 120_000],
    ['the default for 0', [0], 120_000],
    ['the default for a negative', [-1], 120_000],
    ['the default for NaN', [Number.NaN], 120_000],
    ['the default for Infinity', [Number.POSITIVE_INFINITY], 120_000],
    ['the default for text', ['5000'], 120_000],
    ['the default for less than one', [0.5], 120_000],
    ['whole milliseconds', [1500.9], 1500],
    ['the maximum', [600_001], 600_000],
    ['the maximum for a huge number', [Number.MAX_SAFE_INTEGER], 600_000],
    ['the shortest of several', [300_000, 5_000, 60_000], 5_000],
    ['the default where it is shorter', [300_000, undefined], 120_000],
  ])('is %s', (_, times, expected) => {
    expect(
      timeoutOf(
        times.map((timeoutMs) => request({ timeoutMs })),
        limits,
      ),
    ).toBe(expected)
  })
})

describe('tellOnce()', () => {
  it('tells every asker once, in order', () => {
    const told: Array<[string, ApprovalResolution]> = []
    const note = (name: string) => ({
      onResolution: (resolution: ApprovalResolution) => told.push([name, resolution]),
    })
    const tell = tellOnce(makeQuestion({ askers: { A: note('A'), B: {}, C: note('C') } }))
    tell('deny')
    tell('cancelled')
    expect(told).toEqual([
      ['A', 'deny'],
      ['C', 'deny'],
    ])
  })

  it('reports what callbacks throw and reject with, and tells the others', async () => {
    const log = recordingLog()
    const told: string[] = []
    const tell = tellOnce(
      makeQuestion({
        log,
        askers: {
          A: {
            onResolution: () => {
              throw new Error('a')
            },
          },
          B: { onResolution: () => Promise.reject(new Error('b')) },
          C: { onResolution: (resolution) => told.push(resolution) },
        },
      }),
    )
    tell('allow-once')
    await settle()
    expect(told).toEqual(['allow-once'])
    expect(log.lines.map(({ level, message, fields }) => [level, message, fields.hook])).toEqual([
      ['error', 'onResolution failed', 'A'],
      ['error', 'onResolution failed', 'B'],
    ])
  })
})
