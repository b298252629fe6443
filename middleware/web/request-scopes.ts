import { inspect } from 'node:util'
import type { Caller } from '../../lib/api.ts'
import { configError } from '../../lib/errors.ts'
import { snapshotFacts } from '../../lib/facts.ts'
import { type OptionNames, vetNames } from '../../lib/known-options.ts'
import { type Scope, within } from '../../lib/scope.ts'
import type { Facts, MaybePromise } from '../../lib/types.ts'
import type { MountCapabilities } from '../capabilities.ts'
import { Connections, type HttpRequest, type HttpResponse } from './connections.ts'

/** Options of a web mount. */
export interface WebMountOptions<Request> {
  /**
   * What is known of the calls of a request: an object, or a function of the request. Whatever it tells apart
   * (sessions, senders) should come from what the server has verified. When the function throws, rejects or
   * answers with no object, the request goes to the framework's error handling and no further.
   */
  readonly facts?: Facts | ((request: Request) => MaybePromise<Facts>) | undefined
}

const NAMES: OptionNames<WebMountOptions<unknown>> = { facts: true }

/** A web server executes the tools itself, so nothing is lost on the way. */
export const WEB_CAPABILITIES: MountCapabilities = Object.freeze({
  ask: true,
  rewrite: true,
  result: true,
  abort: true,
  stream: true,
})

/**
 * @throws {TypeError} When the mount's middleware was called by something else than a web server, such as a
 * pipeline that it was given to.
 */
export function expectWebServer(mount: string, res: HttpResponse | undefined): void {
  if (typeof res?.once === 'function') return
  throw new TypeError(
    `${mount}(app) got no response object: give it to use() of the web server, not to use() of a pipeline`,
  )
}

/** Makes the scope of each request, of one mount. */
export class RequestScopes<Request> {
  readonly #mount: string
  readonly #app: Pick<Caller, 'scope'>
  readonly #facts: WebMountOptions<Request>['facts']
  readonly #connections = new Connections()

  /** @throws {TypeError | ToolwareError} For what is no pipeline, and for an unknown option (`CONFIG`). */
  constructor(mount: string, app: Pick<Caller, 'scope'>, options: WebMountOptions<Request>) {
    if (typeof app?.scope !== 'function') {
      throw new TypeError(
        `${mount}(app): app must be a Toolware pipeline; got ${shown(app)}. Give its return value to the web server's use()`,
      )
    }
    vetNames(options, NAMES, mount)
    const { facts } = options
    if (facts !== undefined && typeof facts !== 'function') vetFacts(mount, facts)
    this.#mount = mount
    this.#app = app
    this.#facts = facts
  }

  /**
   * The scope of a request; a promise only where `facts` gave one. Facts of a mount further out on the same
   * request stay, where this one has none.
   *
   * @throws Whatever `facts` threw, as an object.
   */
  open(
    request: Request,
    req: HttpRequest,
    res: HttpResponse,
    outer: Scope | undefined,
  ): Scope | Promise<Scope> {
    // Before `facts`, so that a client that leaves meanwhile is noticed.
    const exchange = this.#connections.watch(req, res)
    const scope = (own: Facts): Scope => {
      const facts = snapshotFacts(outer?.facts, vetFacts(this.#mount, own))
      if (facts.signal !== undefined) exchange.follow(facts.signal)
      return this.#app.scope({ ...facts, signal: exchange.signal })
    }
    const facts = this.#facts ?? {}
    if (typeof facts !== 'function') return scope(facts)
    const fail = (thrown: unknown): never => {
      throw asObject(this.#mount, thrown)
    }
    try {
      const own = facts(request)
      return isPromise(own) ? Promise.resolve(own).then(scope).catch(fail) : scope(own)
    } catch (thrown) {
      return fail(thrown)
    }
  }
}

/**
 * Runs the rest of a request with the scope around it, and nothing else: whatever was around the code that took
 * the request from its socket is not this request's business.
 */
export function runAlone<T>(scope: Scope, work: () => T): T {
  return within({ facts: scope.facts, call: undefined }, work)
}

function vetFacts(mount: string, facts: Facts): Facts {
  if (typeof facts === 'object' && facts !== null && !Array.isArray(facts)) return facts
  throw configError('facts', `${mount} needs an object of facts; got ${shown(facts)}`)
}

/** What frameworks take for an error: to Express `undefined` and `'route'` mean to go on, Koa would never answer. */
function asObject(mount: string, thrown: unknown): object {
  if (typeof thrown === 'object' && thrown !== null) return thrown
  return new TypeError(`facts of ${mount} threw ${shown(thrown)}, which is no error`, {
    cause: thrown,
  })
}

function shown(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 100 })
}

function isPromise<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === 'function'
}
