import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Workspace, workspace } from './workspace.ts'

/** A workspace with what the worst inputs look at: full directories, many directories, a link that climbs. */
export function worstWorkspace(): Workspace {
  const made = workspace()
  for (let i = 0; i < 990; i++) made.write(`ws/d/f${i}`)
  for (let i = 0; i < 1500; i++) made.write(`ws/big/f${i}`)
  for (let i = 0; i < 900; i++) made.write(`ws/grid/d${i % 30}/e${Math.floor(i / 30)}/x`)
  symlinkSync(`${'d/../'.repeat(200)}.`, join(made.ws, 'l'))
  return made
}
