import { types } from 'node:util'
import { faultText } from '../fault-text.ts'
import type { Logger } from '../types.ts'
import { boundDetails } from './bound-details.ts'
import type {
  PersistEvent,
  TranscriptAnswer,
  TranscriptContext,
  TranscriptHandler,
  TranscriptMessage,
  WriteEvent,
} from './types.ts'

/**
 * P5: what is written of a tool's result. Each handler gets the message the one before it left; `details` are bounded
 * after the last one. A missing `toolName` is taken from the context, else `unknown`; a missing `isError` is false.
 */
export function persistToolResult(
  handlers: ReadonlyArray<TranscriptHandler<PersistEvent>>,
  message: TranscriptMessage,
  ctx: TranscriptContext,
  log: Logger,
): TranscriptMessage {
  const { toolCallId = ctx.toolCallId, toolName = ctx.toolName ?? 'unknown', isError } = message
  let current: TranscriptMessage = {
    ...message,
    toolName,
    isError: isError === true,
    ...(toolCallId !== undefined && { toolCallId }),
  }
  for (const handler of handlers) {
    const event = (copy: TranscriptMessage): PersistEvent => ({
      message: copy,
      ...(typeof toolName === 'string' && { toolName }),
      ...(typeof toolCallId === 'string' && { toolCallId }),
      ...(ctx.isSynthetic !== undefined && { isSynthetic: ctx.isSynthetic }),
    })
    current = step('tool_result_persist', handler, event, current, ctx, log).message
  }
  return bounded(current)
}

/**
 * P5: what is written of any message, or undefined when a handler blocks the write. Blocking a write never undoes
 * what the message tells of.
 */
export function writeMessage(
  handlers: ReadonlyArray<TranscriptHandler<WriteEvent>>,
  message: TranscriptMessage,
  ctx: TranscriptContext,
  log: Logger,
): TranscriptMessage | undefined {
  let current = message
  for (const handler of handlers) {
    const event = (copy: TranscriptMessage): WriteEvent => ({
      message: copy,
      ...(ctx.sessionKey !== undefined && { sessionKey: ctx.sessionKey }),
      ...(ctx.agentId !== undefined && { agentId: ctx.agentId }),
    })
    const next = step('before_message_write', handler, event, current, ctx, log)
    if (next.block) return undefined
    current = next.message
  }
  return bounded(current)
}

function bounded(message: TranscriptMessage): TranscriptMessage {
  if (message.details === undefined) return message
  const details = boundDetails(message.details)
  return details === message.details ? message : { ...message, details }
}

interface Step {
  readonly message: TranscriptMessage
  readonly block: boolean
}

/**
 * One handler, with a copy of its own: a handler that changes it and returns nothing has changed what is written, and
 * never the host's message. A handler that throws, or answers with a promise, has changed nothing.
 */
function step<E>(
  name: string,
  handler: TranscriptHandler<E>,
  event: (copy: TranscriptMessage) => E,
  message: TranscriptMessage,
  ctx: TranscriptContext,
  log: Logger,
): Step {
  const { pluginId } = handler
  const warn = (problem: string): Step => {
    log.warn({ pluginId }, `${name} of plugin ${pluginId} ${problem}; the message stays as it was`)
    return { message, block: false }
  }
  try {
    const copy = copyOf(message)
    const answer = handler.run(event(copy), { ...ctx })
    if (isThenable(answer)) {
      // Nobody waits for it, so nobody would hear of its rejection either.
      answer.then(undefined, () => undefined)
      return warn('returned a promise, and this event is synchronous')
    }
    if (answer === undefined || answer === null) return { message: copy, block: false }
    if (typeof answer !== 'object') return warn(`answered ${typeof answer} instead of an object`)
    const { block } = answer as TranscriptAnswer
    if (name === 'before_message_write' && block !== undefined && block !== null) {
      // Before anything else is looked at: a block stands, whatever comes with it.
      if (block === true) return { message: copy, block }
      if (block !== false) return warn('answered with a block that is neither true nor false')
    }
    const { message: replaced } = answer as TranscriptAnswer
    if (!replaced) return { message: copy, block: false }
    if (typeof replaced !== 'object' || Array.isArray(replaced)) {
      return warn('answered with a message that is no object')
    }
    // What is read later is read now, while a fault is the handler's.
    return { message: { ...replaced }, block: false }
  } catch (error) {
    return warn(`failed: ${faultText(error)}`)
  }
}

/** A copy that shares nothing with the host's message but what cannot be copied, such as a function for its UI. */
function copyOf(message: TranscriptMessage): TranscriptMessage {
  try {
    return structuredClone(message)
  } catch {
    return copyByHand(message)
  }
}

/** Any depth will do, and what cannot be read is left out: no message is kept from the handlers by what is in it. */
function copyByHand(message: TranscriptMessage): TranscriptMessage {
  const seen = new Map<object, object>()
  const open: Array<readonly [from: object, to: object]> = []
  const partOf = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (types.isDate(value)) return new Date(value)
    const known = seen.get(value)
    if (known !== undefined) return known
    const copy = Array.isArray(value) ? [] : {}
    seen.set(value, copy)
    open.push([value, copy])
    return copy
  }
  const copy = partOf(message) as TranscriptMessage
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [from, to] = next
    for (const key of readable(() => Object.keys(from)) ?? []) {
      const value = readable(() => partOf(Reflect.get(from, key)))
      Object.defineProperty(to, key, { ...OPEN, value })
    }
  }
  return copy
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const OPEN = { configurable: true, enumerable: true, writable: true }

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
