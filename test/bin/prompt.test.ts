import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Io } from '../../bin/command.ts'
import { terminalApprover } from '../../bin/prompt.ts'
import type { ApprovalQuestion, AskRequest } from '../../lib/types.ts'
import { hookContext } from '../helpers/hook-context.ts'

function setup(request: Partial<AskRequest> = {}, params: Record<string, unknown> = { path: 'x' }) {
  const stdin = new PassThrough()
  const stderr = new PassThrough()
  let shown = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const io = { stdin, stderr, env: {} } as unknown as Io
  const question: ApprovalQuestion = {
    ctx: hookContext({ toolName: 'write_file', params }),
    originalParams: params,
    askers: [{ name: 'Autonomy', request: { title: 'Allow write_file?', ...request } }],
  }
  const controller = new AbortController()
  return {
    stdin,
    controller,
    shown: () => shown,
    decide: (timeoutMs?: number) =>
      terminalApprover(io, timeoutMs === undefined ? {} : { timeoutMs }).decide(
        question,
        controller.signal,
      ),
  }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('terminalApprover()', () => {
  it.each([
    ['y\n', 'allow-once'],
    ['YES\n', 'allow-once'],
    ['n\n', 'deny'],
    ['what?\n\nno\n', 'deny'],
  ])('takes %j as an answer', async (typed, resolution) => {
    const { decide, stdin, shown } = setup()
    const decided = decide()
    stdin.write(typed)
    expect(await decided).toMatchObject({ resolution, approvalId: expect.any(String) })
    expect(shown()).toContain('Allow write_file? (asked by Autonomy)')
    expect(shown()).toContain('write_file {"path":"x"}')
  })

  it('gives up with the call', async () => {
    const { decide, controller } = setup()
    const decided = decide()
    controller.abort(new Error('gone'))
    expect(await decided).toMatchObject({ resolution: 'cancelled' })
  })

  it('gives up in time', async () => {
    const { decide } = setup({ timeoutMs: 600_000 })
    expect(await decide(1)).toMatchObject({ resolution: 'timeout' })
  })

  it('takes the end of the input for no answer', async () => {
    const { decide, stdin } = setup()
    const decided = decide()
    stdin.end()
    expect(await decided).toMatchObject({ resolution: 'cancelled' })
  })

  it('shows nothing that acts on the terminal, and both ends of long arguments', async () => {
    const { decide, stdin, shown } = setup(
      { title: 'Sure?\u001b[2J', description: 'a\nb' },
      { command: `echo \u202e${'x'.repeat(5000)}; rm -rf /` },
    )
    const decided = decide()
    stdin.write('n\n')
    await decided
    const foreign = shown().replace('\r\u001b[K', '')
    expect(foreign).toContain('Sure?\\u001b[2J')
    expect(foreign).toContain('a · b')
    expect(foreign).toContain('\\u202e')
    expect(foreign).toMatch(/\(50\d\d characters\) … x+; rm -rf \/"\}/)
  })
})
