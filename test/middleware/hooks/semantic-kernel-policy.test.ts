import { describe, expect, it } from 'vitest'
import {
  type SemanticKernelOptions,
  semanticKernelPolicy,
} from '../../../middleware/hooks/semantic-kernel-policy.ts'
import { hookContext } from '../../helpers/hook-context.ts'

function judge(options: SemanticKernelOptions, toolName: string, senderId?: string): string {
  return judges(options)(toolName, senderId)
}

function judges(options: SemanticKernelOptions): (toolName: string, senderId?: string) => string {
  const hook = semanticKernelPolicy(options)
  return (toolName, senderId) => {
    const ctx = hookContext({ toolName, senderId })
    const answer = hook.check(ctx) ?? hook.before(ctx)
    if (answer === null || answer === undefined) return 'allow'
    return typeof answer === 'object' && 'kind' in answer && answer.kind === 'deny'
      ? `${answer.code ?? 'DENIED'} ${answer.rule}`
      : 'no verdict'
  }
}

describe('semanticKernelPolicy()', () => {
  it('governs sk_* and semantic_kernel only', () => {
    const nothing = { allowedTools: [] }
    expect(
      [
        'sk_a',
        'SK_a',
        'semantic_kernel',
        'Semantic_Kernel',
        'shell',
        'semantic_kernel2',
        'ask_a',
      ].map((tool) => judge(nothing, tool)),
    ).toEqual([...Array(4).fill('DENIED semanticKernel.allowedTools'), ...Array(3).fill('allow')])
  })

  it('allows them all unless told otherwise', () => {
    expect([judge({}, 'sk_math_add'), judge({}, 'semantic_kernel')]).toEqual(['allow', 'allow'])
  })

  it('allows exact spellings only, and denies any', () => {
    expect(judge({}, 'SK_math')).toBe('DENIED semanticKernel.allowedTools')
    expect(judge({ allowedTools: ['*'], deniedTools: ['sk_mail_*'] }, 'SK_Mail_send')).toBe(
      'DENIED semanticKernel.deniedTools: sk_mail_*',
    )
  })

  it('lets a deny win over an allow', () => {
    expect(judge({ allowedTools: ['sk_a'], deniedTools: ['sk_*'] }, 'sk_a')).toBe(
      'DENIED semanticKernel.deniedTools: sk_*',
    )
  })

  it('limits per sender and tool', () => {
    const call = judges({ perSenderPerToolPerMinute: { 'sk_*': 1 } })
    expect([call('sk_a', 'u'), call('sk_a', 'v'), call('sk_b', 'u'), call('sk_a', 'u')]).toEqual([
      'allow',
      'allow',
      'allow',
      'RATE_LIMITED semanticKernel.perSenderPerToolPerMinute: sk_*',
    ])
  })

  it('takes the lowest limit that matches', () => {
    const call = judges({ perSenderPerToolPerMinute: { 'sk_*': 3, sk_mail: 1 } })
    expect([call('sk_mail'), call('sk_mail')]).toEqual([
      'allow',
      'RATE_LIMITED semanticKernel.perSenderPerToolPerMinute: sk_mail',
    ])
  })

  it.each([
    [
      { perSenderPerToolPerMinute: { 'sk_*': 0 } },
      'semanticKernel.perSenderPerToolPerMinute["sk_*"]: must be a positive whole number; leave it out for no limit; got 0',
    ],
    [
      { allowedTools: [' sk_*'] },
      'semanticKernel.allowedTools[0]: the pattern " sk_*" begins or ends with a blank; write it without',
    ],
  ])('refuses %j', (options, message) => {
    expect(() => semanticKernelPolicy(options)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message }),
    )
  })
})
