import type { Request } from 'express'
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

declare global {
  namespace Express {
    interface Request {
      /** The pipeline for the tool calls of this request; `mountExpress` puts it here. */
      tools: Scope
    }
  }
}

/** What the mount needs of Express's `req`. */
export interface ExpressRequest extends HttpRequest {
  tools?: Scope
}

/** Options of {@link mountExpress}. */
export type ExpressMountOptions<Q> = WebMountOptions<Q>

/** Express middleware, for `use()` of an app or a router. */
export interface ExpressMount<Q> {
  (req: Q, res: HttpResponse, next: (error?: unknown) => void): void
  readonly capabilities: MountCapabilities
}

/**
 * Mounts a pipeline into Express 4 or 5: `req.tools` is a scope with the facts of the request, which tools that
 * were wrapped elsewhere find too. Calls are aborted when the client leaves before it had its response, or with
 * `facts.signal`.
 *
 * Mount it after what identifies the user and before the routes. It reads no body and answers nothing; when
 * `facts` fails, the error goes to `next`, in Express 4 as well.
 *
 * @throws {TypeError | ToolwareError} For what is no pipeline, and for a wrong option (`CONFIG`).
 * @example
 * server.use(mountExpress(app, { facts: (req) => ({ sessionId: req.session.id }) }))
 * server.post('/read', async (req, res) => {
 *   const outcome = await req.tools.execute({ toolName: 'read_file', params: req.body }, readFile)
 *   res.send(outcome.text)
 * })
 */
export function mountExpress<Q extends ExpressRequest = Request>(
  app: Pick<Caller, 'scope'>,
  options: ExpressMountOptions<Q> = {},
): ExpressMount<Q> {
  const scopes = new RequestScopes('mountExpress', app, options)
  function mountExpress(req: Q, res: HttpResponse, next: (error?: unknown) => void): void {
    expectWebServer('mountExpress', res)
    const goOn = (scope: Scope): void => {
      req.tools = scope
      runAlone(scope, next)
    }
    let scope: Scope | Promise<Scope>
    try {
      scope = scopes.open(req, req, res, req.tools)
    } catch (error) {
      next(error)
      return
    }
    if (scope instanceof Promise) scope.then(goOn, next)
    else goOn(scope)
  }
  return Object.assign(mountExpress, { capabilities: WEB_CAPABILITIES })
}
