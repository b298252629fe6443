/** Keeps the results of `make` for the texts asked for last. */
export class Lru<V> {
  readonly #made = new Map<string, V>()
  readonly #max: number
  readonly #make: (key: string) => V

  constructor(max: number, make: (key: string) => V) {
    this.#max = max
    this.#make = make
  }

  get(key: string): V {
    const known = this.#made.get(key)
    if (known !== undefined) {
      this.#made.delete(key)
      this.#made.set(key, known)
      return known
    }
    const value = this.#make(key)
    this.#made.set(key, value)
    if (this.#made.size > this.#max) {
      for (const oldest of this.#made.keys()) {
        this.#made.delete(oldest)
        break
      }
    }
    return value
  }
}
