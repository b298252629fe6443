import { tryAgent } from '../agent/try.ts'
import { sampleWorkspace } from '../agent/workspace.ts'
import { createAgent } from './agent.ts'

const place = sampleWorkspace()
const { server, pipeline } = createAgent(place)
await tryAgent(server, place)
await pipeline.close()
