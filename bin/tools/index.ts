import { ToolwareError } from '../../lib/errors.ts'
import type { Tool } from '../../lib/types.ts'
import { editFile, listDir, readFile, writeFile } from './files.ts'
import { grep } from './grep.ts'
import { shell } from './shell.ts'

/** Where the tools of `toolware run` work. */
export interface ToolHost {
  /** Relative paths start here. */
  readonly workspace: string
  /** What `~/` stands for. */
  readonly home: string
}

/** The real tools of `toolware run`, by name. */
export function builtInTools(host: ToolHost): ReadonlyMap<string, Tool> {
  return new Map<string, Tool>([
    ['read_file', readFile(host)],
    ['write_file', writeFile(host)],
    ['edit_file', editFile(host)],
    ['list_dir', listDir(host)],
    ['grep', grep(host)],
    ['shell', shell(host)],
  ])
}

/** Stands for a tool that is not built in: it can only fail. */
export function unknownTool(toolName: string, known: Iterable<string>): Tool {
  return () => {
    throw new ToolwareError(
      'UNKNOWN_TOOL',
      `there is no tool "${toolName}" here; the tools are ${[...known].join(', ')}`,
    )
  }
}
