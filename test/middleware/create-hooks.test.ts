import { describe, expect, it } from 'vitest'
import { createHooks } from '../../middleware/create-hooks.ts'

const names = (...args: Parameters<typeof createHooks>): string[] =>
  createHooks(...args).map(({ name }) => name)

describe('createHooks()', () => {
  it('always has the first three', () => {
    expect(names()).toEqual(['AuditLog', 'Autonomy', 'ContractScope'])
  })

  it('keeps the order of the first seed, plugins last', () => {
    const plugins = {
      hooks: () => [
        { name: 'plugin:a', check: () => null },
        { name: 'mine', check: () => null },
      ],
    }
    const config = { rateLimits: [{ limit: 1 }, { limit: 2 }], semanticKernel: {}, contract: {} }
    expect(names(config, { plugins })).toEqual([
      'AuditLog',
      'Autonomy',
      'ContractScope',
      'SemanticKernelPolicy',
      'RateLimit',
      'RateLimit',
      'plugin:a',
      'mine',
    ])
  })
})
