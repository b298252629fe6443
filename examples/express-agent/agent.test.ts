import { describeAgent } from '../agent/agent-suite.ts'
import { createAgent } from './agent.ts'

describeAgent('the agent on Express', (options) => {
  const { server, pipeline } = createAgent(options)
  return { handle: server, pipeline }
})
