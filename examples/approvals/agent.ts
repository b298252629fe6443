import Koa, { type Context } from 'koa'
import { isToolwareError, type Outcome, type Tool, type Toolware, ToolwareError } from 'toolware'
import { ApprovalQueue, type ApprovalQueueOptions, type ApprovalRecord } from 'toolware/approval'
import { mountKoa } from 'toolware/koa'
import { bad } from '../agent/request.ts'
import { sessionOf, userOf } from '../agent/users.ts'
import { readJson } from '../koa-agent/read-json.ts'
import { createPipeline } from './pipeline.ts'
import type { Services } from './services.ts'

export interface AgentOptions {
  readonly services: Services
  /** Who may decide, and take decisions back. */
  readonly deciders: readonly string[]
  /** For the queue, which defers. */
  readonly approvals?: Omit<ApprovalQueueOptions, 'mode'>
}

export interface Agent {
  readonly koa: Koa
  readonly pipeline: Toolware
  readonly queue: ApprovalQueue
}

type Body = Readonly<Record<string, unknown>>
type Route = (ctx: Context, id: string) => Promise<void>

/** The status that tells a person why an answer does not count. */
const STATUS = {
  APPROVAL_NOT_FOUND: 404,
  APPROVAL_RESOLVED: 409,
  APPROVAL_CANCELLED: 410,
  APPROVAL_EXPIRED: 410,
  BAD_ARGUMENTS: 400,
} as const

/**
 * Agents call tools and carry on with them later; people decide in between. No request waits for a person.
 *
 *     POST   /calls            { name, arguments }              an agent calls a tool: 200, or 202 and an approvalId
 *     POST   /calls/ID/resume                                   the same agent carries on
 *     GET    /approvals                                         what waits for a person
 *     POST   /approvals/ID     { decision, params?, reason? }   a person decides
 *     GET    /grants                                            what was allowed for always
 *     DELETE /grants/ID                                         takes it back
 */
export function createAgent(options: AgentOptions): Agent {
  const { services, deciders, approvals } = options
  const queue = new ApprovalQueue({ ...approvals, mode: 'defer' })
  const pipeline = createPipeline(queue)
  const tools = services.tools()
  const toolOf = (name: string): Tool => tools.get(name) ?? unknownTool(name)

  const call: Route = async (ctx) => {
    const { name, arguments: params = {} } = await bodyOf(ctx)
    if (typeof name !== 'string') throw bad('"name" must be the name of a tool.')
    if (!isObject(params)) throw bad('"arguments" must be an object.')
    const outcome = await ctx.tools.execute({ toolName: name, params }, toolOf(name))
    answer(ctx, outcome)
  }

  const resume: Route = async (ctx, id) => {
    const record = await queue.get(id)
    // Whose call it is not learns nothing about it.
    if (record?.call.senderId !== userIn(ctx)) throw refusal(404, 'You have no such call.')
    answer(ctx, await pipeline.resume(id, toolOf(record.call.toolName)))
  }

  const list: Route = async (ctx) => {
    ctx.body = (await queue.list()).map(shown)
  }

  const decide: Route = async (ctx, id) => {
    const { decision, params, reason } = await bodyOf(ctx)
    if (params !== undefined && !isObject(params)) throw bad('"params" must be an object.')
    const { record, repeated } = await queue.resolve(id, String(decision), {
      by: userIn(ctx),
      params,
      reason: typeof reason === 'string' ? reason : undefined,
    })
    ctx.body = { status: record.status, by: record.resolvedBy, repeated }
  }

  const listGrants: Route = async (ctx) => {
    const grants = await queue.grants.list()
    ctx.body = grants.map(({ id, covers, agentId, grantedBy }) => {
      return { id, covers, agentId, grantedBy }
    })
  }

  const revoke: Route = async (ctx, id) => {
    if (!(await queue.grants.revoke(id))) throw refusal(404, 'There is no such grant.')
    ctx.status = 204
  }

  /** `queue.resolve` believes whoever calls it, so this is where people are told apart. */
  const forDeciders = (route: Route): Route => {
    return async (ctx, id) => {
      if (deciders.includes(userIn(ctx))) return route(ctx, id)
      throw refusal(403, `Only ${deciders.join(', ')} may do that.`)
    }
  }

  const routes: ReadonlyArray<readonly [method: string, path: RegExp, route: Route]> = [
    ['POST', /^\/calls$/, call],
    ['POST', /^\/calls\/([^/]+)\/resume$/, resume],
    ['GET', /^\/approvals$/, forDeciders(list)],
    ['POST', /^\/approvals\/([^/]+)$/, forDeciders(decide)],
    ['GET', /^\/grants$/, forDeciders(listGrants)],
    ['DELETE', /^\/grants\/([^/]+)$/, forDeciders(revoke)],
  ]

  const koa = new Koa()
  koa.use(
    mountKoa(pipeline, {
      facts(ctx) {
        const user = userOf(ctx.get('authorization'))
        const sessionId = sessionOf(user, ctx.get('x-chat') || undefined)
        // A grant is for one agent in any session: each user's agent is one of its own.
        return { senderId: user, agentId: `agent of ${user}`, sessionId, channelId: 'http' }
      },
    }),
  )
  koa.use(async (ctx) => {
    for (const [method, path, route] of routes) {
      const [, id = ''] = path.exec(ctx.path) ?? []
      if (ctx.method === method && path.test(ctx.path)) return route(ctx, id).catch(rethrow)
    }
    throw refusal(404, `There is no ${ctx.method} ${ctx.path}.`)
  })
  return { koa, pipeline, queue }
}

/** Who makes this request, as `facts` has proved. */
function userIn(ctx: Context): string {
  return ctx.tools.facts.senderId ?? ''
}

/** For the agent: what came of the call, with a text that its model can read whatever it was. */
function answer(ctx: Context, outcome: Outcome): void {
  const { status, text } = outcome
  ctx.status = status === 'pending' ? 202 : 200
  ctx.body = {
    status,
    text,
    ...('code' in outcome && { code: outcome.code }),
    ...('approvalId' in outcome && { approvalId: outcome.approvalId }),
  }
}

/** For the person: every text in `prompt` is safe to print, and bounded. */
function shown({ id, prompt, call, expiresAt }: ApprovalRecord): object {
  const { title, severity, toolName, params, decisions, editable, remembered } = prompt
  const who = call.senderId
  return { id, who, title, severity, toolName, params, decisions, editable, remembered, expiresAt }
}

async function bodyOf(ctx: Context): Promise<Body> {
  const body = await readJson(ctx.req)
  if (!isObject(body)) throw bad('The body must be a JSON object.')
  return body
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An answer that comes too late, twice, or to nothing is the person's to read, not a fault of the server. */
function rethrow(error: unknown): never {
  if (!isToolwareError(error)) throw error
  const status = STATUS[error.code as keyof typeof STATUS] ?? 500
  throw refusal(status, `${error.code}: ${error.message}`)
}

function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status, expose: status < 500 })
}

function unknownTool(name: string): Tool {
  return () => {
    throw new ToolwareError('UNKNOWN_TOOL', `There is no tool named ${name}.`)
  }
}
