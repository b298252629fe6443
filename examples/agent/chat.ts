import type { Message, Model, ToolRequest } from './model.ts'

export interface ChatOptions {
  readonly model: Model
  readonly message: string
  /** Runs a tool and returns what the model should read, whatever came of it. */
  readonly callTool: (request: ToolRequest) => Promise<string>
  /** Ends the chat between two turns. */
  readonly signal: AbortSignal | undefined
  /** Default 20. */
  readonly maxTurns?: number
}

export interface ChatAnswer {
  readonly reply: string
  /** What the tools answered the model, in order. */
  readonly tools: ReadonlyArray<{ readonly name: string; readonly text: string }>
}

/** The loop of an agent: the model asks for tools and reads what they answer, until it has something to say. */
export async function chat(options: ChatOptions): Promise<ChatAnswer> {
  const { model, message, callTool, signal, maxTurns = 20 } = options
  const messages: Message[] = [{ role: 'user', text: message }]
  const tools: Array<{ name: string; text: string }> = []
  for (let turn = 0; turn < maxTurns; turn++) {
    const next = await model.next(messages, signal)
    if ('say' in next) return { reply: next.say, tools }
    messages.push({ role: 'assistant', calls: next.calls })
    const answers = await Promise.all(next.calls.map(callTool))
    signal?.throwIfAborted()
    for (const [i, { id, name }] of next.calls.entries()) {
      const text = answers[i] ?? ''
      messages.push({ role: 'tool', id, name, text })
      tools.push({ name, text })
    }
  }
  return { reply: `I gave up after ${maxTurns} turns.`, tools }
}
