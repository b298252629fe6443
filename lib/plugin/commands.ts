import { quoted } from '../errors.ts'
import type { Logger, MaybePromise, Requester } from '../types.ts'
import { addKnown } from './event.ts'
import { reportFault } from './fault.ts'
import { callHandler, ownSignal } from './handler.ts'
import type { Command } from './registry.ts'
import type { CommandContext, CommandReply } from './types.ts'

const TIMEOUT_MS = 60_000
const NAME = /^\/([A-Za-z][A-Za-z0-9_-]*)(?:@\S+)?(?=\s|$)/

/** Facts around a typed command, as far as the host knows them. */
export interface CommandFacts {
  readonly agentId?: string | undefined
  readonly sessionKey?: string | undefined
  readonly sessionId?: string | undefined
  readonly channelId?: string | undefined
  readonly senderId?: string | undefined
  readonly requester?: Requester | undefined
}

/** What `runCommand` takes beside the text and the facts. */
export interface RunCommandOptions {
  /** Says whether this sender may run the command. A command with `requireAuth` is refused without it. */
  readonly authorize?:
    | ((
        command: { readonly name: string; readonly pluginId: string },
        facts: CommandFacts,
      ) => MaybePromise<boolean>)
    | undefined
}

/** What became of a typed command. */
export type CommandOutcome =
  /** No plugin has it: the text is for somebody else. */
  | { readonly status: 'unknown' }
  | (Named & { readonly status: 'refused' | 'failed'; readonly reason: string })
  | (Named & { readonly status: 'done'; readonly reply: CommandReply })

interface Named {
  readonly command: string
  readonly pluginId: string
}

/** P6: runs the command that `text` names, if a plugin has it. Never rejects. */
export async function runCommand(
  commands: readonly Command[],
  text: string,
  facts: CommandFacts,
  { authorize }: RunCommandOptions,
  log: Logger,
): Promise<CommandOutcome> {
  const trimmed = text.trim()
  const [head = '', typed] = NAME.exec(trimmed) ?? []
  const args = trimmed.slice(head.length).trim() || undefined
  const found = commands.find(
    ({ definition }) => definition.name.toLowerCase() === typed?.toLowerCase(),
  )
  if (!found) return { status: 'unknown' }
  const { pluginId, definition } = found
  if (args !== undefined && definition.acceptsArgs !== true) return { status: 'unknown' }
  const named: Named = { command: definition.name, pluginId }
  const fail = (cause: 'error' | 'timeout', error: unknown, effect: string): void =>
    reportFault(log, { pluginId, what: `/${definition.name}`, cause, error, effect })

  let isAuthorizedSender = false
  try {
    isAuthorizedSender = (await authorize?.({ name: definition.name, pluginId }, facts)) === true
  } catch (error) {
    fail('error', error, 'the sender counts as not authorised')
  }
  if (definition.requireAuth !== false && !isAuthorizedSender) {
    const reason = authorize
      ? `/${definition.name} is for authorised senders`
      : `/${definition.name} needs authorisation, and the host has not said who may use it`
    return { status: 'refused', ...named, reason }
  }
  const { agentId, sessionKey, sessionId, channelId, senderId, requester } = facts
  const context: CommandContext = addKnown(
    { commandBody: text, isAuthorizedSender },
    { agentId, sessionKey, sessionId, channelId, senderId, requester, args },
  )
  const run = () => definition.handler(context)
  const settled = await callHandler<unknown>(run, { timeoutMs: TIMEOUT_MS, own: ownSignal() })
  const failed = (cause: 'error' | 'timeout', error: unknown): CommandOutcome => {
    fail(cause, error, 'the command has failed')
    return { status: 'failed', ...named, reason: `/${definition.name} failed` }
  }
  if (!settled.ok) return failed(settled.cause === 'timeout' ? 'timeout' : 'error', settled.error)
  const reply = settled.value ?? {}
  if (typeof reply === 'object' && !Array.isArray(reply)) return { status: 'done', ...named, reply }
  return failed('error', new TypeError(`answered ${quoted(reply)}, not { text } or nothing`))
}
