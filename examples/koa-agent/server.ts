import { listen } from '../agent/listen.ts'
import { workspaceFrom } from '../agent/workspace.ts'
import { createAgent } from './agent.ts'

const place = workspaceFrom(process.argv[2])
const { koa } = createAgent(place)
const { url } = await listen(koa.callback(), Number(process.env['PORT'] ?? 3000))
console.log(`chat at ${url}/chat, files in ${place.workspace}, audit in ${place.auditFile}`)
