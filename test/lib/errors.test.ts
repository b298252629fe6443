import { describe, expect, it } from 'vitest'
import { quoted, ToolwareError } from '../../lib/errors.ts'
import { faultText } from '../../lib/fault-text.ts'

describe('ToolwareError', () => {
  it('is plain data in JSON, without cause and stack', () => {
    const cause = new Error('secret')
    const bare = new ToolwareError('TOOL_FAILED', 'no', { cause })
    expect(JSON.parse(JSON.stringify(bare))).toEqual({
      name: 'ToolwareError',
      code: 'TOOL_FAILED',
      message: 'no',
    })
    const full = new ToolwareError('CONFIG', 'no', { details: { key: 'a.b' } })
    expect(JSON.parse(JSON.stringify(full))).toMatchObject({ details: { key: 'a.b' } })
  })
})

describe('quoted()', () => {
  it('shows any value in one short, visible text', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(quoted(cycle)).toBe('an object that is no plain data')
    expect(quoted(() => 1)).toBe('a function')
    expect(quoted(undefined)).toBe('undefined')
    expect(quoted('a\u202eb')).toBe('"a\\u202eb"')
    expect(quoted('x'.repeat(200))).toHaveLength(80)
  })
})

describe('faultText()', () => {
  it('is one redacted line, whatever was thrown', () => {
    expect(faultText(new Error('no\n  such\tfile'))).toBe('no such file')
    expect(faultText('no')).toBe('no')
    expect(faultText(Object.create(null))).toBe('an error that cannot be read')
    expect(faultText(new Error('x'.repeat(400)))).toBe(`${'x'.repeat(300)}...`)
  })
})
