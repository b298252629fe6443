import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { ApprovalAnswer, ApprovalQuestion, Approver } from '../lib/types.ts'
import type { ApprovalsSection } from '../middleware/config-sections.ts'
import type { Io } from './command.ts'
import { type Paint, paintFor, plain } from './terminal.ts'

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_PARAMS = 2000

/** Asks on the terminal, one question at a time. Remembers nothing: each call is a question of its own. */
export function terminalApprover(io: Io, section: ApprovalsSection = {}): Approver {
  const paint = paintFor(io.stderr, io.env)
  return {
    async decide(question, signal) {
      const approvalId = randomUUID()
      const timeoutMs = Math.min(
        section.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        ...question.askers.map(({ request }) => request.timeoutMs ?? DEFAULT_TIMEOUT_MS),
      )
      io.stderr.write(describe(question, paint))
      const timeout = AbortSignal.timeout(timeoutMs)
      const resolution = await answer(io, AbortSignal.any([signal, timeout]))
      if (resolution !== undefined) return { resolution, approvalId }
      io.stderr.write('\n')
      return { resolution: timeout.aborted ? 'timeout' : 'cancelled', approvalId }
    },
  }
}

type Answer = Extract<ApprovalAnswer['resolution'], 'allow-once' | 'deny'>

const ANSWERS: Readonly<Record<string, Answer>> = {
  y: 'allow-once',
  yes: 'allow-once',
  n: 'deny',
  no: 'deny',
}

/** Undefined when the question was withdrawn, or there is nobody to type any more. */
function answer(io: Io, signal: AbortSignal): Promise<Answer | undefined> {
  const output = io.stderr as NodeJS.WritableStream
  const readline = createInterface({ input: io.stdin, output, prompt: 'Allow it once? [y/n] ' })
  return new Promise((resolve) => {
    const done = (answered?: Answer): void => {
      signal.removeEventListener('abort', giveUp)
      resolve(answered)
      readline.close()
    }
    const giveUp = (): void => done()
    readline.on('line', (text) => {
      const answered = ANSWERS[text.trim().toLowerCase()]
      if (answered) done(answered)
      else readline.prompt()
    })
    readline.on('close', giveUp)
    // While it reads keys, the terminal sends no signal for Ctrl-C.
    readline.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    else readline.prompt()
  })
}

/** Everything foreign is escaped; the end of long arguments is shown as well as their start. */
function describe({ ctx, askers }: ApprovalQuestion, paint: Paint): string {
  const lines = askers.flatMap(({ name, request }) => [
    `${paint('bold', plain(request.title))} ${paint('dim', `(asked by ${plain(name)})`)}`,
    ...(request.description ? [plain(request.description)] : []),
  ])
  const params = plain(ctx.argumentsJson)
  const half = MAX_PARAMS / 2
  const shown =
    params.length <= MAX_PARAMS
      ? params
      : `${params.slice(0, half)} … (${params.length} characters) … ${params.slice(-half)}`
  return `\r\u001b[K\n${lines.join('\n')}\n  ${ctx.toolName} ${shown}\n`
}
