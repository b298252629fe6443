import { redactText } from '../../redact.ts'
import type { Logger } from '../../types.ts'
import { plainText } from './fields.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error'

const PER_SECOND = 50
const MAX_TEXT = 2000

/**
 * What a plugin says, in the host's log: under the plugin's id, one line each, cut to 2000 characters, at
 * most 50 a second; how many were left out is logged when the second is over.
 */
export class PluginLog {
  readonly #log: Logger
  readonly #plugin: string
  readonly #clock: () => number
  #second = 0
  #count = 0

  constructor(log: Logger, plugin: string, clock: () => number) {
    this.#log = log
    this.#plugin = plugin
    this.#clock = clock
  }

  /** The host's own words about the plugin: never left out. */
  host(level: Level, message: string, fields: object = {}): void {
    this.#write(level, { ...fields }, `plugin ${this.#plugin} ${message}`)
  }

  /** The plugin's words. */
  plugin(level: Level, text: string, source: string): void {
    const second = Math.floor(this.#clock() / 1000)
    if (second !== this.#second) {
      const left = this.#count - PER_SECOND
      this.#second = second
      this.#count = 0
      if (left > 0) this.host('warn', `logged too much: ${left} lines were left out`)
    }
    this.#count += 1
    if (this.#count > PER_SECOND) return
    // Masked before it is cut: half a secret no longer looks like one.
    const safe = redactText(text.slice(0, 4 * MAX_TEXT))
    this.#write(level, { source }, plainText(safe, MAX_TEXT))
  }

  /** A log that throws, on a dead stderr say, must not end up in an error handler that logs. */
  #write(level: Level, fields: object, message: string): void {
    try {
      this.#log[level]({ plugin: this.#plugin, ...fields }, message)
    } catch {
      // There is nowhere left to say so.
    }
  }
}
