import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The command line as it is installed. `npm test` builds it first. */
export const MAIN: string = join(import.meta.dirname, '../../dist/bin/main.js')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts `toolware`, with a plain environment. It is killed when the test ends. */
export function start(args: readonly string[], cwd: string): ChildProcessWithoutNullStreams {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing; run npm run build`)
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** What a started program says until it ends. */
export async function end(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout, stderr }
}

/** Runs `toolware` to its end, with `input` on stdin. */
export function toolware(args: readonly string[], cwd: string, input = ''): Promise<Ended> {
  const child = start(args, cwd)
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return end(child)
}

/** Each line as JSON. */
export function parsed(stdout: string): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
