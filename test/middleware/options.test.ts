import { describe, expect, it } from 'vitest'
import { ApprovalQueue } from '../../lib/approval/index.ts'
import { Toolware } from '../../lib/index.ts'
import { PluginHost } from '../../lib/plugin/index.ts'
import { parseConfig, toolwareFromConfig } from '../../middleware/config.ts'
import {
  auditLog,
  autonomy,
  contractScope,
  createHooks,
  rateLimit,
  semanticKernelPolicy,
} from '../../middleware/hooks/index.ts'

type Make = (options: never) => unknown

/** Everything that is made of options which may restrict something, with an option that it has. */
const FACTORIES: ReadonlyArray<readonly [name: string, make: Make, option: string]> = [
  ['auditLog', auditLog, 'file'],
  ['autonomy', autonomy, 'workspaceOnly'],
  ['contractScope', contractScope, 'policy'],
  ['rateLimit', rateLimit, 'limit'],
  ['semanticKernelPolicy', semanticKernelPolicy, 'deniedTools'],
  ['createHooks', createHooks, 'tooling'],
  ['toolwareFromConfig', toolwareFromConfig, 'tooling'],
  ['parseConfig', parseConfig, 'tooling'],
  ['Toolware', (options) => new Toolware(options), 'toolTimeoutMs'],
  ['ApprovalQueue', (options) => new ApprovalQueue(options), 'timeoutMs'],
  ['PluginHost', (options) => new PluginHost(options), 'config'],
]

const refused = (make: Make, options: unknown): string => {
  try {
    make(options as never)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return `${code}: ${message}`
  }
  return 'nothing'
}

describe.each(FACTORIES)('%s refuses', (_, make, option) => {
  it('an option that there is not, and says which was meant', () => {
    const said = refused(make, { [`${option}x`]: undefined })
    expect(said).toMatch(new RegExp(`^CONFIG: .*${option}x: .*did you mean ${option}\\?$`))
  })

  it('a promise of options', () => {
    expect(refused(make, Promise.resolve({}))).toMatch(/^CONFIG: .*got a promise: await it$/)
  })

  it.each([[null], ['full'], [[]]])('%j in place of options', (value) => {
    const said = refused(make, value)
    expect(said).toMatch(/^CONFIG: \w+: must be an object; got /)
    expect(said.endsWith(`got ${JSON.stringify(value)}`)).toBe(true)
  })
})

describe('the second argument', () => {
  it('of createHooks and toolwareFromConfig has to be known, too', () => {
    expect(refused(() => createHooks({}, { plugin: undefined } as object), 0)).toBe(
      'CONFIG: plugin: no option of createHooks; did you mean plugins?',
    )
    expect(refused(() => toolwareFromConfig({}, { approval: undefined } as object), 0)).toBe(
      'CONFIG: approval: no option of Toolware; did you mean approvals?',
    )
  })

  it('of use has to be known: a filter that is left out would widen the item', () => {
    const hook = { name: 'x', check: () => null }
    expect(refused(() => new Toolware().use(hook, { tool: ['a'] } as object), 0)).toBe(
      'CONFIG: tool: no option of use(); did you mean tools?',
    )
  })
})

describe('use()', () => {
  it.each([
    ['a promise', Promise.resolve({ name: 'x', check: () => null }), /await it$/],
    ['a list', [{ name: 'x', check: () => null }], /^one hook at a time/],
  ])('refuses %s', (_, item, message) => {
    expect(() => new Toolware().use(item as never)).toThrow(message)
  })
})

describe('coverage()', () => {
  it('refuses what is no list', () => {
    expect(() => new Toolware().coverage('read_file' as never)).toThrow(/takes a list of names/)
  })
})

describe('limits', () => {
  it('are refused under their path when no timer can wait that long', () => {
    expect(refused(parseConfig, { limits: { afterTimeoutMs: 2 ** 31 } })).toBe(
      'CONFIG: limits.afterTimeoutMs: must be at most 2147483647; got 2147483648',
    )
  })
})
