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
    this.#log[level]({ plugin: this.#plugin, ...fields }, `plugin ${this.#plugin} ${message}`)
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
    this.#log[level]({ plugin: this.#plugin, source }, plainText(text, MAX_TEXT))
  }
}
