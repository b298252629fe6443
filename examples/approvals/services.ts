import type { Tool } from 'toolware'

export interface Service {
  readonly replicas: number
  /** How often it was restarted, so that one can see what ran and how often. */
  readonly restarts: number
}

/** What runs in production, by name. Stands in for yours. */
export class Services {
  readonly #services = new Map<string, Service>([
    ['web', { replicas: 2, restarts: 0 }],
    ['cache', { replicas: 1, restarts: 0 }],
  ])

  get(name: unknown): Service {
    const service = typeof name === 'string' ? this.#services.get(name) : undefined
    if (service !== undefined) return service
    const known = [...this.#services.keys()].join(', ')
    throw new Error(`there is no service ${JSON.stringify(name)}; there are ${known}`)
  }

  /** The tools of an agent. They do what they are told: asking is the pipeline's work. */
  tools(): ReadonlyMap<string, Tool> {
    return new Map<string, Tool>([
      ['status', ({ service }) => this.get(service)],
      [
        'restart',
        ({ service }) => this.#set(service, { restarts: this.get(service).restarts + 1 }),
      ],
      ['scale', ({ service, replicas }) => this.#set(service, { replicas: Number(replicas) })],
    ])
  }

  #set(name: unknown, change: Partial<Service>): Service {
    const service = { ...this.get(name), ...change }
    this.#services.set(String(name), service)
    return service
  }
}
