import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'

/** What to run. No shell is involved. */
export interface ChildCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

// After its exit a child's last bytes may still be in the pipe; a process it left behind may hold it open.
const LAST_BYTES_MS = 500
const TAIL_BYTES = 8 * 1024
const TAIL_LINES = 50

/**
 * A plugin's process, as the leader of a group of its own. When the leader is gone, so is the group.
 * It does not keep this process alive except while {@link Child.hold} says so.
 */
export class Child {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Says how it ended, once all it wrote was read. Never rejects. */
  readonly ended: Promise<string>
  readonly #process: ChildProcess
  #tail: Buffer = Buffer.alloc(0)
  #exited = false
  #holds = 1

  constructor(command: ChildCommand, onStderr: (chunk: Buffer) => void) {
    const child = spawn(command.file, command.args, {
      cwd: command.folder,
      env: command.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    // Without a free file descriptor there is a child without pipes, whatever its type says.
    if (!child.stdin || !child.stdout || !child.stderr) {
      child.on('error', () => {})
      throw new Error('there are no free file descriptors for its pipes')
    }
    this.#process = child
    this.stdin = child.stdin
    this.stdout = child.stdout
    child.stderr.on('data', (chunk: Buffer) => {
      const keep = chunk.length >= TAIL_BYTES ? chunk : Buffer.concat([this.#tail, chunk])
      this.#tail = Buffer.from(keep.subarray(-TAIL_BYTES))
      onStderr(chunk)
    })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
    this.ended = new Promise((resolve) => {
      let how = ''
      const finish = () => {
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
        resolve(how)
      }
      child.once('error', (error) => {
        if (child.pid !== undefined) return
        this.#exited = true
        how = `could not be started: ${error.message} (in ${command.folder})`
        finish()
      })
      child.once('exit', (code, signal) => {
        this.#exited = true
        how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
        this.#signalGroup('SIGKILL')
        setTimeout(finish, LAST_BYTES_MS).unref()
      })
      child.once('close', finish)
    })
    this.release()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Whether the process is gone; its last bytes may still be in the pipe. */
  get exited(): boolean {
    return this.#exited
  }

  /** The last lines it wrote to stderr. */
  get stderrLines(): string[] {
    const lines = this.#tail.toString('utf8').split(/\r?\n/)
    return lines.filter((line) => line !== '').slice(-TAIL_LINES)
  }

  /** Keeps this process alive until {@link Child.release}, once for each: somebody waits for the child. */
  hold(): void {
    if (this.#holds++ > 0) return
    this.#process.ref()
    this.#reference('ref')
  }

  release(): void {
    if (--this.#holds > 0) return
    this.#process.unref()
    this.#reference('unref')
  }

  /** Ends the whole group at once. */
  kill(): void {
    if (!this.#exited) this.#signalGroup('SIGKILL')
  }

  /** Waits for it to leave by itself, then tells it to with SIGTERM, then ends it; `stepMs` a step. */
  async stop(stepMs: number): Promise<void> {
    this.hold()
    if (await this.#endsWithin(stepMs)) return
    this.#signalGroup('SIGTERM')
    if (await this.#endsWithin(stepMs)) return
    this.kill()
    await this.ended
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms)
    })
    const ended = await Promise.race([this.ended.then(() => true), late])
    clearTimeout(timer)
    return ended
  }

  #signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#process
    if (pid === undefined) return
    try {
      if (process.platform === 'win32') this.#process.kill(signal)
      else process.kill(-pid, signal)
    } catch {
      // The group is gone already.
    }
  }

  #reference(how: 'ref' | 'unref'): void {
    for (const stream of [this.#process.stdin, this.#process.stdout, this.#process.stderr]) {
      if (stream instanceof Socket) stream[how]()
    }
  }
}
