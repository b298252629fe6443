import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HookContext, Opinion } from '../../../lib/types.ts'
import { autonomy } from '../../../middleware/hooks/autonomy.ts'
import { WORST_CALLS, WORST_GLOBS } from '../../fixtures/worst-calls.ts'
import { hookContext } from '../../helpers/hook-context.ts'
import type { Workspace } from '../../helpers/workspace.ts'
import { worstWorkspace } from '../../helpers/worst-workspace.ts'

// Nothing that an input can do takes longer than this, ten times over: the target is 50 ms of an idle machine,
// the bound leaves room for a loaded one. What is not bounded takes seconds.
const BOUND_US = 500_000

describe('what one call can cost', () => {
  let check: (ctx: HookContext) => Opinion
  let made: Workspace
  beforeAll(() => {
    made = worstWorkspace()
    check = autonomy({
      workspaceOnly: true,
      workspaceRoot: made.ws,
      forbiddenPathGlobs: WORST_GLOBS,
      strictArguments: true,
      allowHardLinkWrites: false,
    }).check
  })

  afterAll(() => made.remove())

  it.each(WORST_CALLS)('%s', (_, toolName, make) => {
    const ctx = hookContext({ toolName, params: make() })
    const started = process.cpuUsage()
    check(ctx)
    const used = process.cpuUsage(started)
    expect(used.user + used.system).toBeLessThan(BOUND_US)
  })
})
