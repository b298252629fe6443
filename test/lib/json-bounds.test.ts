import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beyondBounds } from '../../lib/json-bounds.ts'

const bounds = { maxDepth: 3, maxNodes: 5 }

describe('beyondBounds()', () => {
  it.each([
    ['{"a":[1,2,3,4]}', undefined],
    ['[1,2,3,4,5,6]', 'nodes'],
    ['[[[]]]', undefined],
    ['[[[[]]]]', 'depth'],
    ['{"a":{"b":{"c":{}}}}', 'depth'],
    ['[[],[],[[]]]', undefined],
    ['["[[[[,,,,,,,{{{{"]', undefined],
    ['["\\"[[[[,,,,,,,"]', undefined],
    ['["\\\\",[[[[]]]]]', 'depth'],
    ['["\\\\\\"[[[["]', undefined],
    ['"never ends [[[[', undefined],
    ['[[[[', 'depth'],
    ['', undefined],
  ])('%s: %s', (text, wanted) => {
    expect(beyondBounds(text, bounds)).toBe(wanted)
  })

  it('refuses nothing that is within the bounds', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
        : 0
    const sizeOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce<number>((sum, item) => sum + 1 + sizeOf(item), 0)
        : 0
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, space) => {
        const exact = { maxDepth: depthOf(value), maxNodes: Math.max(1, sizeOf(value)) }
        const text = JSON.stringify(value, null, space)
        expect(beyondBounds(text, exact)).toBeUndefined()
        if (exact.maxDepth > 0) {
          expect(beyondBounds(text, { ...exact, maxDepth: exact.maxDepth - 1 })).toBe('depth')
        }
      }),
    )
  })
})
