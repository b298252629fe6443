// A recorded agent session against a pipeline, call by call. `npm run demo`.
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rewrite, Toolware } from 'toolware'
import { loadConfig } from 'toolware/config'
import { createHooks } from 'toolware/hooks'
import { printCall, printEnd, printHead } from './print.js'
import { makeTools } from './tools.js'
import { Trace } from './trace.js'

const here = fileURLToPath(new URL('.', import.meta.url))

// A workspace of its own, so that the demo can be run again.
const folder = mkdtempSync(join(tmpdir(), 'toolware-demo-'))
const workspace = join(folder, 'workspace')
cpSync(join(here, 'workspace'), workspace, { recursive: true })
writeFileSync(join(workspace, '.env'), 'API_KEY=not-for-models\n')
cpSync(join(here, 'toolware.json5'), join(folder, 'toolware.json5'))

// The built-in hooks come from the configuration, the two after them are the demo's own.
const config = await loadConfig(join(folder, 'toolware.json5'))
const signNotes = {
  name: 'sign-notes',
  before: ({ toolName, params }) =>
    toolName === 'write_file'
      ? rewrite({ ...params, content: `${params.content}\n-- the agent\n` })
      : undefined,
}
const maskMails = async (ctx, next, changed) => {
  await next()
  if (ctx.outcome.status !== 'completed' || typeof ctx.result !== 'string') return
  const masked = ctx.result.replace(/[\w.]+@[\w.]+/g, '***')
  if (masked === ctx.result) return
  ctx.result = masked
  changed()
}

const trace = new Trace()
const hooks = [...createHooks(config), signNotes]
const app = new Toolware()
for (const [i, hook] of hooks.entries()) app.use(trace.hook(hook, i + 1))
app.use(trace.middleware(maskMails, hooks.length + 1), { name: 'mask-mails' })

const tools = makeTools(workspace)
const session = readFileSync(join(here, 'session.jsonl'), 'utf8').trim().split('\n')
const counts = new Map()
let denied
printHead([...hooks.map(({ name }) => name), 'mask-mails'])
for (const [i, line] of session.entries()) {
  const call = JSON.parse(line)
  trace.begin()
  const facts = { toolCallId: `call-${i + 1}`, sessionId: 'demo', senderId: 'you' }
  const outcome = await app.execute({ ...call, ...facts }, (params, ctx) => {
    trace.params = params
    return tools[call.toolName](params, ctx)
  })
  printCall(i + 1, call, trace, outcome, workspace)
  counts.set(outcome.status, (counts.get(outcome.status) ?? 0) + 1)
  if (outcome.status === 'blocked') denied ??= { number: i + 1, text: outcome.text }
}
await app.close()

const auditFile = config.audit.file
const records = readFileSync(auditFile, 'utf8').trim().split('\n').length
printEnd(counts, denied, auditFile, records)
