import { dirname } from 'node:path'
import { faultText } from '../../fault-text.ts'
import type { Answer, AnyHook, HookContext, Logger, Outcome, PlainHook } from '../../types.ts'
import { isVerdict } from '../../verdict.ts'
import type { PluginManifest } from '../manifest.ts'
import { phaseHook } from '../phase-hook.ts'
import type { Registrations } from '../registry.ts'
import { startPlugin } from '../start.ts'
import { BAD_ANSWER, type BeforeReply, HANDLER_FAILED, type InitParams } from './protocol.ts'
import type { ReceivedAfter, ReceivedCall } from './received.ts'

/** A plugin as its child process runs it: the same code as in process, with answers that fit the wire. */
export interface ChildPlugin {
  readonly eventSubscriptions: readonly string[]
  readonly capabilities: readonly string[]
  before(call: ReceivedCall): Promise<BeforeReply>
  after(call: ReceivedAfter): Promise<void>
}

const BEFORE_PHASES = ['check', 'before', 'beforeExecute']
const AFTER_PHASES = ['after', 'afterExecute']

/** Loads a plugin's entry and lets it register. @throws {Error} with all that is wrong with it. */
export async function loadChildPlugin(init: InitParams, log: Logger): Promise<ChildPlugin> {
  const manifest: PluginManifest = {
    id: init.pluginId,
    runtime: 'inline',
    eventSubscriptions: init.eventSubscriptions,
    capabilities: init.capabilities,
    contracts: { trustedToolPolicies: [] },
    file: init.manifestPath,
    folder: dirname(init.entryPath),
  }
  const { instance, diagnostics } = await startPlugin(
    { kind: 'inline', manifest, entryFile: init.entryPath },
    {
      entry: { config: init.config },
      log,
      once: true,
      startBridged: () => Promise.reject(new Error('a child process has no plugins of its own')),
    },
  )
  if (instance === undefined) {
    const errors = (diagnostics ?? []).filter(({ level }) => level === 'error')
    throw new Error(errors.map(({ code, message }) => `${code}: ${message}`).join('; '))
  }
  const { registrations } = instance
  assertCarried(registrations, log)
  const phases = phaseHook(init.pluginId, registrations)
  const hooks: AnyHook[] = phases ? [phases, ...registrations.hooks] : [...registrations.hooks]
  return {
    eventSubscriptions: subscriptionsOf(registrations),
    capabilities: hooks.length > 0 ? ['hooks'] : [],
    before: (call) => judge(hooks, new ChildContext(call, log)),
    after: (call) => tell(hooks, call, log),
  }
}

/** A guard that would never be asked must not pass for one. */
function assertCarried({ handlers, policies, commands }: Registrations, log: Logger): void {
  const foreign = handlers.find(({ event }) => !event.startsWith('tool:'))
  if (foreign !== undefined) {
    throw new Error(
      `unsupported_registration: '${foreign.event}' does not reach a plugin in a process of its own; use tool:before and tool:after, or runtime 'inline'`,
    )
  }
  const [policy] = policies
  if (policy !== undefined) {
    throw new Error(
      `unsupported_registration: trusted policy '${policy.policy.id}' needs runtime 'inline'`,
    )
  }
  for (const { definition } of commands) {
    log.warn({}, `the command /${definition.name} is not available to a plugin in its own process`)
  }
}

function subscriptionsOf({ handlers, hooks }: Registrations): string[] {
  const has = (phases: string[]) =>
    hooks.some((hook) => phases.some((phase) => typeof Reflect.get(hook, phase) === 'function'))
  const events = new Set<string>(handlers.map(({ event }) => event))
  if (has(BEFORE_PHASES)) events.add('tool:before')
  if (has(AFTER_PHASES)) events.add('tool:after')
  return [...events]
}

async function judge(hooks: readonly AnyHook[], ctx: HookContext): Promise<BeforeReply> {
  for (const hook of hooks) {
    try {
      for (const ask of opinionsOf(hook, ctx)) {
        const reply = replyTo(await ask())
        if (reply !== undefined) return reply
      }
    } catch (error) {
      const message = `${hook.name}: ${faultText(error)}`
      return { error: { code: HANDLER_FAILED, message } }
    }
  }
  return { result: { allow: true } }
}

