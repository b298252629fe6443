import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Tool } from '../../lib/types.ts'
import { optional, place, text } from './arguments.ts'
import type { ToolHost } from './index.ts'

const MAX_OUTPUT_BYTES = 1024 * 1024
const MAX_MESSAGE = 300

/** The policies read commands as bash does, so bash runs them where there is one. */
const SHELLS = ['/bin/bash', '/usr/bin/bash', '/bin/sh'] as const

/**
 * `shell { command, cwd? }`: runs a command and gives its output, at most 1 MiB. Fails when the exit code is not 0. An abort
 * ends the command and everything it started.
 */
export function shell(host: ToolHost): Tool {
  const program = SHELLS.find((file) => existsSync(file)) ?? 'sh'
  return async (params, { signal, execEnv }) => {
    const command = text(params, 'command')
    const cwd = place(optional(params, 'cwd') ?? '.', host)
    signal.throwIfAborted()
    const child = spawn(program, ['-c', command], {
      cwd,
      env: { ...process.env, ...execEnv },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that all of it can be ended.
      detached: true,
    })
    const stop = (): void => endGroup(child)
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await outputOf(child, command)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

function outputOf(child: ChildProcess, command: string): Promise<string> {
  const out = collect(child.stdout)
  const err = collect(child.stderr)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const output = out() + err()
      if (code === 0) resolve(output)
      else {
        const how = signal ? `was ended by ${signal}` : `exited with ${code}`
        const said = (err() || out()).trim().slice(-MAX_MESSAGE)
        const name = command.length > 60 ? `${command.slice(0, 59)}…` : command
        reject(new Error(`${name} ${how}${said && `: ${said}`}`))
      }
    })
  })
}

/** Keeps the first part of a stream and reads the rest, so that the command is not held up. */
function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = []
  let size = 0
  let dropped = 0
  stream?.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, Math.max(0, MAX_OUTPUT_BYTES - size))
    if (kept.length > 0) chunks.push(kept)
    size += kept.length
    dropped += chunk.length - kept.length
  })
  return () =>
    Buffer.concat(chunks).toString('utf8') + (dropped > 0 ? `\n(${dropped} bytes more)\n` : '')
}
