import { listen } from '../agent/listen.ts'
import { createAgent } from './agent.ts'
import { Services } from './services.ts'

const { koa, queue } = createAgent({ services: new Services(), deciders: ['alice'] })
queue.on('pending', ({ id, prompt, call }) => {
  console.log(`${call.senderId}: ${prompt.title} ${prompt.decisions.join(' | ')} for ${id}`)
})
queue.on('resolved', ({ id, status, resolvedBy }) => console.log(`${id}: ${status}, ${resolvedBy}`))
const { url } = await listen(koa.callback(), Number(process.env['PORT'] ?? 3000))
console.log(`calls at ${url}/calls, questions at ${url}/approvals`)
