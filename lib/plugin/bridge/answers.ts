import { excerpt, fold, isFields, isTexts, pick, plainText } from './fields.ts'
import { type Dialect, PROTOCOL_VERSION } from './protocol.ts'

/** A plugin's opinion: `{ allow: boolean, reason?: string }` and nothing else. */
export type HookAnswer =
  | { readonly allow: boolean; readonly reason: string | undefined }
  | { readonly problem: string }

/**
 * Reads the result of `hook_before`. An allow with further fields is refused: whoever sends new arguments
 * along would believe that they count.
 */
export function readHookAnswer(dialect: Dialect, value: unknown): HookAnswer {
  if (!isFields(value)) return { problem: `answered ${excerpt(value)}, not an object` }
  const allow = pick(dialect, value, 'allow')
  if (typeof allow !== 'boolean') {
    return { problem: `answered ${excerpt(value)}; \`allow\` must be true or false` }
  }
  const reason = pick(dialect, value, 'reason') ?? undefined
  if (!allow) return { allow, reason: typeof reason === 'string' ? plainText(reason) : undefined }
  const extra = Object.keys(value).find((key) => !['allow', 'reason'].includes(fold(dialect, key)))
  if (extra !== undefined) {
    return { problem: `allowed with a field ${excerpt(extra)} that an answer cannot have` }
  }
  return { allow, reason: undefined }
}

/** What a plugin says when it has started. */
export interface InitAnswer {
  /** Undefined when it does not say: then what its manifest declares. */
  readonly eventSubscriptions: readonly string[] | undefined
  readonly capabilities: readonly string[]
  readonly diagnostics: readonly string[]
}

/** Reads the result of `init`. */
export function readInitAnswer(
  dialect: Dialect,
  value: unknown,
): InitAnswer | { readonly problem: string } {
  if (!isFields(value)) return { problem: `answered init with ${excerpt(value)}, not an object` }
  const version = pick(dialect, value, 'protocolVersion')
  if (version !== undefined && version !== PROTOCOL_VERSION && dialect === 'toolware') {
    return { problem: `speaks protocol version ${excerpt(version)}, not ${PROTOCOL_VERSION}` }
  }
  const eventSubscriptions = pick(dialect, value, 'eventSubscriptions') ?? undefined
  const capabilities = pick(dialect, value, 'capabilities') ?? []
  const listed = eventSubscriptions === undefined || isTexts(eventSubscriptions)
  if (!listed || !isTexts(capabilities)) {
    return { problem: 'answered init with eventSubscriptions or capabilities that are no lists' }
  }
  const diagnostics = readDiagnostics(dialect, pick(dialect, value, 'diagnostics'))
  if (pick(dialect, value, 'compatible') === false) {
    return { problem: `is not compatible: ${diagnostics.join('; ') || 'it does not say why'}` }
  }
  return { eventSubscriptions, capabilities, diagnostics }
}

function readDiagnostics(dialect: Dialect, value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, 20).map((item: unknown) => {
    if (!isFields(item)) return plainText(excerpt(item))
    const [code, message] = [pick(dialect, item, 'code'), pick(dialect, item, 'message')]
    return plainText([code, message].filter((part) => typeof part === 'string').join(': '))
  })
}
