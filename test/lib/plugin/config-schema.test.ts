import { describe, expect, it } from 'vitest'
import { checkPluginConfig } from '../../../lib/plugin/config-schema.ts'

const codes = (schema: Record<string, unknown>, config?: unknown) =>
  checkPluginConfig(schema, config).map(({ code }) => code)

describe('checkPluginConfig()', () => {
  it('has nothing to say when all is well', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 't',
      description: 'd',
      type: 'object',
      properties: { mode: { enum: ['a', 'b'], default: 'a' }, list: { items: { type: 'string' } } },
      required: ['mode'],
      additionalProperties: false,
    }
    expect(checkPluginConfig(schema, { mode: 'a', list: ['x'] })).toEqual([])
  })

  it.each<[string, Record<string, unknown>, unknown]>([
    ['config_type_mismatch', { type: 'string' }, 1],
    ['config_enum_mismatch', { enum: ['a'] }, 'b'],
    ['config_const_mismatch', { const: 1 }, 2],
    ['config_required_missing', { type: 'object', required: ['x'] }, {}],
    ['config_additional_property', { type: 'object', additionalProperties: false }, { y: 1 }],
    ['config_additional_property', { properties: { y: false } }, { y: 1 }],
    ['config_min_items', { minItems: 1 }, []],
    ['config_max_items', { maxItems: 1 }, [1, 2]],
    ['config_min_length', { minLength: 2 }, 'a'],
    ['config_max_length', { maxLength: 2 }, 'abc'],
    ['config_pattern_mismatch', { pattern: '^a' }, 'b'],
    ['config_minimum', { minimum: 2 }, 1],
    ['config_maximum', { maximum: 2 }, 3],
    ['config_one_of_mismatch', { oneOf: [{ type: 'string' }, { minLength: 1 }] }, 'a'],
    ['config_any_of_mismatch', { anyOf: [{ type: 'string' }, { type: 'number' }] }, true],
    ['unsupported_schema_keyword', { type: 'object', $ref: '#/x' }, {}],
    ['unsupported_schema_keyword', { properties: { a: { format: 'uri' } } }, {}],
    ['unsupported_schema_keyword', { anyOf: [{ items: { not: {} } }] }, {}],
    ['unsupported_schema_keyword', { constructor: 1 }, {}],
    ['invalid_schema_pattern', { pattern: '(' }, 'a'],
    ['invalid_schema_pattern', { pattern: 1 }, 'a'],
    ['invalid_schema', { type: 'strang' }, {}],
    ['invalid_schema', { items: 1 }, []],
  ])('reports %s for %j', (code, schema, config) => {
    expect(codes(schema, config)).toEqual([code])
  })

  it('takes no config for an empty one', () => {
    expect(codes({ type: 'object' })).toEqual([])
    expect(codes({ required: ['a'] })).toEqual(['config_required_missing'])
  })

  it('reports every place, with the path and the value', () => {
    const schema = { properties: { a: { type: 'string' }, b: { items: { enum: [1, 2] } } } }
    expect(checkPluginConfig(schema, { a: 1, b: [1, 3] })).toEqual([
      { code: 'config_type_mismatch', message: '1 must be string', path: 'config.a' },
      {
        code: 'config_enum_mismatch',
        message: '3 must be equal to one of the allowed values: [1,2]',
        path: 'config.b.1',
      },
    ])
  })

  it('quotes a value once, with nothing in it that cannot be seen', () => {
    const [problem] = checkPluginConfig({ enum: ['b'] }, 'a\u202e"')
    expect(problem?.message).toBe('"a\\u202e\\"" must be equal to one of the allowed values: ["b"]')
  })

  it('ends a pattern that would run for ages', () => {
    expect(codes({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)).toEqual(['schema_pattern_timeout'])
  })

  it('refuses a schema that is nested without end', () => {
    let schema: Record<string, unknown> = {}
    for (let i = 0; i < 70; i++) schema = { items: schema }
    expect(codes(schema, [])).toEqual(['invalid_schema'])
  })
})
