import type { Output } from './command.ts'

/**
 * The standard output, and what has become of it. Node keeps that stream open whatever fails, and what is written to it
 * afterwards is lost without a word.
 */
export class StandardOutput implements Output {
  readonly #stream: NodeJS.WriteStream
  #failure: NodeJS.ErrnoException | undefined

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    stream.on('error', (error) => {
      this.#failure ??= error
    })
  }

  get isTTY(): boolean {
    return this.#stream.isTTY
  }

  get columns(): number {
    return this.#stream.columns
  }

  get writable(): boolean {
    return this.#failure === undefined && this.#stream.writable
  }

  write(text: string): boolean {
    return this.#stream.write(text)
  }

  on(event: 'drain' | 'close', listener: () => void): void {
    this.#stream.on(event, listener)
  }

  off(event: 'drain' | 'close', listener: () => void): void {
    this.#stream.off(event, listener)
  }

  /** Why not all of it was written. A reader that went away has what it wanted: that is no failure. */
  async failure(): Promise<Error | undefined> {
    // Called when all that was written before is out, or could not be.
    await new Promise<void>((resolve) => this.#stream.write('', () => resolve()))
    return this.#failure?.code === 'EPIPE' ? undefined : this.#failure
  }
}
