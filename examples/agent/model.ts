/** What a model asks a tool for. The arguments are JSON text, as models write it: nobody has looked at it yet. */
export interface ToolRequest {
  readonly id: string
  readonly name: string
  readonly argumentsJson: string
}

/** What a model does next: it calls tools, or it has its answer. */
type Turn = { readonly calls: readonly ToolRequest[] } | { readonly say: string }

export type Message =
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly role: 'assistant'; readonly calls: readonly ToolRequest[] }
  | { readonly role: 'tool'; readonly id: string; readonly name: string; readonly text: string }

/** Put a real model behind this, and the rest of the agent stays as it is. */
export interface Model {
  next(messages: readonly Message[], signal: AbortSignal | undefined): Promise<Turn>
}

/** One turn of a script: `{ "calls": [{ "name": "list_dir", "arguments": { "path": "." } }] }` or `{ "say": "Done." }`. */
export type ScriptedTurn =
  | { readonly calls: ReadonlyArray<{ readonly name: string; readonly arguments: unknown }> }
  | { readonly say: string }

/**
 * A model that does what a script says, one turn after the other. Arguments that are text are sent as they are,
 * so that a script can write broken JSON too. In `say`, `{last}` is what the last tool answered.
 */
export function scriptedModel(script: readonly ScriptedTurn[]): Model {
  return {
    async next(messages) {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      const scripted = script[turn]
      if (scripted === undefined) return { say: 'My script ends here.' }
      if ('say' in scripted) {
        return { say: scripted.say.replaceAll('{last}', () => lastAnswer(messages)) }
      }
      const calls = scripted.calls.map(({ name, arguments: args }, i) => ({
        id: `call-${turn + 1}-${i + 1}`,
        name,
        argumentsJson: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
      }))
      return { calls }
    },
  }
}

function lastAnswer(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === 'tool')
  return last !== undefined && 'text' in last ? last.text : ''
}
