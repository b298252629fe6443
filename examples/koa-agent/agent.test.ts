import { describeAgent } from '../agent/agent-suite.ts'
import { createAgent } from './agent.ts'

describeAgent('the agent on Koa', (options) => {
  const { koa, pipeline } = createAgent(options)
  return { handle: koa.callback(), pipeline }
})
