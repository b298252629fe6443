import type { Context } from 'koa'
import type { Caller } from '../../lib/api.ts'
import type { Scope } from '../../lib/scope.ts'
import type { MountCapabilities } from '../capabilities.ts'
import type { HttpRequest, HttpResponse } from '../web/connections.ts'
import {
  expectWebServer,
  RequestScopes,
  runAlone,
  WEB_CAPABILITIES,
  type WebMountOptions,
} from '../web/request-scopes.ts'

export type { MountCapabilities } from '../capabilities.ts'

declare module 'koa' {
  interface ExtendableContext {
    /** The pipeline for the tool calls of this request; `mountKoa` puts it here. */
    tools: Scope
  }
}

/** What the mount needs of Koa's `ctx`. */
export interface KoaContext {
  readonly req: HttpRequest
  readonly res: HttpResponse
  tools?: Scope
}

/** Options of {@link mountKoa}. */
export type KoaMountOptions<C> = WebMountOptions<C>

/** Koa middleware, for `koa.use()`. */
export interface KoaMount<C> {
  (ctx: C, next: () => Promise<unknown>): Promise<void>
  readonly capabilities: MountCapabilities
}

/**
 * Mounts a pipeline into Koa 2 or 3: `ctx.tools` is a scope with the facts of the request, which tools that were
 * wrapped elsewhere find too. Calls are aborted when the client leaves before it had its response, or with
 * `facts.signal`.
 *
 * Mount it after what identifies the user and before the routes. It reads no body and answers nothing.
 *
 * @throws {TypeError | ToolwareError} For what is no pipeline, and for a wrong option (`CONFIG`).
 * @example
 * koa.use(mountKoa(app, { facts: (ctx) => ({ sessionId: ctx.state.sessionId }) }))
 * koa.use(async (ctx) => {
 *   const outcome = await ctx.tools.execute({ toolName: 'read_file', params: { path: 'a.txt' } }, readFile)
 *   ctx.body = outcome.text
 * })
 */
export function mountKoa<C extends KoaContext = Context>(
  app: Pick<Caller, 'scope'>,
  options: KoaMountOptions<C> = {},
): KoaMount<C> {
  const scopes = new RequestScopes('mountKoa', app, options)
  async function mountKoa(ctx: C, next: () => Promise<unknown>): Promise<void> {
    expectWebServer('mountKoa', ctx.res)
    const scope = await scopes.open(ctx, ctx.req, ctx.res, ctx.tools)
    ctx.tools = scope
    await runAlone(scope, next)
  }
  return Object.assign(mountKoa, { capabilities: WEB_CAPABILITIES })
}
