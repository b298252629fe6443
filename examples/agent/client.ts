import type { ChatAnswer } from './chat.ts'
import type { ScriptedTurn } from './model.ts'

export interface ChatCall {
  readonly url: string
  /** `alice-token` or `bob-token`. Default `alice-token`. */
  readonly token?: string | undefined
  /** Names the conversation. */
  readonly chat?: string | undefined
  readonly script: readonly ScriptedTurn[]
  readonly signal?: AbortSignal | undefined
}

/** Speaks to an agent over HTTP. Rejects when it answers with another status than 200. */
export async function ask(call: ChatCall): Promise<ChatAnswer> {
  const { url, token = 'alice-token', chat = 'default', script, signal } = call
  const response = await fetch(`${url}/chat`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'x-chat': chat,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ message: 'What is there to do?', script }),
    ...(signal && { signal }),
  })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as ChatAnswer
}
