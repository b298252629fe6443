import { describe, expect, it } from 'vitest'
import { type Approver, ask, ToolDeniedError } from '../../lib/index.ts'
import { call, echo, quietApp } from '../helpers/call.ts'

describe('a wrapped tool', () => {
  const asking = (decide: Approver['decide']) =>
    quietApp({ approvals: { decide } }).use({
      name: 'asks',
      check: () => ask({ title: 'May I?' }),
    })

  it('throws the id of the approval that the call waits for', async () => {
    const app = asking(() => ({ resolution: 'pending', approvalId: 'a1' }))
    const outcome = await app.execute(call(), echo)
    expect(outcome.status).toBe('pending')
    const thrown: unknown = await app
      .wrap(
        'echo',
        echo,
      )({})
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(ToolDeniedError)
    expect(thrown).toMatchObject({ code: 'DENIED', approvalId: 'a1', by: 'toolware' })
  })

  it('throws why nobody could be asked', async () => {
    const app = asking(() => {
      throw new Error('the store is down')
    })
    const errors: unknown[] = []
    app.on('error', (event) => errors.push(event))
    await expect(app.wrap('echo', echo)({})).rejects.toMatchObject({ name: 'ToolDeniedError' })
    expect(errors).toHaveLength(1)
  })
})
