import Koa from 'koa'
import { isToolwareError, type Tool, type Toolware, ToolwareError } from 'toolware'
import { mountKoa } from 'toolware/koa'
import { chat } from '../agent/chat.ts'
import { scriptedModel } from '../agent/model.ts'
import { createPipeline, type PipelineOptions } from '../agent/pipeline.ts'
import { readChatRequest } from '../agent/request.ts'
import { fileTools } from '../agent/tools.ts'
import { sessionOf, userOf } from '../agent/users.ts'
import { readJson } from './read-json.ts'

export interface AgentOptions extends PipelineOptions {
  /** Default: four tools on the files of the workspace. */
  readonly tools?: Readonly<Record<string, Tool>>
}

export interface Agent {
  readonly koa: Koa
  readonly pipeline: Toolware
}

/** An agent behind `POST /chat`, with every tool call going through `ctx.tools`. */
export function createAgent(options: AgentOptions): Agent {
  const pipeline = createPipeline(options)
  const tools = new Map(Object.entries(options.tools ?? fileTools(options.workspace)))

  const koa = new Koa()
  koa.on('error', (error: Error & { readonly expose?: boolean }) => {
    // A client that left, or was told what it did wrong, is no fault of ours.
    if (isToolwareError(error, 'ABORTED') || error.expose === true) return
    console.error(error)
  })

  koa.use(
    mountKoa(pipeline, {
      facts(ctx) {
        const user = userOf(ctx.get('authorization'))
        return {
          senderId: user,
          sessionId: sessionOf(user, ctx.get('x-chat') || undefined),
          channelId: 'http',
        }
      },
    }),
  )

  koa.use(async (ctx) => {
    if (ctx.path !== '/chat') ctx.throw(404, 'There is POST /chat.')
    if (ctx.method !== 'POST') ctx.throw(405, 'There is POST /chat.')
    const { message, script } = readChatRequest(await readJson(ctx.req))
    ctx.body = await chat({
      model: scriptedModel(script),
      message,
      signal: ctx.tools.facts.signal,
      async callTool({ id, name, argumentsJson }) {
        const call = { toolName: name, argumentsJson, toolCallId: id }
        const outcome = await ctx.tools.execute(call, tools.get(name) ?? unknownTool(name))
        // Done, denied or failed: the model reads what came of it, and the chat goes on.
        return outcome.text
      },
    })
  })

  return { koa, pipeline }
}

function unknownTool(name: string): Tool {
  return () => {
    throw new ToolwareError('UNKNOWN_TOOL', `There is no tool named ${name}.`)
  }
}
