import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type StepBudget, walk } from '../../../lib/policy/walk.ts'
import { workspace } from '../../helpers/workspace.ts'

const made = workspace()
afterAll(() => made.remove())

const budget = (): StepBudget => ({ stepsLeft: 100, seen: new Map(), isIntact: false })

describe('walk() with a budget', () => {
  it('looks at a directory once per call, and anew in the next', () => {
    mkdirSync(join(made.ws, 'once'))
    writeFileSync(join(made.ws, 'once/a'), '')
    const one = budget()
    expect(walk('once/a', made.ws, one)).toMatchObject({ real: join(made.ws, 'once/a') })
    renameSync(join(made.ws, 'once'), join(made.ws, 'moved'))
    symlinkSync('/etc', join(made.ws, 'once'))
    expect(walk('once/b', made.ws, one)).toMatchObject({ real: join(made.ws, 'once/b') })
    expect(walk('once/b', made.ws, budget())).toMatchObject({ real: '/etc/b' })
  })

  it('remembers neither links nor files', () => {
    const one = budget()
    walk('link-in/index.ts', made.ws, one)
    const inside = [...one.seen.keys()].filter((path) => path.startsWith(`${made.ws}/`))
    expect(inside).toEqual([join(made.ws, 'src')])
  })

  it('counts what does not exist', () => {
    const one = budget()
    expect(walk('q/'.repeat(99), made.ws, one)).toMatchObject({ kind: undefined })
    expect(walk('q/', made.ws, one)).toBe('the call names too many directories at once')
    expect(walk('q/'.repeat(600), made.ws)).toBe('the path has more than 512 steps')
  })
})