function opinionsOf(hook: AnyHook, ctx: HookContext): Array<() => unknown> {
  if (isPlain(hook)) {
    if (hook.beforeExecute === undefined || (ctx.recheck && hook.once)) return []
    return [() => hook.beforeExecute?.(ctx.toolName, ctx.argumentsJson, ctx.signal)]
  }
  const { check, before } = hook
  const phases: Array<() => unknown> = []
  if (check) phases.push(() => check.call(hook, ctx))
  if (before && !ctx.recheck) phases.push(() => before.call(hook, ctx))
  return phases
}

/** What an opinion is on the wire; undefined when there is none. */
function replyTo(answer: Answer | unknown): BeforeReply | undefined {
  if (answer === true || answer === undefined || answer === null) return undefined
  if (answer === false) return { result: { allow: false } }
  if (isVerdict(answer) && answer.kind === 'deny') {
    const { code, reason } = answer
    if (code === 'HOOK_BAD_ANSWER') return badAnswer(reason)
    if (code === 'HOOK_FAILED' || code === 'HOOK_TIMEOUT') {
      return { error: { code: HANDLER_FAILED, message: reason ?? 'a handler failed' } }
    }
    return { result: reason === undefined ? { allow: false } : { allow: false, reason } }
  }
  if (isVerdict(answer)) return badAnswer(`a bridged plugin can deny, not ${answer.kind}`)
  return badAnswer('a hook answered with something that is no verdict')
}

function badAnswer(message = 'a handler gave no valid answer'): BeforeReply {
  return { error: { code: BAD_ANSWER, message } }
}

async function tell(hooks: readonly AnyHook[], call: ReceivedAfter, log: Logger): Promise<void> {
  const ctx = new ChildContext(call, log)
  const { result, durationMs, failed } = call
  const facts = { executed: true, text: result, durationMs }
  const outcome: Outcome = failed
    ? { ...facts, status: 'failed', failed, code: 'TOOL_FAILED', by: 'tool', error: result }
    : { ...facts, status: 'completed', failed, result }
  for (const hook of hooks) {
    try {
      if (!isPlain(hook)) await hook.after?.(ctx, outcome)
      else {
        const { toolName, argumentsJson, signal } = ctx
        await hook.afterExecute?.(toolName, argumentsJson, result, durationMs, failed, signal)
      }
    } catch (error) {
      log.error({}, `${hook.name}: ${faultText(error)}`)
    }
  }
}

function isPlain(hook: AnyHook): hook is PlainHook {
  return 'beforeExecute' in hook || 'afterExecute' in hook
}

/** A call as hooks in the child see it. A class: a getter in a literal would cost a hidden class each time. */
class ChildContext implements HookContext {
  readonly id: string
  readonly toolName: string
  readonly argumentsJson: string
  readonly sessionId: string | undefined
  readonly channelId: string | undefined
  readonly senderId: string | undefined
  readonly correlationId: string | undefined
  readonly toolCallId: string | undefined
  readonly recheck: boolean
  readonly resumed = false
  readonly judging = false
  readonly clock: () => number = Date.now
  readonly execEnv = undefined
  readonly log: Logger
  #params: Readonly<Record<string, unknown>> | undefined
  #state: Map<unknown, unknown> | undefined
  #signal: AbortSignal | undefined

  constructor(call: ReceivedCall, log: Logger) {
    this.id = call.toolCallId ?? ''
    this.toolName = call.toolName
    this.argumentsJson = call.arguments
    this.sessionId = call.sessionId
    this.channelId = call.channelId
    this.senderId = call.senderId
    this.correlationId = call.correlationId
    this.toolCallId = call.toolCallId
    this.recheck = call.recheck
    this.log = log
  }

  get params(): Readonly<Record<string, unknown>> {
    this.#params ??= Object.freeze(JSON.parse(this.argumentsJson) as Record<string, unknown>)
    return this.#params
  }

  get state(): Map<unknown, unknown> {
    this.#state ??= new Map()
    return this.#state
  }

  /** Never fires: the host gives a call up by itself, and nothing crosses the wire then. */
  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal
    return this.#signal
  }
}
