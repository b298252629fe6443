import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readOptions } from '../../lib/read-options.ts'

const schema = z.strictObject({
  name: z.string().min(1),
  limit: z.int().positive().optional(),
  list: z.array(z.strictObject({ mode: z.enum(['a', 'b']) })).optional(),
  own: z.string().regex(/^x/, 'must begin with x').optional(),
})
const problem = (value: unknown, where = 'section'): string => {
  try {
    readOptions(schema, value, where)
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

describe('readOptions()', () => {
  it('gives back what fits', () => {
    expect(readOptions(schema, { name: 'n', limit: 3 }, 's')).toEqual({ name: 'n', limit: 3 })
  })

  it.each([
    [undefined, 'section: is missing; it must be an object'],
    [{}, 'section.name: is missing; it must be a text'],
    [{ nam: 'n', limit: 0 }, 'section.nam: there is no such key; did you mean name?'],
    [{ name: '' }, 'section.name: must not be empty; got ""'],
    [{ name: 5 }, 'section.name: must be a text; got 5'],
    [
      { name: 'n', limit: 0 },
      'section.limit: must be a positive whole number; leave it out for no limit; got 0',
    ],
    [
      { name: 'n', list: [{ mode: 'a' }, { mode: 'c' }] },
      'section.list[1].mode: must be one of a, b; got "c"',
    ],
    [
      { name: 'n', list: [{ mode: 'a', mod: 1 }] },
      'section.list[0].mod: there is no such key; did you mean mode?',
    ],
    [
      { name: 'n', colour: 1 },
      'section.colour: there is no such key; known here are name, limit, list, own',
    ],
    [{ name: 'n', own: 'y\u001b' }, 'section.own: must begin with x; got "y\\\\u001b"'],
  ])('says what is wrong with %j, and what would be right', (value, message) => {
    expect(problem(value)).toBe(message)
  })

  it('starts paths at the top without a section', () => {
    expect(problem({ name: 5 }, '')).toBe('name: must be a text; got 5')
    expect(problem([], '')).toBe('configuration: must be an object; got []')
  })
})
