import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { isToolwareError, type Tool, ToolDeniedError, type Toolware } from 'toolware'
import { mountExpress } from 'toolware/express'
import { chat } from '../agent/chat.ts'
import { scriptedModel, type ToolRequest } from '../agent/model.ts'
import { createPipeline, type PipelineOptions } from '../agent/pipeline.ts'
import { readChatRequest } from '../agent/request.ts'
import { fileTools } from '../agent/tools.ts'
import { sessionOf, userOf } from '../agent/users.ts'

export interface AgentOptions extends PipelineOptions {
  /** Default: four tools on the files of the workspace. */
  readonly tools?: Readonly<Record<string, Tool>>
}

export interface Agent {
  readonly server: Express
  readonly pipeline: Toolware
}

/**
 * An agent behind `POST /chat`. Its tools are wrapped once, before there is any request, as in an agent that was
 * there before toolware; the facts of each request find their way to them.
 */
export function createAgent(options: AgentOptions): Agent {
  const pipeline = createPipeline(options)
  const tools = new Map(
    Object.entries(options.tools ?? fileTools(options.workspace)).map(([name, tool]) => [
      name,
      pipeline.wrap(name, tool),
    ]),
  )

  /** Knows nothing of requests, sessions and rules. */
  async function callTool({ name, argumentsJson }: ToolRequest): Promise<string> {
    const tool = tools.get(name)
    if (tool === undefined) return `There is no tool named ${name}.`
    try {
      return asText(await tool(JSON.parse(argumentsJson)))
    } catch (error) {
      if (isToolwareError(error, 'ABORTED')) throw error
      // The denial says to the model what was denied, and why.
      if (error instanceof ToolDeniedError) return error.message
      return `Tool failed: ${error instanceof Error ? error.message : error}`
    }
  }

  const server = express()
  server.use(
    mountExpress(pipeline, {
      facts(req) {
        const user = userOf(req.get('authorization'))
        return {
          senderId: user,
          sessionId: sessionOf(user, req.get('x-chat')),
          channelId: 'http',
        }
      },
    }),
  )

  server.post('/chat', express.json({ limit: '1mb' }), async (req: Request, res: Response) => {
    const { message, script } = readChatRequest(req.body)
    const { signal } = req.tools.facts
    res.json(await chat({ model: scriptedModel(script), message, signal, callTool }))
  })

  server.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
    // The client left: there is nobody to answer, and nothing is wrong.
    if (isToolwareError(error, 'ABORTED')) return
    const { status, expose, message } = error as { [key: string]: unknown }
    if (typeof status !== 'number' || expose !== true) next(error)
    else res.status(status).type('text').send(message)
  })

  return { server, pipeline }
}

function asText(result: unknown): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
}
