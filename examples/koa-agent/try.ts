import { tryAgent } from '../agent/try.ts'
import { sampleWorkspace } from '../agent/workspace.ts'
import { createAgent } from './agent.ts'

const place = sampleWorkspace()
const { koa, pipeline } = createAgent(place)
await tryAgent(koa.callback(), place)
await pipeline.close()
