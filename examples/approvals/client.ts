/** What the server said. */
export interface Answer<T> {
  readonly status: number
  /** The JSON of it; `undefined` when it has none. */
  readonly body: T
  /** Its text, which says what is wrong where something is. */
  readonly text: string
}

export interface Called {
  readonly status: string
  readonly text: string
  readonly code?: string
  readonly approvalId?: string
}

export interface Waiting {
  readonly id: string
  readonly who: string
  readonly title: string
  readonly decisions: readonly string[]
  readonly editable: boolean
  readonly remembered: readonly string[]
}

export interface Decided {
  readonly status: string
  readonly by: string
  readonly repeated: boolean
}

interface Granted {
  readonly id: string
  readonly covers: string
  readonly agentId: string
  readonly grantedBy: string
}

/** Speaks to the server as one user. */
export class Client {
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  call(name: string, args: object, chat = 'default'): Promise<Answer<Called>> {
    return this.request('POST', '/calls', { name, arguments: args }, chat)
  }

  resume(id: string): Promise<Answer<Called>> {
    return this.request('POST', `/calls/${id}/resume`)
  }

  waiting(): Promise<Answer<readonly Waiting[]>> {
    return this.request('GET', '/approvals')
  }

  decide(id: string, decision: string, more: object = {}): Promise<Answer<Decided>> {
    return this.request('POST', `/approvals/${id}`, { decision, ...more })
  }

  grants(): Promise<Answer<readonly Granted[]>> {
    return this.request('GET', '/grants')
  }

  revoke(id: string): Promise<Answer<undefined>> {
    return this.request('DELETE', `/grants/${id}`)
  }

  async request<T>(
    method: string,
    path: string,
    body?: unknown,
    chat = 'default',
  ): Promise<Answer<T>> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'x-chat': chat,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    // What each path answers is said above, where it is asked.
    return { status: response.status, text, body: (isJson ? JSON.parse(text) : undefined) as T }
  }
}
