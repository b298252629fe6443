import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isToolwareError } from '../../lib/errors.ts'
import { readOptions } from '../../lib/read-options.ts'

const schema = z.strictObject({
  name: z.string('must be text'),
  list: z.array(z.strictObject({ n: z.int('must be whole') })).optional(),
})

function problem(value: unknown, where = 'section'): string {
  try {
    readOptions(schema, value, where)
  } catch (error) {
    if (isToolwareError(error, 'CONFIG')) return error.message
    throw error
  }
  return 'accepted'
}

describe('readOptions()', () => {
  it.each<[unknown, string]>([
    [{ name: 'x' }, 'accepted'],
    [{ name: 7 }, 'section.name: must be text; got 7'],
    [{}, 'section.name: is missing; it must be text'],
    [{ name: 'x', list: [{ n: 1 }, { n: 'two' }] }, 'section.list[1].n: must be whole; got "two"'],
    [{ name: 'x', nmae: 1 }, 'section.nmae: there is no such key; did you mean name?'],
    [
      { name: 'x', list: [{ n: 1, m: 2 }] },
      'section.list[0].m: there is no such key; did you mean n?',
    ],
    [{ name: ['\u202e'] }, 'section.name: must be text; got ["\\u202e"]'],
  ])('%j: %s', (value, message) => {
    expect(problem(value)).toBe(message)
  })

  it('names a key at the top without a section', () => {
    expect(problem({ name: 7 }, '')).toBe('name: must be text; got 7')
  })
})
