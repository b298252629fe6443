import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export interface Workspace {
  readonly workspace: string
  readonly auditFile: string
}

/** The directory given on the command line with an audit file beside you, or a sample of both. */
export function workspaceFrom(argument: string | undefined): Workspace {
  if (argument === undefined) return sampleWorkspace()
  return { workspace: resolve(argument), auditFile: resolve('audit.jsonl') }
}

/** A new directory with a few files to talk about, and one that no model should see. */
export function sampleWorkspace(): Workspace {
  const place = mkdtempSync(join(tmpdir(), 'toolware-agent-'))
  const workspace = join(place, 'files')
  mkdirSync(join(workspace, 'notes'), { recursive: true })
  writeFileSync(join(workspace, 'README.md'), '# Garden\n\nPlans for the garden.\n')
  writeFileSync(join(workspace, 'notes', 'todo.txt'), 'water the beans\nbuy seeds\n')
  writeFileSync(join(workspace, '.env'), 'API_KEY=not-for-models\n')
  return { workspace, auditFile: join(place, 'audit.jsonl') }
}
