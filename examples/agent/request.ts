import type { ScriptedTurn } from './model.ts'

/** The body of `POST /chat`. A real model needs no script. */
export interface ChatRequest {
  readonly message: string
  readonly script: readonly ScriptedTurn[]
}

/** Checks a parsed body. Throws an error with the status 400 that says what is wrong. */
export function readChatRequest(body: unknown): ChatRequest {
  if (typeof body !== 'object' || body === null) throw bad('The body must be a JSON object.')
  const { message, script } = body as Partial<Record<string, unknown>>
  if (typeof message !== 'string') throw bad('"message" must be text.')
  if (!Array.isArray(script)) throw bad('"script" must be a list of turns.')
  for (const [i, turn] of script.entries()) {
    if (!isTurn(turn)) throw bad(`"script[${i}]" must be { "say": text } or { "calls": [...] }.`)
  }
  return { message, script }
}

function isTurn(turn: unknown): turn is ScriptedTurn {
  if (typeof turn !== 'object' || turn === null) return false
  const { say, calls } = turn as Partial<Record<string, unknown>>
  if (calls === undefined) return typeof say === 'string'
  return Array.isArray(calls) && calls.every((call) => typeof call?.name === 'string')
}

export function bad(message: string): Error {
  return Object.assign(new Error(message), { status: 400, expose: true })
}
