import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { type ChainReport, type Link, verifyChain } from '../lib/audit-chain.ts'
import { headFile, readHead } from '../lib/audit-file.ts'
import { pathProblem } from '../lib/path-problem.ts'
import { type Command, onlyOne, parseOptions, write } from './command.ts'
import { readLines } from './lines.ts'
import { oneLine, UsageError } from './usage-error.ts'
import { jsonLine } from './verdict-line.ts'

const help = `Usage: toolware audit verify FILE [--json]

Checks the hash chain of an audit file that was written with audit.chain: finds every edit, removal, insertion
and reordering of records. FILE.head, which stands beside it, says which record is the last.

Exit code 0 when the file is as it was written; 1 when it is not; 2 when it cannot be read.
`

/** `toolware audit verify`. */
export const audit: Command = {
  help,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: 'boolean' } })
    const [action, ...rest] = positionals
    if (action !== 'verify') {
      const given =
        action === undefined ? 'audit needs an action' : `audit: "${action}" is no action`
      throw new UsageError(`${given}; there is: audit verify FILE`)
    }
    const file = onlyOne(rest, 'audit file')
    if (file === undefined) throw new UsageError('audit verify needs a file')
    const report = await verify(resolve(io.cwd, file), file)
    await write(io.stdout, values.json ? jsonLine(report) : render(report, file))
    return report.ok ? 0 : 1
  },
}

async function verify(path: string, file: string): Promise<ChainReport & { hasHead: boolean }> {
  const problem = pathProblem(path, 'file', 'an audit file')
  if (problem !== undefined) throw new UsageError(`${file}: ${problem}`)
  let head: Link | undefined
  try {
    head = readHead(path)
    return { ...(await verifyChain(texts(path, file), head)), hasHead: head !== undefined }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${file}: ${oneLine(error)}`)
  }
}

async function* texts(path: string, file: string): AsyncGenerator<string> {
  for await (const { text } of readLines(createReadStream(path), file)) yield text
}

function render(report: ChainReport & { hasHead: boolean }, file: string): string {
  const { records, problems, torn, interrupted, last, ok, hasHead } = report
  if (records === 0 && problems.length > 0) {
    return `${file}: no record is part of a hash chain; write it with audit: { chain: true }\n`
  }
  const lines = problems.map(({ line, problem }) =>
    line === 0 ? `${file}: ${problem}` : `${file}:${line}: ${problem}`,
  )
  if (torn.length > 0)
    lines.push(`${file}: cut by a crash, no record lost: line ${torn.join(', ')}`)
  if (interrupted.length > 0) {
    const calls = interrupted.length === 1 ? '1 call has' : `${interrupted.length} calls have`
    lines.push(`${file}: ${calls} no end: interrupted, or still running`)
  }
  if (!hasHead)
    lines.push(`${file}: no ${headFile(file)}, so records cut off at the end would not show`)
  lines.push(ok ? intact(records, last) : 'not ok: the file is not as it was written')
  return `${lines.join('\n')}\n`
}

function intact(records: number, last: Link): string {
  if (records === 0) return 'ok: no records yet'
  return `ok: ${records} record${records === 1 ? '' : 's'}, none changed, removed or moved; the last is ${last.seq} ${last.hash}`
}
